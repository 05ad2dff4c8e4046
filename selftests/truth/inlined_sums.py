#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
#
# inlined_sums.py TIMES < FRAMES: instructions of each function, inlined ones apart.  TIMES: address,
# and how often, of each instruction; FRAMES: what llvm-symbolizer --inlines prints for these.
#
# inlined_sums.py table|tree|folded < TEXT: the same of what csflow report prints, or of stacks.
#
# A line each: the number and the name, sorted.  All that is not inlined is one function, because
# code of libraries has several names.  Names of C++ are printed in different ways: of each only the
# last part counts, without parameters.

import collections
import re
import sys

sums = collections.Counter()


def plain(name):
    """The name without groups in brackets, up to an operator."""
    name = re.sub(r"\boperator\b.*", "operator", name.removesuffix(" const"))
    before = None
    while name != before:
        before, name = name, re.sub(r"\([^()<>]*\)|<[^()<>]*>", "", name)
    return re.split(r"[ :]", name.strip())[-1]


def add(name, inlined, n):
    sums[plain(name) if inlined else "not inlined"] += n


def frames():
    with open(sys.argv[1], encoding="ascii") as f:
        times = [int(line.split()[-1]) for line in f]
    groups = sys.stdin.read().split("\n\n")
    for n, group in zip(times, groups):
        lines = group.splitlines()
        add(lines[0], len(lines) > 2, n)


def text(column, first):
    for line in sys.stdin:
        if not line.startswith(" "):
            continue
        words = line.split()
        name = re.sub(r"^\[[.k]\] ", "", " ".join(words[first:]))
        bare = re.sub(r" \(inlined\)$", "", name)
        add(bare, bare != name, int(words[column]))


def stacks():
    for line in sys.stdin:
        stack, n = line.rsplit(" ", 1)
        name = stack.split(";")[-1]
        bare = name.removesuffix(" (inlined)")
        add(bare, bare != name, int(n))


if sys.argv[1] == "folded":
    stacks()
elif sys.argv[1] == "table":
    text(1, 2)
elif sys.argv[1] == "tree":
    text(2, 4)
else:
    frames()
for name in sorted(sums):
    if sums[name]:
        print(sums[name], name)
