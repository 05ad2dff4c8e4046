// SPDX-License-Identifier: GPL-2.0-only
/* Activity over time, and the choice of a thread, a CPU and a span of time. */
const LANES_MAX = 12;
const TALL = 30, LOW = 16;

const thread_name = i => i < data.shares.threads.length ?
	data.shares.threads[i][0] + (data.shares.threads[i][1] === 0xffffffff ? "" : " " + data.shares.threads[i][2]) :
	"other threads (" + digits(data.shares.more_threads) + ")";
const cpu_name = i => "CPU " + data.shares.cpus[i];

/* Instructions by bin: of all, and of each thread or CPU */
function activity(kind)
{
	const all = new Float64Array(shares.bins), of = new Map();

	for (let i = 0; i < shares.n; i++) {
		const who = shares[kind][i];

		if (!of.has(who))
			of.set(who, new Float64Array(shares.bins));
		of.get(who)[shares.bin[i]] += shares.insns[i];
		all[shares.bin[i]] += shares.insns[i];
	}
	return { all, of };
}

/* Those with most instructions, in the order of their numbers */
function busiest(of, kind)
{
	const sum = list => list.reduce((a, b) => a + b, 0);
	const number = kind === "cpu" ? i => data.shares.cpus[i] : i => (data.shares.threads[i] || [0, 0, Infinity])[2];

	return [...of].sort((a, b) => sum(b[1]) - sum(a[1]) || a[0] - b[0]).slice(0, LANES_MAX)
		.sort((a, b) => number(a[0]) - number(b[0]));
}

/* ------------------------------------------------------------ choosing */

function option(select, value, text)
{
	const node = make("option", text);

	node.value = value;
	select.append(node);
}

/* The threads and CPUs that ran, in the selects */
function list_whom()
{
	const ran = kind => [...new Set(shares[kind])].sort((a, b) => a - b);

	option(at("thread"), -1, "All threads");
	for (const i of ran("thread"))
		option(at("thread"), i, thread_name(i));
	option(at("cpu"), -1, "All CPUs");
	for (const i of ran("cpu").sort((a, b) => data.shares.cpus[a] - data.shares.cpus[b]))
		option(at("cpu"), i, cpu_name(i));
	at("thread").hidden = at("thread").options.length < 3;
	at("cpu").hidden = at("cpu").options.length < 3;
}

function choose(what, value)
{
	choice[what] = value;
	at("thread").value = choice.thread;
	at("cpu").value = choice.cpu;
	make_tree();
	show_choice();
}

/* What ran in the span: the functions with most instructions of their own */
function most_of_span()
{
	const sums = new Map();
	let sum = 0;

	for (let i = 0; i < shares.n; i++) {
		const node = tree[shares.node[i]];

		if (!is_chosen(i))
			continue;
		sum += shares.insns[i];
		sums.set(node.frame, (sums.get(node.frame) || 0) + shares.insns[i]);
	}
	sums.delete(frames[0]);
	return { sum, most: [...sums].sort((a, b) => b[1] - a[1]).slice(0, 3) };
}

function show_choice()
{
	const width = Number(data.shares.width), { sum, most } = most_of_span();
	const parts = [];

	if (choice.span)
		parts.push(duration(choice.span[0] * width) + " to " + duration((choice.span[1] + 1) * width));
	if (is_part())
		parts.push(digits(sum) + " instructions, " + percent(sum, insns[0]) + " of all",
			"most in " + most.map(([frame, n]) => frame.name + " " + percent(n, sum)).join(", "));
	else if (width)
		parts.push("All of " + duration(shares.bins * width) +
			(data.emulated ? " of an emulator\u2019s clock, which counts instructions" : "") +
			". Drag over a span of time to see what ran in it.");
	at("span").textContent = parts.join("; ");
	at("all-time").disabled = !choice.span;
	for (const button of at("names").children)
		button.setAttribute("aria-pressed", choice[button.kind] === button.who && button.who >= 0);
	show_brush();
}

/* ------------------------------------------------------------ the span */

function show_brush()
{
	const brush = at("brush"), graph = at("graph");

	brush.hidden = !choice.span;
	graph.setAttribute("aria-valuemax", shares.bins - 1);
	graph.setAttribute("aria-valuenow", choice.span ? choice.span[0] : 0);
	graph.setAttribute("aria-valuetext", at("span").textContent);
	if (!choice.span)
		return;
	brush.style.left = 100 * choice.span[0] / shares.bins + "%";
	brush.style.width = 100 * (choice.span[1] + 1 - choice.span[0]) / shares.bins + "%";
}

function set_span(a, b)
{
	const clip = n => Math.max(0, Math.min(shares.bins - 1, n));

	choose("span", a === null ? null : [clip(Math.min(a, b)), clip(Math.max(a, b))]);
}

function bin_at(e)
{
	const box = at("graph").getBoundingClientRect();

	return Math.floor((e.clientX - box.left) / box.width * shares.bins);
}

/* A span begins where the pointer goes down; the graph follows when it moves. */
function brush_by_pointer()
{
	const graph = at("graph");
	let begin = null, waits = false;

	graph.addEventListener("pointerdown", e => {
		begin = bin_at(e);
		graph.setPointerCapture(e.pointerId);
	});
	graph.addEventListener("pointermove", e => {
		if (begin === null || waits)
			return;
		waits = true;
		requestAnimationFrame(() => {
			waits = false;
			if (begin !== null)
				set_span(begin, bin_at(e));
		});
	});
	graph.addEventListener("pointerup", e => {
		if (begin !== null)
			set_span(begin, bin_at(e));
		begin = null;
	});
	graph.addEventListener("pointercancel", () => { begin = null; });
}

/* Arrows move the span, with Shift its end. */
function brush_by_keys(e)
{
	const step = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
	const [a, b] = choice.span || [step > 0 ? -1 : shares.bins, step > 0 ? -1 : shares.bins];

	if (!step || e.ctrlKey || e.altKey || e.metaKey)
		return;
	e.preventDefault();
	if (e.shiftKey)
		set_span(a, Math.max(a, b + step));
	else if (a + step >= 0 && b + step < shares.bins)
		set_span(a + step, b + step);
}

/* ------------------------------------------------------------ drawing */

/* A lane: bars as high as its busiest bin allows */
function draw_lane(context, list, box, most)
{
	const width = box.width / list.length;

	list.forEach((n, i) => {
		const height = most ? Math.max(n ? 1 : 0, n / most * (box.height - 1)) : 0;

		context.fillRect(i * width, box.top + box.height - height, Math.max(1, width - 0.4), height);
	});
}

function draw_activity()
{
	const canvas = at("graph").querySelector("canvas"), context = canvas.getContext("2d");
	const { all, of } = activity(at("kind").value), lanes = busiest(of, at("kind").value);
	const style = getComputedStyle(document.body), scale = devicePixelRatio || 1;
	const width = at("graph").clientWidth, height = TALL + (lanes.length > 1 ? lanes.length * LOW : 0);
	const most = lanes.reduce((m, [, list]) => Math.max(m, ...list), 0);

	canvas.width = width * scale;
	canvas.height = height * scale;
	canvas.style.height = height + "px";
	context.scale(scale, scale);
	context.fillStyle = style.color;
	context.globalAlpha = 0.55;
	draw_lane(context, all, { top: 0, width, height: TALL - 4 }, Math.max(...all));
	context.globalAlpha = 1;
	context.fillStyle = is_dark() ? "#8ab4f8" : "#0b57d0";
	if (lanes.length > 1)
		lanes.forEach(([, list], i) =>
			draw_lane(context, list, { top: TALL + i * LOW, width, height: LOW - 3 }, most));
}

function lane_button(text, kind, who, height)
{
	const button = make("button", text, "link");

	button.type = "button";
	button.kind = kind;
	button.who = who;
	button.title = text;
	button.style.height = button.style.lineHeight = height + "px";
	button.addEventListener("click", () => choose(kind, choice[kind] === who ? -1 : who));
	return button;
}

/* Names beside the lanes */
function name_lanes()
{
	const kind = at("kind").value, lanes = busiest(activity(kind).of, kind);
	const name = kind === "thread" ? thread_name : cpu_name;
	const buttons = [lane_button("all", kind, -1, TALL)];

	if (lanes.length > 1)
		for (const [who] of lanes)
			buttons.push(lane_button(name(who), kind, who, LOW));
	at("names").replaceChildren(...buttons);
	draw_activity();
	show_choice();
}

function start_time()
{
	const timed = data.shares && Number(data.shares.width) > 0 && shares.bins > 1;

	at("time").hidden = !timed;
	if (!data.shares || !shares.n) {
		at("thread").hidden = at("cpu").hidden = true;
		return;
	}
	list_whom();
	for (const what of ["thread", "cpu"])
		at(what).addEventListener("change", () => choose(what, Number(at(what).value)));
	if (!timed)
		return;
	at("kind").closest("label").hidden = at("cpu").hidden || at("thread").hidden;
	if (at("thread").hidden && !at("cpu").hidden)
		at("kind").value = "cpu";
	at("kind").addEventListener("change", name_lanes);
	at("all-time").addEventListener("click", () => set_span(null));
	at("graph").addEventListener("keydown", brush_by_keys);
	brush_by_pointer();
	name_lanes();
	on_resize(at("graph"), draw_activity);
	themed.push(draw_activity);
}
