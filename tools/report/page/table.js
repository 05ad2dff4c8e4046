// SPDX-License-Identifier: GPL-2.0-only
/* Tables that a click on a column sorts. */
const ROWS_AT_ONCE = 250;
/* Called when the search changes */
const filters = [];

/*
 * Makes a table in the element @id.  @columns: { name, key, text or node, n: a number, share: part
 * of 1 for a bar, class }; @list: the rows; @pick(row): Enter or a click; @name(row): what the
 * search looks at.
 */
function add_table(id, { columns, list, pick, name })
{
	const box = make("div", undefined, "scroll"), table = make("table"), left = make("p", undefined, "note");
	const head = make("tr"), body = make("tbody"), more = make("button", "", "more");
	const show = { column: columns[0], down: true, n: ROWS_AT_ONCE };

	const fill = () => {
		const rows = list.filter(row => !wanted || name(row).toLowerCase().includes(wanted));

		rows.sort((a, b) => compare(show.column.key(a), show.column.key(b)) * (show.down ? -1 : 1));
		body.replaceChildren(...rows.slice(0, show.n).map(row => table_row(row, columns, pick)));
		if (body.rows[0])
			body.rows[0].tabIndex = 0;
		more.hidden = rows.length <= show.n;
		more.textContent = "Show all " + digits(rows.length);
		left.textContent = wanted ? digits(rows.length) + " of " + digits(list.length) + " match" : "";
		for (const th of head.cells)
			th.setAttribute("aria-sort", th.column !== show.column ? "none" : show.down ? "descending" : "ascending");
	};

	for (const column of columns)
		head.append(table_head(column, () => {
			show.down = show.column === column ? !show.down : Boolean(column.n);
			show.column = column;
			fill();
		}));
	more.type = "button";
	more.addEventListener("click", () => { show.n = Infinity; fill(); });
	table.append(make("thead"), body);
	table.tHead.append(head);
	table.addEventListener("keydown", row_key);
	box.append(table, more);
	at(id).append(box, left);
	filters.push(fill);
	fill();
}

const compare = (a, b) => a < b ? -1 : a > b ? 1 : 0;

function table_head(column, sort)
{
	const th = make("th", column.name, (column.n ? "n " : "") + (column.class || ""));

	th.column = column;
	th.tabIndex = 0;
	th.scope = "col";
	if (column.title)
		th.title = column.title;
	th.addEventListener("click", sort);
	th.addEventListener("keydown", e => {
		if (e.key !== "Enter" && e.key !== " ")
			return;
		e.preventDefault();
		sort();
	});
	return th;
}

function table_row(row, columns, pick)
{
	const tr = make("tr");

	for (const column of columns) {
		const td = make("td", column.text ? column.text(row) : undefined,
			(column.n ? "n " : "") + (column.class || ""));

		if (column.node)
			td.append(column.node(row));
		if (column.share) {
			td.classList.add("share");
			td.style.setProperty("--part", (100 * column.share(row)).toFixed(2) + "%");
		}
		if (column.class === "short")
			td.title = td.textContent;
		tr.append(td);
	}
	tr.tabIndex = -1;
	tr.row = row;
	if (pick) {
		tr.classList.add("has");
		tr.addEventListener("click", () => pick(row));
		tr.addEventListener("keydown", e => {
			if (e.key === "Enter" && e.target === tr)
				pick(row);
		});
	}
	return tr;
}

/* Arrows lead from row to row. */
function row_key(e)
{
	const tr = e.target.closest("tbody tr");
	const to = tr && { ArrowDown: tr.nextElementSibling, ArrowUp: tr.previousElementSibling }[e.key];

	if (!to)
		return;
	e.preventDefault();
	to.focus();
}

/* ------------------------------------------------------------ columns */

const amount = (name, key) => ({
	name, n: true, key: row => Number(key(row)), text: row => Number(key(row)) < 0 ? "-" : digits(key(row)),
});
const part = (name, key, all) => ({
	name, n: true, key: row => Number(key(row)), text: row => Number(key(row)) < 0 ? "-" : percent(key(row), all),
	share: row => Number(all) ? Math.max(0, Number(key(row))) / Number(all) : 0,
});
const words = (name, key, style) => ({ name, key, text: key, class: style });
