#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
#
# page_visit.py PAGE PICTURES FOLDER WHAT...: opens a page of csflow in Chromium, and does there what
# a person does.  A line for each thing that is tested: "ok: NAME", or "not ok: NAME: what is there".

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from browser import Browser  # noqa: E402

# Finds boxes of the graph by the beginning of their label.
HELP = """
var all_boxes = () => [...document.querySelectorAll("#flame g")];
var label = g => g.getAttribute("aria-label");
var box_of = name => all_boxes().find(g => label(g).startsWith(name));
/* Where a thread moves to another CPU between two timestamps, the order of its trace is a guess: then the graph may have
   main() elsewhere, too. */
var box_of_main = () => all_boxes().find(g => label(g).startsWith("main") && g.node.parent.frame.name === "__libc_start_call_main");
var rows = id => [...at(id).querySelectorAll("tbody tr")];
var column = (id, name) => { const i = [...at(id).querySelectorAll("thead th")].findIndex(th => th.textContent === name);
	return rows(id).map(r => r.cells[i].textContent); };
var number = text => Number(text.replace(/[,%+]/g, ""));
var sorted = (list, sign) => list.every((n, i) => !i || sign * (list[i - 1] - n) >= 0);
var type = (id, text) => { at(id).value = text; at(id).dispatchEvent(new Event("input")); };
var pick_option = (id, value) => { at(id).value = value; at(id).dispatchEvent(new Event("change")); };
var width_of_page = () => document.documentElement.scrollWidth;
/* Relative luminance of a colour over the colours before it */
var luminance = colours => {
	const c = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
	for (const colour of colours) {
		c.fillStyle = colour;
		c.fillRect(0, 0, 1, 1);
	}
	return [...c.getImageData(0, 0, 1, 1).data].slice(0, 3).map(v => v / 255)
		.map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
		.reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
};
var contrast = node => {
	const back = [];
	for (let n = node; n; n = n.parentElement)
		back.unshift(getComputedStyle(n).backgroundColor);
	const [a, b] = [luminance([...back, getComputedStyle(node).color]), luminance(back)];
	return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
};
"""


class Visit:
    def __init__(self, browser, url, pictures):
        self.browser, self.url, self.pictures = browser, url, pictures

    def say(self, name, right, *there):
        print("%s: %s%s" % ("ok" if right else "not ok", name, "" if right else ": " + " ".join(map(repr, there))))

    def get(self, script):
        return self.browser.run(script)

    def same(self, name, script, expected):
        value = self.get(script)
        self.say(name, value == expected, value)

    def open(self):
        seconds = self.browser.open(self.url)
        self.browser.run(HELP)
        return seconds

    def picture(self, name):
        self.browser.picture("%s-%s.png" % (self.pictures, name))

    # ------------------------------------------------------------ sizes

    def look(self, width=1280, height=900, dark=False):
        name = "%d px%s" % (width, ", dark" if dark else "")
        self.browser.size(width, height, dark)
        self.open()
        self.picture("%d%s" % (width, "-dark" if dark else ""))
        self.same("%s: nothing is wider than the window" % name, "width_of_page() <= innerWidth", True)
        low = self.get("""[...document.querySelectorAll("h1, dt, dd, button:not(:disabled), select, td, th, .note, #what, #files")]
            .filter(n => n.offsetParent && contrast(n) < 4.5).map(n => n.id || n.textContent).slice(0, 5)""")
        self.say("%s: texts stand out from what is behind them" % name, low == [], low)
        self.controls(name)
        nameless = self.get("""[...document.querySelectorAll("button, select, input, [tabindex]")].filter(n =>
            !(!n.matches("select, input") && n.textContent.trim() || n.getAttribute("aria-label") || n.labels && n.labels.length)).map(n => n.outerHTML)""")
        self.say("%s: every control has a name" % name, nameless == [], nameless)
        self.get('open_tab("functions")')
        self.picture("%d%s-functions" % (width, "-dark" if dark else ""))
        lines = self.get("""[...document.querySelectorAll("#functions td.short")].map(td => { const range = document.createRange();
            range.selectNodeContents(td); return new Set([...range.getClientRects()].map(r => r.top)).size; })""")
        self.say("%s: names of objects do not wrap" % name, len(lines) > 3 and max(lines) == 1, lines)
        self.same("%s: nothing is wider than the window, in the table" % name, "width_of_page() <= innerWidth", True)
        self.get('open_tab(panels[0].id)')

    def controls(self, name):
        cut = self.get("[...document.querySelectorAll('button, select, input')].filter(n => n.offsetParent && "
                       "n.getBoundingClientRect().right > innerWidth).map(n => n.id)")
        self.say("%s: every control is in the window" % name, cut == [], cut)

    def phone(self):
        self.browser.size(390, 844)
        self.open()
        self.controls("390 px")
        self.browser.size(1280, 900)
        self.open()

    def sizes(self):
        for width, height in ((390, 844), (1280, 900), (1920, 1080)):
            for dark in (False, True):
                self.look(width, height, dark)
        self.browser.size(1280, 900)
        self.open()

    # ------------------------------------------------------------ the graph

    def graph(self):
        b = self.browser
        total = self.get("number(document.querySelector('#totals dd').textContent)")
        self.same("the graph has all instructions", "label(all_boxes()[0])", "all: {:,} instructions, 100.00% of all; itself 0".format(total))
        before = self.get("all_boxes().length")
        self.same("a click zooms", "box_of('__libc_start_call_main').dispatchEvent(new MouseEvent('click')), "
                  "Number(box_of('__libc_start_call_main').querySelector('rect').getAttribute('width')) === at('stage').clientWidth", True)
        self.same("and shows the code", "at('name').textContent", "__libc_start_call_main")
        self.same("which is there", "rows('code').length > 5", True)
        self.same("the boxes are those below and above it", """all_boxes().length > 3 && boxes(1000).every(([node]) => {
            const above = (a, b) => b && (a === b || above(a, b.parent)); return above(node, root) || above(root, node); })""", True)
        self.get("box_of_main().dispatchEvent(new MouseEvent('click'))")
        self.get("at('back').click()")
        self.same("back", "root.frame.name", "__libc_start_call_main")
        self.get("at('whole').click()")
        self.same("whole", "[root.parent, all_boxes().length, at('whole').disabled]", [None, before, True])
        self.get("box_of_main().focus()")
        b.press("Enter")
        self.same("Enter zooms", "root.frame.name", "main")
        b.press("ArrowUp")
        self.same("up leads to the caller", "document.activeElement.getAttribute('aria-label').split(' ')[0]", "__libc_start_call_main")
        b.press("ArrowDown")
        self.same("down to the callee", "document.activeElement.getAttribute('aria-label').split(' ')[0]", "main")
        b.press("ArrowDown")
        first = self.get("label(document.activeElement)")
        b.press("ArrowRight")
        second = self.get("label(document.activeElement)")
        b.press("ArrowLeft")
        self.say("right and left to others of the same caller", first != second and self.get("label(document.activeElement)") == first,
                 first, second)
        b.press("u")
        self.same("upside down: callees are above", """[at('flip').getAttribute('aria-pressed'),
            Number(box_of_main().querySelector('rect').getAttribute('y')) > Number(root.children[0].g.querySelector('rect').getAttribute('y'))]""",
                  ["true", True])
        self.picture("flame")
        b.press("u")
        b.press("Escape")
        self.same("Escape: whole", "[root.parent, all_boxes().length]", [None, before])
        b.press("Backspace")
        self.same("Backspace: back", "root.frame.name", "main")
        b.press("Escape")
        # callers: all ways to a function have what it has
        self.get("show_of('callers', functions.find(f => f.name === '__pthread_mutex_lock'))")
        self.same("callers of a function", """[at('mode').value, view.frame.name, view.children.length > 0,
            view.children.reduce((s, c) => s + c.total[0], 0) === view.total[0], view.total[0] === Number(view.frame.sides[0].total)]""",
                  ["callers", "__pthread_mutex_lock", True, True, True])
        self.picture("callers")
        b.press("Escape")
        self.get("box_of('start_thread').focus()")
        b.press("e")
        self.same("callees of a function", "[view.frame.name, view.total[0] === Number(view.frame.sides[0].total), "
                  "view.self[0] + view.children.reduce((s, c) => s + c.total[0], 0) === view.total[0]]", ["start_thread", True, True])
        b.press("Escape")

    def search(self):
        b = self.browser
        b.press("/")
        self.same("/ leads to the search", "document.activeElement.id", "search")
        for key in "start":
            b.press(key)
        self.same("functions are marked", "all_boxes().filter(g => g.classList.contains('found')).every(g => label(g).includes('start')) && "
                  "document.querySelectorAll('#flame .found').length >= 2 && at('flame').classList.contains('seeks')", True)
        share = self.get("(() => { const in_one = n => n && (matches(n.frame) || in_one(n.parent)); let sum = 0; const go = n => { "
                         "if (matches(n.frame) && !in_one(n.parent)) sum += n.total[0]; n.children.forEach(go); }; go(view); "
                         "return (100 * sum / insns[0]).toFixed(2) + '% of all'; })()")
        self.same("and added up", "at('found').textContent", share)
        b.press("Enter")
        self.same("Enter leads to one", "document.activeElement.classList.contains('found')", True)
        self.picture("search")
        self.get("open_tab('functions')")
        self.same("the table has those only", "rows('functions').length > 1 && rows('functions').every(r => r.row.name.includes('start'))", True)
        self.get("open_tab('calls')")
        b.press("/")
        b.press("Escape")
        self.same("Escape ends it", "[at('search').value, document.querySelectorAll('#flame .found').length, document.activeElement.id]",
                  ["", 0, ""])

    # ------------------------------------------------------------ threads, CPUs, time

    def choose(self):
        for what in ("thread", "cpu"):
            values = self.get("[...at('%s').options].slice(1).map(o => o.value)" % what)
            self.say("several of %s" % what, len(values) > 1, values)
            sums = [self.get("pick_option('%s', '%s'), view.total[0]" % (what, v)) for v in values]
            self.get("pick_option('%s', '-1')" % what)
            self.same("the graphs of each %s add up" % what, "view.total[0] === %d" % sum(sums), True)
            self.say("none of them has all", max(sums) < sum(sums), sums)
        self.get("pick_option('thread', '1')")
        self.same("one thread", "[all_boxes().length > 3, view.total[0] < insns[0], at('span').textContent.includes('of all')]", [True, True, True])
        self.get("pick_option('cpu', '1')")
        both = self.get("view.total[0]")
        self.get("pick_option('thread', '-1')")
        self.same("a thread on a CPU is less than that CPU", "view.total[0] >= %d" % both, True)
        self.get("pick_option('cpu', '-1')")

    def time(self):
        b = self.browser
        x, y, width = self.get("(() => { at('time').scrollIntoView(); const r = at('graph').getBoundingClientRect(); "
                               "return [r.left, r.top + 8, r.width]; })()")
        whole = self.get("view.total[0]")
        self.same("times are those of an emulator", "/emulator.s clock/.test(at('span').textContent)", True)
        b.mouse((x + 2, y), (x + width / 4, y), (x + width / 2 - 1, y))
        left = self.get("[choice.span, view.total[0], at('brush').hidden]")
        self.say("a span of time is chosen", left[0] and left[0][0] == 0 and 0 < left[1] < whole and not left[2], left)
        self.picture("time")
        self.get("set_span(choice.span[1] + 1, shares.bins)")
        self.same("the rest has the rest", "view.total[0] + %d === insns[0]" % left[1], True)
        self.same("it says what ran", "/most in .* \\d/.test(at('span').textContent)", True)
        self.get("set_span(3, 4), at('graph').focus()")
        b.press("ArrowRight")
        self.same("arrows move it", "choice.span", [4, 5])
        b.press("ArrowRight", modifiers=8)
        self.same("and with Shift its end", "choice.span", [4, 6])
        b.press("Escape")
        self.same("Escape: all of the time", "[choice.span, view.total[0]]", [None, whole])

    # ------------------------------------------------------------ code and tables

    def code(self):
        self.get("open_tab('functions')")
        self.get("rows('functions').find(r => r.row.name === 'main').click()")
        self.same("a click in the table shows the code", "[at('name').textContent, rows('code').length > 20]", ["main", True])
        self.same("with source", "at('code').textContent.includes('pthread_create(&thread[i]')", True)
        self.get("at('source').click()")
        self.same("without", "[document.querySelector('#code .source'), rows('code').length > 20]", [None, True])
        self.get("at('source').click()")
        # what it has in all is the sum of what stands beside its instructions
        self.same("counts of instructions add up", "[...document.querySelectorAll('#code tr:not(.source)')].slice(1)"
                  ".reduce((s, r) => s + number(r.cells[1].textContent), 0) === Number(data.code[shown.sides[0].code - 1].insns)", True)
        self.get("var inlined = (function find(n) { return n.frame.inlined ? n : n.children.map(find).find(Boolean); })(view)")
        self.same("an inlined function is marked, and its code is that of the function that it is in",
                  "pick(inlined), [inlined.g.classList.contains('inlined'), shown === code_of(inlined), shown.inlined, shown !== inlined.frame]",
                  [True, True, False, True])
        self.get("show_whole(), show_code(functions.find(f => f.name === 'main')), at('callers').click()")
        self.same("its callers", "[open_panel, at('mode').value, view.frame.name]", ["calls", "callers", "main"])
        self.browser.press("Escape")
        self.get("at('close').click()")
        self.same("closed", "at('pane').hidden", True)

    def tables(self):
        b = self.browser
        self.same("all functions", "open_tab('functions'), rows('functions').length === functions.length", True)
        self.same("the most first", "sorted(column('functions', 'Overhead').map(t => t[0] === '<' ? 0.001 : number(t)), 1)", True)
        self.get("[...document.querySelectorAll('#functions th')].find(t => t.textContent === 'Function').click()")
        self.same("by name", "column('functions', 'Function').every((n, i, all) => !i || all[i - 1] <= n)", True)
        self.get("[...document.querySelectorAll('#functions th')].find(t => t.textContent === 'Calls').focus()")
        b.press("Enter")
        self.same("by number, by key", "sorted(column('functions', 'Calls').map(t => t === '-' ? -1 : number(t)), 1)", True)
        self.get("rows('functions')[0].focus()")
        b.press("ArrowDown")
        b.press("Enter")
        self.same("arrows and Enter show code", "shown === rows('functions')[1].row", True)
        for name in ("loops", "blocks", "edges"):
            self.same(name, "open_tab('%s'), rows('%s').length === data.%s.length && data.%s.length > 3 && "
                      "document.querySelectorAll('#%s a').length > 2" % ((name,) * 5), True)
            self.picture(name)
        self.get("document.querySelector('#blocks') && open_tab('blocks'), document.querySelector('#blocks a').click()")
        self.same("a place leads to its code", "document.querySelectorAll('#code tr.now').length === 1 && "
                  "document.querySelector('#code tr.now').address === rows('blocks').find(r => r.querySelector('a')).row[0][3]", True)
        self.get("open_tab('calls')")

    def keys(self):
        b = self.browser
        b.press("2")
        self.same("a number opens a tab", "[open_panel, at('tab-functions').getAttribute('aria-selected')]", ["functions", "true"])
        self.get("at('tab-functions').focus()")
        b.press("ArrowLeft")
        self.same("arrows go through the tabs", "[open_panel, document.activeElement.id]", ["calls", "tab-calls"])
        b.press("?")
        self.same("? lists the keys", "[at('keys').open, document.querySelectorAll('#keys dt').length > 8]", [True, True])
        self.picture("keys")
        b.press("Escape")
        self.same("Escape closes the list", "at('keys').open", False)
        light = self.get("getComputedStyle(document.body).backgroundColor")
        b.press("t")
        dark = self.get("getComputedStyle(document.body).backgroundColor")
        self.say("t: light or dark", light != dark, light, dark)
        self.picture("theme")
        b.press("t")

    # ------------------------------------------------------------ two recordings

    def losses(self):
        self.open()
        self.same("what was lost of B alone", "[...document.querySelectorAll('#totals div')].slice(3).map(d => d.textContent.replace(/\\d+(,\\d+)*/g, 'N'))",
                  ["Lost of BN atoms, N bytes"])

    def compare(self):
        hue = ("(name => { const c = document.createElement('canvas').getContext('2d'); c.fillStyle = getComputedStyle(box_of(name)"
               ".querySelector('rect')).fill; c.fillRect(0, 0, 1, 1); const [r, , b] = c.getImageData(0, 0, 1, 1).data; return r - b; })")
        self.say("more is red", self.get(hue + "('fib ')") > 60, self.get(hue + "('fib ')"))
        self.say("less is blue", self.get(hue + "('__tunables_init')") < 0, self.get(hue + "('__tunables_init')"))
        self.same("shares of both are said", "/A [\\d,]+ instructions, [\\d.]+%; B [\\d,]+, [\\d.]+%; \\+[\\d.]+ % of all/.test(label(box_of('fib ')))", True)
        # as wide as in A, what is only in B is not there
        wide = "(name => Number(box_of(name).querySelector('rect').getAttribute('width')) / at('stage').clientWidth)"
        self.same("as wide as in B", "Math.abs(%s('fib ') - view.children.reduce(function find(sum, n) { return sum + "
                  "(n.frame.name === 'fib' ? n.total[1] : n.children.reduce(find, 0)); }, 0) / insns[1]) < 0.001" % wide, True)
        self.get("show_of('callers', functions.find(f => f.name === 'new'))")
        self.same("what only B has", "view.total[0] === 0 && view.total[1] > 0 && change_of(view.total) === 1", True)
        self.browser.press("Escape")
        width = self.get(wide + "('fib ')")
        self.get("pick_option('basis', '0')")
        self.say("as wide as in A", self.get(wide + "('fib ')") < width, width)
        self.get("pick_option('basis', '1')")
        # libc starts in both alike: a share changes because the total does
        start = "change_of(box_of('__libc_start_main_impl').node.total)"
        share = self.get(start)
        self.get("pick_option('scale', 'count')")
        self.say("instructions, not shares", share != self.get(start), share)
        self.get("pick_option('scale', 'share')")
        self.same("the table has what changed", """open_tab('functions'), [rows('functions')[0].row.name,
            document.querySelectorAll('#functions .up').length > 0, document.querySelectorAll('#functions .down').length > 5]""",
                  ["fib", True, True])
        self.same("the largest change first", "sorted(column('functions', 'Change of share').map(t => Math.abs(number(t.replace('\u2212', '')))), 1)",
                  True)
        self.same("shares of each add up to all", "[0, 1].map(i => functions.reduce((s, f) => s + Number(f.sides[i].insns), 0) === insns[i])",
                  [True, True])
        self.get("rows('functions').find(r => r.row.name === 'fib').click()")
        self.same("a click shows its code", "[at('name').textContent, at('pane').hidden, shown.sides.every(side => side.code)]", ["fib", False, True])
        self.same("counts of each add up", "[0, 1].map(i => [...document.querySelectorAll('#code tbody tr:not(.source)')]"
                  ".reduce((s, r) => s + number(r.cells[i].textContent), 0) === Number(shown.sides[i].insns))", [True, True])
        self.get("at('callers').click()")
        self.same("its callers", "[open_panel, at('mode').value, view.frame.name]", ["calls", "callers", "fib"])
        self.browser.press("Escape")
        self.get("box_of('fib ').dispatchEvent(new MouseEvent('click'))")
        self.same("a click on a box shows its code", "[root.frame.name, at('name').textContent]", ["fib", "fib"])
        self.get("open_tab('functions'), rows('functions').find(r => r.row.name === 'new').click()")
        self.same("code that only B has", """[at('name').textContent, /A did not execute it; B \\d/.test(at('sum').textContent),
            document.querySelectorAll('#code .up').length > 1, document.querySelectorAll('#code .down').length]""", ["new", True, True, 0])
        self.picture("code")

    # The program is in page_test.sh.  It ran its loop 3 times in A and 5 times in B, the last time with 1.
    WORK = """prog: A 11 instructions, 45.83% of all; B 21 instructions, 52.50% of all.
3|5|both.S:12  work:\tadd\tx1, x1, #1
3|5||40001c:|add x1, x1, #0x1
3|5|both.S:13  \ttbz\tx19, #0, 2f
3|5||400020:|tbz w19, #0x0, #0xc ; 0x40002c   # A: taken 33.33% \u2192 work+0xc; B: taken 40.00% \u2192 work+0x10
2||both.S:15  \teor\tx2, x2, x1
2||-|400024:|eor x2, x2, x1
|3|both.S:17  \tmul\tx2, x2, x1
|3|+|400024:|mul x2, x2, x1
|3|both.S:18  \tnop
|3|+|400028:|nop
3|5|both.S:20  2:\tret
3|5||40002c:|ret   # \u2192 _start+0x8"""

    def both(self):
        self.open()
        self.get("pick_function(functions.find(f => f.name === 'work'))")
        listing = ("[at('sum').textContent].concat([...at('code').tBodies[0].rows].map(r => [...r.cells].map(c => c.textContent).join('|')))"
                   ".join('\\n')")
        self.same("the code of both, side by side", listing, self.WORK)
        self.get("at('source').click()")
        self.same("without source", "[document.querySelector('#code .source'), rows('code').length]", [None, 6])
        self.get("shown.sides[0].code = 0, show_code(shown)")
        self.same("where one side has no code, that is said", "[/^prog: A 11 .*, its code is not in this page; B/.test(at('sum').textContent), "
                  "document.querySelectorAll('#code .up').length, rows('code').length]", [True, 5, 5])
        self.get("shown.sides[1].code = 0, shown.has_code = false, show_code(shown)")
        self.same("or neither", "[/^Its code is not in this page/.test(at('sum').textContent), rows('code').length]", [True, 0])
        # what is looked for beside pairs that are sure: all orders of few texts, against all ways to match
        self.same("as many instructions are matched as can be", """(() => {
            const most = (a, b) => !a || !b ? 0 : a[0] === b[0] ? 1 + most(a.slice(1), b.slice(1)) :
                Math.max(most(a.slice(1), b), most(a, b.slice(1)));
            const words = n => [...Array(3 ** n).keys()].map(i => i.toString(3).padStart(n, "0"));
            const list = s => [...s].map(text => ({ text }));
            const side = (pairs, i) => pairs.map(p => p[i] && p[i].text).filter(Boolean).join("");
            return words(4).every(a => words(3).every(b => { const pairs = match_code(list(a), list(b));
                return side(pairs, 0) === a && side(pairs, 1) === b && pairs.filter(p => p[0] && p[1]).length === most(a, b); })); })()""", True)

    # ------------------------------------------------------------ what is large

    def left_out(self):
        self.browser.size(1280, 900)
        self.open()
        self.same("it is said what is left out", "/^Left out: [\\d,]+ calls of at most [<\\d.]+% each, [\\d.]+% of instructions in all.$/"
                  ".test(at('left-out').textContent)", True)
        self.get("zoom((function find(n) { return n.children.some(c => !c.frame.number && c.total[0] > n.total[0] / 50) ? n : n.children.map(find).find(Boolean); })(view))")
        self.same("and its boxes are grey", "all_boxes().some(g => g.classList.contains('rest') && label(g).startsWith('[left out]'))", True)
        self.browser.press("Escape")
        self.same("totals are those of all calls", "[view.total[0] === insns[0], view.children.reduce((s, c) => s + c.total[0], 0) + view.self[0] "
                  "=== insns[0]]", [True, True])
        # 3 of each layer: each has a third of the calls
        self.same("callers of a function", "show_of('callers', functions.find(f => f.name === 'f4_1')), view.children.length", 3)
        self.browser.press("Escape")
        self.same("a span of time has what ran then", """shares.bins > 1 && (set_span(shares.bin[0], shares.bin[0]), view.total[0] > 0 &&
            view.total[0] < insns[0] && view.total[0] === shares.insns.reduce((s, n, i) => shares.bin[i] === shares.bin[0] ? s + n : s, 0))""", True)
        self.picture("part")
        self.browser.press("Escape")

    def large(self):
        self.browser.size(1280, 900)
        seconds = min(self.open() for _ in range(3))
        self.say("opens within two seconds", seconds < 2, seconds)
        self.picture("large")


def main(page, pictures, folder, *what):
    with Browser(folder) as browser:
        visit = Visit(browser, "file://" + page, pictures)
        for name in what:
            getattr(visit, name)()
        title = browser.run("document.title")
        visit.say("no image, no script, no title of others", title in ("csflow report", "csflow diff") and
                  browser.run("document.images.length + document.scripts.length + document.querySelectorAll('b, i:not(#legend i)').length") == 2,
                  title)
        visit.say("nothing in the console", browser.said == [], browser.said)


main(*sys.argv[1:])
