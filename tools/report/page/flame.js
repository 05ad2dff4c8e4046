// SPDX-License-Identifier: GPL-2.0-only
/* The flame graph: boxes of calls, as wide as their instructions with all callees. */
const SVG = "http://www.w3.org/2000/svg";
const HEIGHT = 20;
/* Pixels of a letter, on average, and the narrowest box */
const LETTER = 7, NARROW = 0.5;

/*
 * What the graph shows: the mode, the function that has callers or callees, and the frames from the
 * root to the one that is as wide as the graph.  @past: earlier ones, for "Back".
 */
let state = { mode: "tree", focus: 0, path: [] };
const past = [];
let view = null, root = null, wanted = "", upside_down = false;

/* ------------------------------------------------------------ sizes */

/* Of a comparison: shares of all instructions of a side, or instructions; and whose width */
const compares_shares = () => at("scale").value === "share";
const basis = () => is_diff ? Number(at("basis").value) : 0;
const width_of = node => node.total[basis()];
const weight = (n, side) => compares_shares() ? insns[side] && n / insns[side] : n;

/* From -1: only in A, to 1: only in B */
function change_of(sums)
{
	const a = weight(sums[0], 0), b = weight(sums[1], 1);

	return a || b ? (b - a) / Math.max(a, b) : 0;
}

function label_of(node)
{
	return node === view && state.mode === "tree" ? "all" : node.frame.name;
}

function describe(node)
{
	const side = basis(), file = node.frame.file;
	const parts = [label_of(node) + (file ? " (" + file + ")" : "") + ":"];

	if (is_diff)
		return parts[0] + " A " + digits(node.total[0]) + " instructions, " + percent(node.total[0], insns[0]) +
			"; B " + digits(node.total[1]) + ", " + percent(node.total[1], insns[1]) + "; " +
			points(node.total);
	parts.push(digits(node.total[side]) + " instructions, " + percent(node.total[side], insns[side]) + " of all;");
	if (node.frame.inlined)
		parts.push("inlined;");
	if (state.mode !== "callers" || node === view)
		parts.push("itself " + digits(node.self[side]));
	if (!is_part() && node.calls[side])
		parts.push("; called " + times(node.calls[side]));
	return parts.join(" ").replace(" ;", ";").replace(/;$/, "");
}

/* How a share changed, in percent of all */
function points(sums)
{
	const a = insns[0] ? 100 * sums[0] / insns[0] : 0, b = insns[1] ? 100 * sums[1] / insns[1] : 0;

	return compares_shares() ? signed_share(b - a) + " % of all" :
		signed(sums[1] - sums[0]) + " instructions";
}

/* ------------------------------------------------------------ search */

const matches = frame => wanted !== "" && frame.number > 0 && frame.name.toLowerCase().includes(wanted);

/* What the matching functions execute with their callees; a function within another one is in it. */
function sum_of_matches()
{
	const todo = [view];
	let sum = 0;

	while (todo.length) {
		const node = todo.pop();

		if (node.parent !== null && matches(node.frame))
			sum += width_of(node);
		else
			todo.push(...node.children);
	}
	return sum;
}

function search()
{
	wanted = at("search").value.trim().toLowerCase();
	at("found").textContent = wanted && has_calls ? percent(sum_of_matches(), insns[basis()]) + " of all" : "";
	draw_flame();
	for (const filter of filters)
		filter();
}

/* To the next box that matches, from the widest on */
function next_match()
{
	const found = [...at("flame").querySelectorAll(".found")].sort((a, b) => width_of(b.node) - width_of(a.node));
	const i = found.indexOf(next_match.last);

	if (found.length) {
		next_match.last = found[(i + 1) % found.length];
		next_match.last.focus();
	}
}

/* ------------------------------------------------------------ moving */

function path_of(node)
{
	const path = [];

	for (; node.parent; node = node.parent)
		path.unshift(node.frame.number);
	return path;
}

/* As far along the path as there are calls */
function follow(path)
{
	let node = view;

	for (const number of path) {
		const child = node.children.find(c => c.frame.number === number);

		if (!child)
			break;
		node = child;
	}
	return node;
}

function go(next)
{
	if (JSON.stringify(next) === JSON.stringify(state))
		return;
	past.push(state);
	show_state(next);
}

function go_back()
{
	if (past.length)
		show_state(past.pop());
}

/* The tree is made anew only for another mode or function. */
function show_state(next)
{
	const other = next.mode !== state.mode || next.focus !== state.focus;

	state = next;
	if (other)
		make_tree();
	else
		show_root();
}

/* Makes the tree, perhaps for another choice of threads, CPUs and time. */
function make_tree()
{
	view = make_view(state.mode, frames[state.focus]);
	show_root();
}

function show_root()
{
	root = follow(state.path);
	at("mode").value = state.mode;
	if (wanted)
		search();
	else
		draw_flame();
}

function zoom(node)
{
	if (node.frame.number || node === view)
		go({ mode: state.mode, focus: state.focus, path: path_of(node) });
}

function focus_on(node)
{
	if (node && node.g && node.g.isConnected)
		node.g.focus();
}

/* The function that has the code of a box: an inlined one is in that of its caller. */
function code_of(node)
{
	while (state.mode !== "callers" && node.frame.inlined && node.parent && node.parent.parent)
		node = node.parent;
	return node.frame;
}

/* A click, or Enter: as wide as all, with its code */
function pick(node)
{
	zoom(node);
	focus_on(root);
	if (node.frame.number)
		show_code(code_of(node));
}

/* Callers or callees of a function */
function show_of(mode, frame)
{
	if (!has_calls || !frame || !frame.number)
		return;
	open_tab("calls");
	go({ mode, focus: frame.number, path: [] });
	focus_on(view);
}

function key(node, e)
{
	const beside = node.parent ? node.parent.children : [node], i = beside.indexOf(node);
	const [outer, inner] = upside_down ? ["ArrowDown", "ArrowUp"] : ["ArrowUp", "ArrowDown"];
	const to = { [outer]: node.parent, [inner]: node.children[0], ArrowLeft: beside[i - 1],
		ArrowRight: beside[i + 1], Home: view };

	if (e.ctrlKey || e.altKey || e.metaKey)
		return;
	if (e.key === "Enter" || e.key === " ")
		pick(node);
	else if (e.key in to)
		focus_on(to[e.key]);
	else if (e.key === "c")
		show_of("callers", node.frame);
	else if (e.key === "e")
		show_of("callees", node.frame);
	else
		return;
	e.preventDefault();
	e.stopPropagation();
}

/* ------------------------------------------------------------ drawing */

function add_text(g, node, x, y, width)
{
	const letters = Math.floor((width - 8) / LETTER), label = label_of(node);
	const text = document.createElementNS(SVG, "text");

	if (letters < 4)
		return;
	text.setAttribute("x", x + 5);
	text.setAttribute("y", y + 14);
	text.textContent = label.length > letters ? label.slice(0, letters - 1) + "\u2026" : label;
	g.append(text);
}

function fill_of(node)
{
	if (!node.frame.number)
		return "";
	return is_diff ? colour_of_change(change_of(node.total)) : colour(node.frame);
}

function box(node, x, y, width)
{
	const g = document.createElementNS(SVG, "g"), rect = document.createElementNS(SVG, "rect");
	const place = { x, y, width, height: HEIGHT, rx: 2 };

	for (const name of Object.keys(place))
		rect.setAttribute(name, place[name]);
	rect.style.fill = node === view && state.mode === "tree" ? "var(--rest)" : fill_of(node);
	g.append(rect);
	add_text(g, node, x, y, width);
	g.classList.toggle("rest", !node.frame.number && node !== view);
	g.classList.toggle("inlined", Boolean(node.frame.inlined));
	g.classList.toggle("found", matches(node.frame));
	/* one stop for the tabulator, from which arrows lead on */
	g.setAttribute("tabindex", node === root ? 0 : -1);
	g.setAttribute("role", "treeitem");
	g.setAttribute("aria-level", node.depth + 1);
	g.setAttribute("aria-label", describe(node));
	g.addEventListener("click", () => pick(node));
	g.addEventListener("keydown", e => key(node, e));
	for (const seen of ["mouseenter", "focus"])
		g.addEventListener(seen, () => { at("what").textContent = describe(node); });
	node.g = g;
	g.node = node;
	return g;
}

/* The boxes to draw: callers of the root as wide as all, then what is wide enough. */
function boxes(width)
{
	const list = [], above = [], todo = [];

	for (let node = root; node; node = node.parent)
		above.unshift(node);
	for (const node of above)
		list.push([node, 0, width]);
	todo.push([root, 0, width]);
	while (todo.length) {
		const [node, left, space] = todo.pop(), all = width_of(node);
		let x = left;

		for (const child of node.children) {
			const part = all ? space * width_of(child) / all : 0;

			if (part < NARROW)
				continue;
			list.push([child, x, part]);
			todo.push([child, x, part]);
			x += part;
		}
	}
	return list;
}

function draw_flame()
{
	const svg = at("flame"), width = Math.max(at("stage").clientWidth, 200), list = [];
	const focused = svg.contains(document.activeElement) ? document.activeElement.node : null;
	let levels = 0;

	if (!has_calls)
		return;
	list.push(...boxes(width));
	for (const [node] of list)
		levels = Math.max(levels, node.depth + 1);
	svg.replaceChildren(...list.map(([node, x, part]) =>
		box(node, x, (upside_down ? levels - 1 - node.depth : node.depth) * HEIGHT, part)));
	svg.setAttribute("viewBox", "0 0 " + width + " " + levels * HEIGHT);
	svg.setAttribute("height", levels * HEIGHT);
	svg.classList.toggle("seeks", wanted !== "");
	if (upside_down)
		at("stage").scrollTop = at("stage").scrollHeight;
	at("whole").disabled = root === view && state.mode === "tree";
	at("back").disabled = !past.length;
	at("what").textContent = describe(root);
	focus_on(focused);
}

function turn()
{
	upside_down = !upside_down;
	at("flip").setAttribute("aria-pressed", upside_down);
	draw_flame();
}

/* The whole graph, of everything */
function show_whole()
{
	go({ mode: "tree", focus: 0, path: [] });
}

/* ------------------------------------------------------------ around it */

function add_legend(fill, text)
{
	const item = make("span"), sample = make("i");

	sample.style.background = fill;
	item.append(sample, document.createTextNode(text));
	at("legend").append(item);
}

function legend()
{
	if (is_diff) {
		add_legend(colour_of_change(1), "more in B");
		add_legend(colour_of_change(0.3), "a little more");
		add_legend(colour_of_change(-0.3), "a little less");
		add_legend(colour_of_change(-1), "less in B");
		return;
	}
	for (const [file, hue] of hue_of)
		add_legend(two_colours(hue, 62, 4), file);
	if (tree.some(node => node.frame.file && !hue_of.has(node.frame.file)))
		add_legend(two_colours(220, 6, 4), "other");
	if (frames.some(f => f.inlined))
		add_legend("transparent", "dashed: inlined");
}

/* What is too small for the page */
function say_left_out()
{
	const [n, most, sum] = data.tree.cut, all = insns.reduce((a, b) => a + b);

	if (Number(n))
		at("left-out").textContent = "Left out: " + digits(n) + " calls of at most " + percent(most, all) +
			" each, " + percent(sum, all) + " of instructions in all.";
}

/* Which function the list of callers is of: that of the code, or of the graph */
function start_mode()
{
	const mode = at("mode").value;
	const frame = root.frame.number ? root.frame : shown;

	if (mode === "tree")
		show_whole();
	else if (frame)
		show_of(mode, frame);
	at("mode").value = state.mode;
}

function start_flame()
{
	legend();
	say_left_out();
	at("mode").addEventListener("change", start_mode);
	at("flip").addEventListener("click", turn);
	at("back").addEventListener("click", go_back);
	at("whole").addEventListener("click", show_whole);
	for (const id of ["basis", "scale"]) {
		at(id).hidden = !is_diff;
		at(id).addEventListener("change", draw_flame);
	}
	on_resize(at("stage"), draw_flame);
}
