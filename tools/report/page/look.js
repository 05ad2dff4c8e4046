// SPDX-License-Identifier: GPL-2.0-only
/* Elements, colours, light and dark, tabs, and the list of keys. */
const at = id => document.getElementById(id);

function make(tag, text, name)
{
	const node = document.createElement(tag);

	if (text !== undefined)
		node.textContent = text;
	if (name)
		node.className = name;
	return node;
}

/* Draws again when an element has another width than now. */
function on_resize(element, draw)
{
	let width = element.clientWidth;

	new ResizeObserver(() => {
		if (element.clientWidth === width || !element.clientWidth)
			return;
		width = element.clientWidth;
		draw();
	}).observe(element);
}

/* ------------------------------------------------------------ colours */

/* Hues of files, those with most instructions first; others are grey. */
const HUES = [28, 212, 140, 275, 345, 185, 55, 310];
const hue_of = new Map();

function choose_hues()
{
	const sums = new Map();

	for (const node of tree)
		sums.set(node.frame.file, (sums.get(node.frame.file) || 0) + node.self[last]);
	sums.delete("");
	[...sums].sort((a, b) => b[1] - a[1]).slice(0, HUES.length)
		.forEach(([file], i) => hue_of.set(file, HUES[i]));
}

/* Functions of a file have its hue, and differ a little. */
function colour(frame)
{
	const hue = hue_of.get(frame.file);
	const saturation = hue === undefined ? 6 : 62;
	let hash = 0;

	for (const c of frame.name)
		hash = (hash * 31 + c.codePointAt(0)) >>> 0;
	return two_colours(hue === undefined ? 220 : hue + (hash >>> 8) % 5 * 5 - 10, saturation, hash % 9);
}

/* For light and for dark; both are readable with the colour of texts. */
const two_colours = (hue, saturation, more) => "light-dark(hsl(" + hue + " " + saturation + "% " +
	(76 + more) + "%), hsl(" + hue + " " + saturation * 0.6 + "% " + (27 + more) + "%))";

/* @change: from -1, blue, to 1, red */
function colour_of_change(change)
{
	const size = Math.min(1, Math.abs(change)), hue = change > 0 ? 8 : 215;

	return "light-dark(hsl(" + hue + " " + 78 * Math.sqrt(size) + "% " + (93 - 25 * size) + "%), hsl(" +
		hue + " " + 62 * Math.sqrt(size) + "% " + (26 + 18 * size) + "%))";
}

/* ------------------------------------------------------------ light and dark */

const wants_dark = matchMedia("(prefers-color-scheme: dark)");
const is_dark = () => (document.documentElement.dataset.theme || (wants_dark.matches ? "dark" : "light")) === "dark";
/* What to draw again: it cannot follow the style sheet. */
const themed = [];

function show_theme()
{
	at("theme").textContent = is_dark() ? "Light" : "Dark";
	for (const draw of themed)
		draw();
}

function switch_theme()
{
	document.documentElement.dataset.theme = is_dark() ? "light" : "dark";
	show_theme();
}

/* ------------------------------------------------------------ tabs */

const panels = [];
let open_panel = null;

/* @first: what to do when it is shown for the first time */
function add_tab(id, count, first)
{
	const panel = at(id), tab = make("button", panel.dataset.tab);

	if (count !== undefined)
		tab.append(make("small", digits(count)));
	tab.type = "button";
	tab.id = "tab-" + id;
	tab.setAttribute("role", "tab");
	tab.setAttribute("aria-controls", id);
	panel.setAttribute("aria-labelledby", tab.id);
	tab.addEventListener("click", () => open_tab(id));
	tab.addEventListener("keydown", e => {
		const step = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
		const i = panels.findIndex(p => p.id === id) + (step || 0);

		if (!step || !panels[i])
			return;
		e.preventDefault();
		open_tab(panels[i].id);
		panels[i].tab.focus();
	});
	at("tabs").append(tab);
	panels.push({ id, tab, panel, first });
}

function open_tab(id)
{
	for (const p of panels) {
		const open = p.id === id;

		p.panel.hidden = !open;
		p.tab.setAttribute("aria-selected", open);
		p.tab.tabIndex = open ? 0 : -1;
		if (!open)
			continue;
		open_panel = id;
		if (p.first)
			p.first();
		p.first = null;
	}
}

/* ------------------------------------------------------------ keys */

const KEYS = [
	["/", "search; Enter: to the next match"],
	["Esc", "leave the search; reset zoom and time"],
	["\u2190 \u2191 \u2192 \u2193", "in the graph: from function to function; in a table: from row to row"],
	["Enter", "zoom into the function, and show its code"],
	["Backspace", "back to where the graph was before"],
	["c", "callers of the function"],
	["e", "callees of the function"],
	["u", "graph upside down"],
	["1 \u2026 9", "the tabs"],
	["t", "light or dark"],
	["?", "this list"],
];

function list_keys()
{
	const list = at("keys").querySelector("dl");

	for (const [key, what] of KEYS) {
		const term = make("dt");

		term.append(make("kbd", key));
		list.append(term, make("dd", what));
	}
}
