#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
#
# truth_diff.py paths LOG LOG: of two truth logs (Documentation/format/truth-log.rst) of one static A64 program, where
# the paths of each pair of threads part: "after N branches and N instructions", a line for each pair that
# does part, in the order of threads.  N branches: stretches of code that follow each other.
#
# truth_diff.py counts LOG PROGRAM LOG PROGRAM: instructions of each function that ran more often in the second,
# or less: "CHANGE INSTRUCTIONS NAME", sorted; of several names of a function the first.

import sys

from truth_calls import Symbols, executed


def stretches(items):
    start = end = None
    for item in items:
        if item[0] == "exception":
            continue
        pc, words = item
        if pc != end:
            if end is not None:
                yield start, end
            start = pc
        end = pc + 4 * len(words)
    if end is not None:
        yield start, end


def paths(one, other):
    a, b = executed(one), executed(other)
    for x, y in zip(sorted(a), sorted(b)):
        x, y = list(stretches(a[x])), list(stretches(b[y]))
        n = 0
        while n < min(len(x), len(y)) and x[n] == y[n]:
            n += 1
        if n < max(len(x), len(y)):
            print("after %d branches and %d instructions" % (n, sum(e - s for s, e in x[:n]) // 4))


def count(log, program):
    symbols, counts = Symbols(program), {}
    for items in executed(log).values():
        for item in items:
            if item[0] == "exception":
                continue
            pc, words = item
            for i in range(len(words)):
                at = symbols.at(pc + 4 * i)
                name = min(symbols.names[at]) if at is not None else "[unknown]"
                counts[name] = counts.get(name, 0) + 1
    return counts


def counts(one, program, other, other_program):
    a, b = count(one, program), count(other, other_program)
    for name in sorted(set(a) | set(b)):
        change = b.get(name, 0) - a.get(name, 0)
        if change:
            print("%+d %d %s" % (change, b.get(name, 0), name))


{"paths": paths, "counts": counts}[sys.argv[1]](*sys.argv[2:])
