// SPDX-License-Identifier: GPL-2.0-only
/* The code of one function in two recordings.  Its instructions are matched by their texts. */

/* In a larger part the instructions of A come first, then those of B. */
const PAIRS_MAX = 4000000;

/* An instruction without the place that a branch, ADR, or a load of a literal names: builds differ in it. */
const text_of = row => texts[row[2]].replace(/^((adrp?|ldr|ldrsw) [^ ]+, )#.*|#-?0x[0-9a-f]+ ; 0x[0-9a-f]+$/, "$1");

/* Rows of one side, with addresses and source lines */
function placed(code)
{
	let offset = 0;

	return code ? code.rows.map(row => {
		offset += row[0];
		return { row, text: text_of(row), address: address_of(code, offset), line: code.lines[row[3]] };
	}) : [];
}

/* The longest common sequence of @a and @b, as pairs; what only one has is alone. */
function match_rest(a, b)
{
	const wide = b.length + 1, best = new Uint16Array((a.length + 1) * wide), pairs = [];
	let i = 0, k = 0;

	for (let x = a.length - 1; x >= 0; x--)
		for (let y = b.length - 1; y >= 0; y--)
			best[x * wide + y] = a[x].text === b[y].text ? best[(x + 1) * wide + y + 1] + 1 :
				Math.max(best[(x + 1) * wide + y], best[x * wide + y + 1]);
	while (i < a.length && k < b.length) {
		if (a[i].text === b[k].text)
			pairs.push([a[i++], b[k++]]);
		else if (best[(i + 1) * wide + k] >= best[i * wide + k + 1])
			pairs.push([a[i++], null]);
		else
			pairs.push([null, b[k++]]);
	}
	return pairs.concat(alone(a.slice(i), b.slice(k)));
}

const alone = (a, b) => a.map(x => [x, null]).concat(b.map(y => [null, y]));

/* [of A, of B] in order; what both begin and end with needs no search. */
function match_code(a, b)
{
	const least = Math.min(a.length, b.length);
	let first = 0, rest = 0;

	while (first < least && a[first].text === b[first].text)
		first++;
	while (rest < least - first && a[a.length - 1 - rest].text === b[b.length - 1 - rest].text)
		rest++;
	const [x, y] = [a, b].map(list => list.slice(first, list.length - rest));
	return [
		...a.slice(0, first).map((row, i) => [row, b[i]]),
		...(x.length * y.length > PAIRS_MAX ? alone(x, y) : match_rest(x, y)),
		...a.slice(a.length - rest).map((row, i) => [row, b[b.length - rest + i]]),
	];
}

/* ------------------------------------------------------------ rows */

/* What the branch did on each side, once if it is the same */
function both_branches(pair)
{
	const did = pair.map(side => side ? branch(side.row).replace("   # ", "") : "");
	const parts = did.map((text, i) => text && "AB"[i] + ": " + text).filter(Boolean);

	if (pair[0] && pair[1] && did[0] === did[1])
		return did[0] && "   # " + did[0];
	return parts.length ? "   # " + parts.join("; ") : "";
}

function both_counts(pair, most)
{
	return pair.map((side, i) => {
		const td = make("td", side ? digits(side.row[1]) : "", "n hot");

		td.style.setProperty("--part", (side ? 55 * Number(side.row[1]) / most[i] : 0).toFixed(1) + "%");
		return td;
	});
}

/* One that only A has is marked as in a diff, and has its address. */
function both_row(pair, most)
{
	const tr = make("tr"), side = pair[1] || pair[0], mark = !pair[0] ? "+" : !pair[1] ? "-" : "";
	const text = make("td", texts[side.row[2]], "text " + (mark === "+" ? "up" : mark === "-" ? "down" : ""));

	text.append(make("span", both_branches(pair), "branch"));
	tr.append(...both_counts(pair, most), make("td", mark), make("td", side.address + ":", "n"), text);
	tr.pair = pair;
	return tr;
}

const name_of_line = line => texts[line[0]] + ":" + line[1];

/* @lines: of each side, by name */
function both_source_row(pair, lines, first)
{
	const tr = make("tr", undefined, "source"), line = (pair[1] || pair[0]).line;
	const td = make("td", name_of_line(line) + "  " + texts[line[2]]);
	const counts = pair.map((side, i) => side ? side.line : lines[i].get(name_of_line(line)));

	td.colSpan = 3;
	tr.append(...counts.map(own => make("td", first && own ? digits(own[4]) : "", "n")), td);
	return tr;
}

/* All rows of a function */
function both_rows(codes)
{
	const sides = codes.map(placed), lines = codes.map(code => new Map(code ? code.lines.map(l => [name_of_line(l), l]) : []));
	const most = sides.map(list => Math.max(...list.map(side => Number(side.row[1])), 1));
	const with_source = at("source").getAttribute("aria-pressed") === "true", seen = new Set(), rows = [];
	let now = "";

	for (const pair of match_code(...sides)) {
		const line = (pair[1] || pair[0]).line, name = line ? name_of_line(line) : "";

		if (name && name !== now && with_source)
			rows.push(both_source_row(pair, lines, !seen.has(name)));
		now = name;
		seen.add(name);
		rows.push(both_row(pair, most));
	}
	return rows;
}

function both_head()
{
	const tr = make("tr");

	for (const name of ["Executed in A", "Executed in B", "", "Address"])
		tr.append(make("th", name, "n"));
	tr.append(make("th", "Instruction"));
	return tr;
}

/* Of each side: its instructions, and whether the code is here */
function both_summary(frame)
{
	return frame.file + ": " + frame.sides.map((side, i) => {
		const code = side.code ? data.code[side.code - 1] : null;
		const own = "AB"[i] + " " + digits(side.insns) + " instructions, " + percent(side.insns, insns[i]) + " of all";

		if (!Number(side.insns))
			return "AB"[i] + " did not execute it";
		return own + (!code ? ", its code is not in this page" :
			String(code.insns) === String(side.insns) ? "" : ", " + digits(code.insns) + " of them in this code");
	}).join("; ") + ".";
}
