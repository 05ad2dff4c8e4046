// SPDX-License-Identifier: GPL-2.0-only
/*
 * The graph's own trees: of everything, of the callees and of the callers of a function; for all
 * threads, CPUs and times, or some of them.
 */

/* Bins of time, and who ran in them; instructions of nodes by these. */
const shares = read_shares(data.shares);

function read_shares(from)
{
	const n = from ? from.entries.length / 5 : 0;
	const to = { n, node: new Uint32Array(n), thread: new Uint16Array(n), cpu: new Uint16Array(n),
		bin: new Uint16Array(n), insns: new Float64Array(n), bins: 0 };

	for (let i = 0, node = 0; i < n; i++) {
		const at = 5 * i;

		node += from.entries[at];
		to.node[i] = node;
		to.thread[i] = from.entries[at + 1];
		to.cpu[i] = from.entries[at + 2];
		to.bin[i] = from.entries[at + 3];
		to.insns[i] = Number(from.entries[at + 4]);
		to.bins = Math.max(to.bins, to.bin[i] + 1);
	}
	return to;
}

/*
 * What is too small to be told apart by these is the rest of a caller, whose number follows those of
 * the nodes: it becomes a node, too, of which everything together has nothing.
 */
function add_rests()
{
	const n = tree.length, rests = new Map();

	for (let i = 0; i < shares.n; i++) {
		const caller = shares.node[i] - n;

		if (caller < 0)
			continue;
		if (!rests.has(caller)) {
			rests.set(caller, tree.length);
			tree.push({ at: tree.length, frame: frames[0], parent: tree[caller], self: [0], calls: [0] });
		}
		shares.node[i] = rests.get(caller);
	}
}

add_rests();

/* The chosen thread and CPU, -1: all; the first and last chosen bin, or null */
const choice = { thread: -1, cpu: -1, span: null };
const is_part = () => choice.thread >= 0 || choice.cpu >= 0 || choice.span !== null;

function is_chosen(i)
{
	return (choice.thread < 0 || shares.thread[i] === choice.thread) &&
		(choice.cpu < 0 || shares.cpu[i] === choice.cpu) &&
		(!choice.span || (shares.bin[i] >= choice.span[0] && shares.bin[i] <= choice.span[1]));
}

/* Own instructions of each node, as far as they are chosen: a list for each node, by side. */
function chosen_self()
{
	const sum = new Float64Array(tree.length);

	if (!is_part())
		return tree.map(node => node.self);
	for (let i = 0; i < shares.n; i++)
		if (is_chosen(i))
			sum[shares.node[i]] += shares.insns[i];
	return Array.from(sum, n => [n]);
}

/* ------------------------------------------------------------ trees */

function view_node(frame, parent)
{
	const node = { frame, parent, children: [], self: [], total: [], calls: [], depth: parent ? parent.depth + 1 : 0 };

	for (let side = 0; side < data.sides; side++) {
		node.self.push(0);
		node.total.push(0);
		node.calls.push(0);
	}
	return node;
}

function add_to(sums, more)
{
	for (let side = 0; side < data.sides; side++)
		sums[side] += more[side];
}

const size_of = node => node.total.reduce((a, b) => a + b);

/* The largest callees first; those without any instruction not at all. */
function arrange(root)
{
	const todo = [root];

	while (todo.length) {
		const node = todo.pop();

		node.children = node.children.filter(size_of).sort((a, b) => size_of(b) - size_of(a));
		todo.push(...node.children);
	}
	return root;
}

/* The nodes of the data, with chosen instructions and totals; callers first. */
function chosen_nodes()
{
	const self = chosen_self(), nodes = [];

	for (const from of tree) {
		const node = view_node(from.frame, from.parent && nodes[from.parent.at]);

		node.self = self[from.at];
		node.total = node.self.slice();
		node.calls = from.calls;
		nodes.push(node);
		if (node.parent)
			node.parent.children.push(node);
	}
	for (const node of nodes.slice(1).reverse())
		add_to(node.parent.total, node.total);
	return nodes;
}

/* The outermost calls of a function: those that it does not make itself */
function outermost(nodes, frame)
{
	const inside = new Set();

	return nodes.filter(node => {
		const is = node.frame === frame, in_one = inside.has(node.parent);

		if (is || in_one)
			inside.add(node);
		return is && !in_one;
	});
}

function child_of(node, frame)
{
	let child = node.by_frame && node.by_frame.get(frame);

	if (!child) {
		child = view_node(frame, node);
		node.children.push(child);
		node.by_frame = (node.by_frame || new Map()).set(frame, child);
	}
	return child;
}

/* Under each function those that called it; width is what @frame executed for them. */
function callers_view(nodes, frame)
{
	const root = view_node(frame, null);

	for (const node of outermost(nodes, frame)) {
		let to = root;

		add_to(root.total, node.total);
		add_to(root.self, node.self);
		add_to(root.calls, node.calls);
		for (let caller = node.parent; caller && caller.parent; caller = caller.parent) {
			to = child_of(to, caller.frame);
			add_to(to.total, node.total);
			add_to(to.self, node.self);
		}
	}
	return root;
}

function merge(to, from)
{
	add_to(to.self, from.self);
	add_to(to.total, from.total);
	add_to(to.calls, from.calls);
	for (const child of from.children)
		merge(child_of(to, child.frame), child);
}

function callees_view(nodes, frame)
{
	const root = view_node(frame, null);

	for (const node of outermost(nodes, frame))
		merge(root, node);
	return root;
}

/* @mode: as of the select; @frame: whose callers or callees */
function make_view(mode, frame)
{
	const nodes = chosen_nodes();

	if (mode === "callers")
		return arrange(callers_view(nodes, frame));
	if (mode === "callees")
		return arrange(callees_view(nodes, frame));
	return arrange(nodes[0]);
}
