// SPDX-License-Identifier: GPL-2.0-only
/*
 * The data of the page, and how numbers are written.  Names come from files that others made: they
 * become texts, never markup.
 */
const data = JSON.parse(document.getElementById("data").textContent);
const texts = data.texts;
const is_diff = data.sides === 2;
/* Executed instructions, of each side */
const insns = data.insns.map(Number);
/* The side that numbers are of, where one is enough: the only one, or B */
const last = data.sides - 1;

/* A function.  What a side does not know is -1. */
function frame_of(row, i)
{
	const [name, file, cycles, timed] = row;
	const sides = [];

	for (let at = 4; at < row.length; at += 4)
		sides.push({ code: row[at], insns: row[at + 1], calls: row[at + 2], total: row[at + 3] });
	return { number: i + 1, name: texts[name], file: texts[file], cycles, timed, sides,
		has_code: sides.some(side => side.code), inlined: texts[name].endsWith(" (inlined)") };
}

/* Frame 0: callees that are too small for the page */
const frames = [{ number: 0, name: "[left out]", file: "", has_code: false, inlined: false, sides: [] }]
	.concat(data.frames.map(frame_of));
const functions = frames.slice(1, 1 + data.n_functions);

/* The tree of calls: nodes in the order of the data, callers first.  @at: its number */
function tree_of(tree)
{
	const path = [];

	return tree.depth.map((depth, at) => {
		const node = {
			at, frame: frames[tree.frame[at]], parent: depth ? path[depth - 1] : null,
			self: [], calls: [],
		};

		for (let side = 0; side < data.sides; side++) {
			node.self.push(Number(tree["self" + side][at]));
			node.calls.push(Number(tree["calls" + side][at]));
		}
		path[depth] = node;
		return node;
	});
}

const tree = tree_of(data.tree);

/* 1234567 as 1,234,567: of texts, too, which are larger than a number may be. */
const digits = n => String(n).replace(/\B(?=(\d{3})+$)/g, ",");
const times = n => Number(n) === 1 ? "once" : digits(n) + " times";

function percent(n, all)
{
	const share = Number(all) ? 100 * Number(n) / Number(all) : 0;

	return share > 0 && share < 0.005 ? "<0.01%" : share.toFixed(2) + "%";
}

const ratio = (n, by) => Number(by) ? (Number(n) / Number(by)).toFixed(2) : "-";
const signed = n => (n > 0 ? "+" : n < 0 ? "\u2212" : "") + digits(Math.abs(n));

/* A share in percent, with a sign; without one if it is next to nothing */
function signed_share(n)
{
	const text = Math.abs(n).toFixed(2);

	return (text === "0.00" ? "" : n < 0 ? "\u2212" : "+") + text;
}

/* A span of time in nanoseconds */
function duration(ns)
{
	for (const [size, unit] of [[1e9, "s"], [1e6, "ms"], [1e3, "\u00b5s"]])
		if (ns >= size)
			return (ns / size).toPrecision(4).replace(/\.?0+$/, "") + " " + unit;
	return ns + " ns";
}

const hex = n => "0x" + Number(n).toString(16);

/* The name of a place: [function, offset, ...] or [0, address] */
function where(place)
{
	if (!place)
		return "[unknown]";
	if (!place[0])
		return Number(place[1]) ? hex(place[1]) : "[unknown]";
	return frames[place[0]].name + (Number(place[1]) ? "+" + hex(place[1]) : "");
}

/* Count tables have no calls. */
const has_calls = tree.length > 1;
const has_cycles = !is_diff && Number(data.totals[2]) > 0;
