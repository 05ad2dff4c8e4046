// SPDX-License-Identifier: GPL-2.0-only
/* The tables of functions, loops, blocks and edges. */

/* ------------------------------------------------------------ functions */

function function_columns()
{
	const of = (f, what) => f.sides[0][what], cycles = [
		amount("Cycles", f => f.cycles),
		{ name: "IPC", n: true, key: f => Number(f.cycles) ? Number(f.timed) / Number(f.cycles) : 0,
		  text: f => ratio(f.timed, f.cycles) },
	];
	const calls = [part("With callees", f => of(f, "total"), insns[0])];

	return [
		part("Overhead", f => of(f, "insns"), insns[0]),
		...(has_calls ? calls : []),
		words("Function", f => f.name, "name"),
		words("Object", f => f.file, "short"),
		amount("Instructions", f => of(f, "insns")),
		...(has_calls ? [amount("Calls", f => of(f, "calls"))] : []),
		...(has_cycles ? cycles : []),
	];
}

/* How much more or less of all instructions is in B, or how many more */
function change_columns()
{
	const own = f => f.sides.map(side => Number(side.insns));
	const more = f => own(f)[1] / (insns[1] || 1) - own(f)[0] / (insns[0] || 1);
	const coloured = (text, n) => make("span", text, n > 0 ? "up" : n < 0 ? "down" : "");
	const share = (f, side) => own(f)[side] / (insns[side] || 1);

	return [
		{ name: "Change of share", n: true, key: f => Math.abs(more(f)),
		  node: f => coloured(signed_share(100 * more(f)) + "%", more(f)), title: "of the instructions of B, less that of A" },
		words("Function", f => f.name, "name"),
		words("Object", f => f.file, "short"),
		{ name: "A", n: true, key: f => share(f, 0), text: f => percent(own(f)[0], insns[0]) },
		{ name: "B", n: true, key: f => share(f, 1), text: f => percent(own(f)[1], insns[1]) },
		amount("Instructions of A", f => own(f)[0]),
		amount("Instructions of B", f => own(f)[1]),
		{ name: "Change", n: true, key: f => own(f)[1] - own(f)[0],
		  node: f => coloured(signed(own(f)[1] - own(f)[0]), own(f)[1] - own(f)[0]) },
	];
}

function list_functions()
{
	add_table("functions", {
		columns: is_diff ? change_columns() : function_columns(), list: functions, name: f => f.name,
		pick: pick_function,
	});
	if (Number(data.cut[0]))
		at("functions").append(make("p", "Left out: " + digits(data.cut[0]) + " functions of at most " +
			percent(data.cut[1], insns[0]) + " each, " + percent(data.cut[2], insns[0]) +
			" of instructions in all.", "note"));
}

/* ------------------------------------------------------------ places */

/* A place: a link to its code, if that is in the page. */
function link(place)
{
	const frame = place && home_of(place[2], place[3]);
	const node = make(frame ? "a" : "span", where(place));

	if (frame) {
		node.href = "#pane";
		node.addEventListener("click", e => {
			e.preventDefault();
			show_insn(frame, place[3]);
		});
	}
	return node;
}

const place = (name, i) => ({ name, key: row => where(row[i]), node: row => link(row[i]), class: "name" });
const object = words("Object", row => data.dsos[row[0][2]], "short");
const source = {
	name: "Source", key: row => texts[row[1]] + ":" + String(row[2]).padStart(9),
	text: row => row[2] ? texts[row[1]] + ":" + row[2] : "", class: "short",
};

/* How often a loop went round each time: as visits have it that were seen whole, if there are some. */
const whole = loop => data.rounds && Number(loop[6]) > 0;
const if_whole = key => loop => whole(loop) ? key(loop) : -1;
const mean = loop => whole(loop) ? [loop[7], loop[6]] : [loop[5], loop[4]];

const tables = {
	loops: () => [
		part("Overhead", l => l[3], insns[0]), place("Header", 0), object, source,
		amount("Entries", l => l[4]), amount("Trips", l => l[5]), amount("Min", if_whole(l => l[8])),
		{ name: "Mean", n: true, key: l => mean(l)[0] / mean(l)[1], text: l => ratio(...mean(l)) },
		amount("Max", if_whole(l => l[9])), amount("Cut", l => data.rounds ? l[10] : -1),
		amount("Depth", l => l[11]), amount("Instructions", l => l[3]),
	],
	blocks: () => [
		part("Overhead", b => b[3], insns[0]), place("Block", 0), object, source,
		amount("Executed", b => b[4]), amount("Length", b => b[5]),
		{ name: "Taken", n: true, key: b => b.length > 6 ? b[6] / b[4] : -1,
		  text: b => b.length > 6 ? percent(b[6], b[4]) : "-" },
	],
	edges: () => [
		part("Overhead", e => e[3], data.taken), amount("Taken", e => e[3]), words("Kind", e => e[2], "short"),
		place("From", 0), place("To", 1), object,
	],
};

/* Adds the tabs of what is there; a table is made when it is first looked at. */
function add_lists()
{
	add_tab("functions", functions.length, list_functions);
	for (const [id, columns] of Object.entries(tables))
		if (data[id] && data[id].length)
			add_tab(id, data[id].length, () => add_table(id, {
				columns: columns(), list: data[id], name: row => where(row[0]),
			}));
}
