#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
#
# page_data.py functions|calls|shares|loops|blocks|edges|changes < PAGE: of a page of csflow report --html, without a
# browser: functions: each with its instructions, as csflow report prints a line; calls: what is
# wrong with the tree of calls, if anything is; shares: instructions by thread, and by CPU; loops,
# blocks, edges: rows of numbers and places, as csflow report has them, blanks between them; changes:
# of a page of csflow diff, functions that changed: instructions of B, change, file, name.  Fails if
# the page is not whole, or asks for something that is not in it.

import collections
import json
import re
import sys

# Links that lead out of a page; the name of a language is not one.
OUT = re.compile(rb"""https?://(?!www\.w3\.org/2000/svg")|\ssrc=|<link|@import|\burl\(|\bimport\(|fetch\(""")


def name(data, frame):
    return data["texts"][data["frames"][frame - 1][0]] if frame else "[left out]"


def functions(data):
    for row in data["frames"][:data["n_functions"]]:
        print("x", row[5], "[.]", data["texts"][row[0]])


def calls(data):
    tree, path, sums = data["tree"], [], []
    for i, depth in enumerate(tree["depth"]):
        if depth > len(path) or (depth == 0) != (i == 0):
            print("node %d is at a depth that no caller has" % i)
        del path[depth:]
        path.append(i)
        sums.append(0)
        for above in path:
            sums[above] += int(tree["self0"][i])
    if sums[0] != int(data["totals"][0]):
        print("all calls have %s, and all functions %s" % (sums[0], data["totals"][0]))
    # callees with most first, and no function twice under one caller
    seen = set()
    path = []
    for i, depth in enumerate(tree["depth"]):
        del path[depth:]
        path.append(tree["frame"][i])
        if tuple(path) in seen:
            print("%s is there twice" % [name(data, f) for f in path])
        seen.add(tuple(path))


def shares(data):
    node, by = 0, collections.Counter()
    entries = data["shares"]["entries"]
    self_of = [0] * 2 * len(data["tree"]["self0"])
    for i in range(0, len(entries), 5):
        node += entries[i]
        thread, cpu, _, insns = entries[i + 1:i + 5]
        self_of[node] += int(insns)
        by["tid", data["shares"]["threads"][thread][2]] += int(insns)
        by["cpu", data["shares"]["cpus"][cpu]] += int(insns)
    rest = 0
    for i, own in enumerate(data["tree"]["self0"]):
        rest += int(own) - self_of[i]
        if self_of[i] > int(own):
            print("shares of nodes do not add up")
    if rest != sum(self_of[len(data["tree"]["self0"]):]):
        print("shares of nodes that are left out do not add up")
    for (what, number), insns in sorted(by.items()):
        print(what, number, insns)


def where(data, place):
    frame, offset, _, addr = place
    if not frame:
        return "0x" + addr
    return name(data, frame) + ("+0x%x" % int(offset) if int(offset) else "")


def line(data, text, number):
    return "%s:%d" % (data["texts"][text] or "??", number)


def mean(sum_, n):
    # rounded as there
    return "%d.%02d" % divmod((int(sum_) * 100 + int(n) // 2) // int(n), 100)


def loops(data):
    for at, text, number, insns, entries, trips, whole, rounds, least, most, cut, depth in data["loops"]:
        seen = data["rounds"] and whole
        print(insns, entries, trips, least if seen else "-",
              mean(rounds, whole) if seen else mean(trips, entries), most if seen else "-",
              cut if data["rounds"] else "-", depth, where(data, at), line(data, text, number))


def blocks(data):
    for at, text, number, insns, ran, n, *taken in data["blocks"]:
        print(ran, n, where(data, at), line(data, text, number))


def edges(data):
    for at, to, kind, taken in data["edges"]:
        print(taken, kind, where(data, at), where(data, to) if to else "[unknown]")


def changes(data):
    for row in data["frames"][:data["n_functions"]]:
        a, b = int(row[5]), int(row[9])
        if a != b:
            print(b, "%+d" % (b - a), data["texts"][row[1]], data["texts"][row[0]])


def main(what):
    page = sys.stdin.buffer.read()
    match = re.search(rb'<script type="application/json" id="data">\n(.*?)</script>', page, re.DOTALL)
    rest = page[:match.start()] + page[match.end():]
    found = OUT.search(rest)
    if found or not rest.endswith(b"</html>\n") or b"@DATA@" in page:
        sys.exit("page_data.py: %r" % (found or rest[-20:],))
    {"functions": functions, "calls": calls, "shares": shares, "loops": loops, "blocks": blocks,
     "edges": edges, "changes": changes}[what](json.loads(match[1].decode()))


main(sys.argv[1])
