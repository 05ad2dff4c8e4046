// SPDX-License-Identifier: GPL-2.0-only
/* The head of the page, keys that work everywhere, and the beginning. */

function fact(name, value, title)
{
	const box = make("div"), dd = make("dd", value);

	if (title)
		box.title = title;
	box.append(make("dt", name), dd);
	at("totals").append(box);
}

/* @side: of a diff, "A" or "B" */
function loss_fact([lost, skipped], side)
{
	if (Number(lost) || Number(skipped))
		fact(side ? "Lost of " + side : "Lost", digits(lost) + " atoms, " + digits(skipped) + " bytes",
			"csflow doctor says why");
}

function list_facts()
{
	const [, cycles, timed, bytes] = data.totals;

	fact("Instructions", digits(data.totals[0]));
	if (has_cycles) {
		fact("Cycles", digits(cycles));
		fact("Instructions a cycle", ratio(timed, cycles));
	}
	fact("Bytes of trace", digits(bytes));
	if (data.shares.threads.length)
		fact("Threads", digits(data.shares.threads.length + data.shares.more_threads));
	if (data.shares.cpus.length)
		fact("CPUs", digits(data.shares.cpus.length));
	loss_fact(data.lost[0]);
}

/* Two recordings, and what makes them comparable */
function compare_facts()
{
	const [a, b] = insns, more = a ? b / a : 0;

	document.title = "csflow diff";
	at("title").textContent = "csflow diff";
	at("files").textContent = "A: " + data.files[0] + ", B: " + data.files[1];
	fact("Instructions of A", digits(data.insns[0]));
	fact("Instructions of B", digits(data.insns[1]));
	fact("B to A", "\u00d7 " + more.toFixed(3));
	loss_fact(data.lost[0], "A");
	loss_fact(data.lost[1], "B");
	document.querySelector("footer").textContent = "Colours and changes of shares compare each " +
		"recording with its own total, as if both had executed the same number of instructions. \u201cCompare instructions\u201d compares the counts themselves.";
}

function list_head()
{
	at("files").textContent = data.files.join(", ");
	at("files").title = at("files").textContent;
	if (is_diff)
		compare_facts();
	else
		list_facts();
}

/* ------------------------------------------------------------ keys */

/* Out of the search, out of the zoom, out of the span */
function escape()
{
	if (at("search").value) {
		at("search").value = "";
		search();
	} else if (has_calls) {
		show_whole();
		if (choice.span)
			set_span(null);
	}
	at("search").blur();
}

function press(e)
{
	const types = e.target instanceof HTMLInputElement || e.target instanceof HTMLSelectElement;
	const tab = panels[Number(e.key) - 1];
	const keys = {
		"/": () => { at("search").focus(); at("search").select(); },
		"?": () => at("keys").showModal(),
		"t": switch_theme,
		"u": turn,
		"c": () => show_of("callers", shown),
		"e": () => show_of("callees", shown),
		"Backspace": go_back,
		"Escape": escape,
	};

	if (e.ctrlKey || e.altKey || e.metaKey || at("keys").open)
		return;
	if (e.key === "Escape" && types)
		escape();
	else if (e.key === "Enter" && e.target === at("search"))
		next_match();
	else if (types)
		return;
	else if (e.key in keys)
		keys[e.key]();
	else if (tab)
		open_tab(tab.id);
	else
		return;
	e.preventDefault();
}

/* ------------------------------------------------------------ the beginning */

function start()
{
	choose_hues();
	list_head();
	list_keys();
	show_theme();
	if (has_calls)
		add_tab("calls");
	add_lists();
	start_code();
	if (has_calls)
		start_flame();
	start_time();
	open_tab(panels[0].id);
	if (has_calls)
		make_tree();
	at("search").addEventListener("input", search);
	at("theme").addEventListener("click", switch_theme);
	at("help").addEventListener("click", () => at("keys").showModal());
	wants_dark.addEventListener("change", show_theme);
	addEventListener("keydown", press);
}

start();
