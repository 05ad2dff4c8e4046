// SPDX-License-Identifier: GPL-2.0-only
/* The pane with the code of one function; of one recording, what csflow annotate prints. */
const LINES_AT_ONCE = 1500;
/* The function whose code is shown, or null */
let shown = null;

/* In whose code an address of a file is; made when it is first asked for */
let homes = null;

/* Addresses are texts, for they may be larger than a number. */
function address_of(code, offset)
{
	return (BigInt("0x" + code.at) + BigInt(offset)).toString(16);
}

function find_homes()
{
	homes = new Map();
	for (const code of data.code) {
		let offset = 0;

		for (const row of code.rows) {
			offset += row[0];
			homes.set(code.dso + ":" + address_of(code, offset), frames[code.frame]);
		}
	}
}

function home_of(dso, address)
{
	if (!homes)
		find_homes();
	return homes.get(dso + ":" + address);
}

/* ------------------------------------------------------------ rows */

/* What a branch did: how often it was taken, and where to */
function branch(row)
{
	const [, , , , , , taken, passed, targets, more] = row;
	const parts = [];

	if (taken === undefined)
		return "";
	if (Number(passed))
		parts.push("taken " + percent(taken, Number(taken) + Number(passed)));
	if (targets.length)
		parts.push("\u2192 " + targets.map(t => where(t) +
			(targets.length > 1 || more ? " " + percent(t[2], taken) : "")).join(", ") +
			(more ? " and " + more + " more" : ""));
	return parts.length ? "   # " + parts.join(" ") : "";
}

/* Cycles and what for, if the trace has them. */
function time_cells(n, by)
{
	return has_cycles ? [make("td", Number(by) ? digits(n) : "", "n"),
			     make("td", Number(by) ? ratio(by, n) : "", "n")] : [];
}

function code_row(code, row, address, most)
{
	const tr = make("tr"), count = make("td", digits(row[1]), "n hot"), text = make("td", texts[row[2]], "text");

	count.style.setProperty("--part", (55 * Number(row[1]) / most).toFixed(1) + "%");
	text.append(make("span", branch(row), "branch"));
	tr.append(make("td", Number(row[1]) ? percent(row[1], code.insns) : "", "n"), count,
		...time_cells(row[4], row[5]), make("td", address + ":", "n"), text);
	tr.address = address;
	return tr;
}

/* What a line has all in all stands where it is first. */
function source_row(line, first)
{
	const tr = make("tr", undefined, "source"), td = make("td", texts[line[0]] + ":" + line[1] + "  " + texts[line[2]]);

	td.colSpan = 2;
	tr.append(make("td"), make("td", first ? digits(line[4]) : "", "n"),
		...time_cells(line[5], first ? line[6] : 0), td);
	return tr;
}

function code_head()
{
	const tr = make("tr");

	for (const name of ["Share", "Executed", ...(has_cycles ? ["Cycles", "IPC"] : []), "Address"])
		tr.append(make("th", name, "n"));
	tr.append(make("th", "Instruction"));
	return tr;
}

/* All rows of a function; to be shown as far as there is room. */
function rows_of(code)
{
	const most = Math.max(...code.rows.map(row => Number(row[1])), 1), seen = new Set(), rows = [];
	const with_source = at("source").getAttribute("aria-pressed") === "true";
	let offset = 0, line = -1;

	for (const row of code.rows) {
		offset += row[0];
		if (row[3] !== line && row[3] >= 0 && with_source)
			rows.push(source_row(code.lines[row[3]], !seen.has(row[3])));
		line = row[3];
		seen.add(line);
		rows.push(code_row(code, row, address_of(code, offset), most));
	}
	return rows;
}

/* ------------------------------------------------------------ the pane */

function fill_code(codes)
{
	const rows = is_diff ? both_rows(codes) : rows_of(codes[0]), more = make("button", "Show all " + digits(rows.length) + " lines", "more");
	const body = at("code").tBodies[0];

	body.replaceChildren(...rows.slice(0, LINES_AT_ONCE));
	for (const old of body.closest(".scroll").querySelectorAll(".more"))
		old.remove();
	if (rows.length <= LINES_AT_ONCE)
		return;
	more.addEventListener("click", () => { body.replaceChildren(...rows); more.remove(); });
	body.closest(".scroll").append(more);
}

function summary(frame)
{
	const side = frame.sides[last];

	if (frame.inlined)
		return "It is inlined: its code is in that of its callers.";
	if (!frame.has_code)
		return "Its code is not in this page, which has that of the functions with most instructions: csflow annotate shows it.";
	if (is_diff)
		return both_summary(frame);
	return frame.file + ": " + digits(side.insns) + " instructions, " + percent(side.insns, insns[last]) + " of all" +
		(Number(side.calls) > 0 ? "; called " + times(side.calls) : "");
}

function show_code(frame)
{
	shown = frame;
	at("pane").hidden = false;
	at("both").classList.add("with-code");
	at("name").textContent = frame.name;
	at("sum").textContent = summary(frame);
	at("code").closest(".scroll").hidden = !frame.has_code;
	at("callers").disabled = at("callees").disabled = !has_calls;
	at("code").closest(".scroll").scrollTop = 0;
	if (frame.has_code)
		fill_code(frame.sides.map(side => side.code ? data.code[side.code - 1] : null));
	else
		at("code").tBodies[0].replaceChildren();
}

/* The code around one instruction */
function show_insn(frame, address)
{
	show_code(frame);
	for (const tr of at("code").tBodies[0].rows) {
		tr.classList.toggle("now", tr.address === address);
		if (tr.address === address)
			tr.scrollIntoView({ block: "nearest" });
	}
	at("pane").scrollIntoView({ block: "nearest" });
}

function pick_function(frame)
{
	show_code(frame);
	at("pane").scrollIntoView({ block: "nearest" });
}

function hide_code()
{
	shown = null;
	at("pane").hidden = true;
	at("both").classList.remove("with-code");
}

function start_code()
{
	at("code").tHead.replaceChildren(is_diff ? both_head() : code_head());
	at("source").addEventListener("click", () => {
		at("source").setAttribute("aria-pressed", at("source").getAttribute("aria-pressed") !== "true");
		if (shown)
			show_code(shown);
	});
	at("close").addEventListener("click", hide_code);
	for (const mode of ["callers", "callees"])
		at(mode).addEventListener("click", () => show_of(mode, shown));
	if (functions.some(f => f.has_code))
		show_code(functions.find(f => f.has_code));
}
