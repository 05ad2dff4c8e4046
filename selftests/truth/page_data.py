#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
#
# page_data.py functions|calls|loops|blocks|edges < PAGE: of a page of csflow report --html, without a browser:
# functions: each with its instructions, as csflow report prints a line; calls: what is wrong with
# the tree of calls, if anything is; loops, blocks, edges: rows of numbers and places, as csflow report
# has them, blanks between them.  Fails if the page is not whole, or asks for something that is
# not in it.

import json
import re
import sys

# Links that lead out of a page; the name of a language is not one.
OUT = re.compile(rb"""https?://(?!www\.w3\.org/2000/svg")|\ssrc=|<link|@import|\burl\(""")


def functions(data):
    for row in data["functions"]:
        print("x", row[2], "[.]", row[0])


def calls(data):
    tree, total = data["tree"], int(data["totals"][0])
    below = [int(node[2]) for node in tree]
    for i in range(len(tree) - 1, 0, -1):
        if tree[i][0] >= i:
            print("node %d is before its parent" % i)
        below[tree[i][0]] += below[i]
    for i, node in enumerate(tree):
        if below[i] != int(node[3]) and not data["more_nodes"]:
            print("%s has %s, and with what it calls %d" % (node[1], node[3], below[i]))
    if int(tree[0][3]) != total:
        print("all calls have %s, and all functions %d" % (tree[0][3], total))


def where(place):
    name, offset, _, addr = place
    return "0x" + addr if not name else name + "+0x%x" % offset if offset else name


def line(name, number):
    return "%s:%d" % (name or "??", number)


def mean(sum_, n):
    # rounded as there
    return "%d.%02d" % divmod((int(sum_) * 100 + int(n) // 2) // int(n), 100)


def loops(data):
    for at, name, number, insns, entries, trips, whole, rounds, least, most, cut, depth in data["loops"]:
        seen = data["rounds"] and whole
        print(insns, entries, trips, least if seen else "-",
              mean(rounds, whole) if seen else mean(trips, entries), most if seen else "-",
              cut if data["rounds"] else "-", depth, where(at), line(name, number))


def blocks(data):
    for at, name, number, insns, ran, n, *taken in data["blocks"]:
        print(ran, n, where(at), line(name, number))


def edges(data):
    for at, to, kind, taken in data["edges"]:
        print(taken, kind, where(at), where(to) if to else "[unknown]")


def main(what):
    page = sys.stdin.buffer.read()
    match = re.search(rb'<script type="application/json" id="data">\n(.*?)</script>', page, re.DOTALL)
    rest = page[:match.start()] + page[match.end():]
    found = OUT.search(rest)
    if found or not rest.endswith(b"</html>\n") or b"@DATA@" in page:
        sys.exit("page_data.py: %r" % (found or rest[-20:],))
    {"functions": functions, "calls": calls, "loops": loops, "blocks": blocks,
     "edges": edges}[what](json.loads(match[1].decode()))


main(sys.argv[1])
