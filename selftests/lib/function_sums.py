#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
#
# function_sums.py SYMBOLS tid|cpu|none < TIMES: instructions of each function, from the lines that
# truth_count.py LOG who prints.  SYMBOLS: the output of nm -S for a program that is not relocated.
#
# function_sums.py SYMBOLS cycles < DUMP: cycles of each function, of what csflow dump prints of one
# stream: those between two counts are shared by the instructions between them.
#
# function_sums.py SYMBOLS times < DUMP: the same of each instruction: address, how often, cycles.
#
# function_sums.py SYMBOLS report KEYS COLUMN < TEXT: the same of what csflow report prints: KEYS
# numbers stand before the symbol, and the sum in that column.
#
# A line each: thread or CPU if asked for, function, number; sorted.  Functions of one address or of
# one name are one here, for a text has but names.

import bisect
import re
import sys


class Symbols:
    def __init__(self, path):
        self.ends, self.names, self.same = {}, {}, {}
        open_ends = []
        with open(path) as f:
            for line in f:
                words = line.split()
                if words[-2] not in "tTwWi":
                    continue
                start = int(words[0], 16)
                self.join(words[-1], self.names.setdefault(start, words[-1]))
                if len(words) == 4:
                    self.ends[start] = max(self.ends.get(start, 0), start + int(words[1], 16))
                else:
                    open_ends.append(start)
        self.starts = sorted(self.names)
        for start in open_ends:
            i = self.starts.index(start)
            self.ends.setdefault(start, (self.starts + [start + 4096])[i + 1])

    def first(self, name):
        while self.same.get(name, name) != name:
            name = self.same[name]
        return name

    def join(self, a, b):
        a, b = sorted((self.first(a), self.first(b)))
        self.same[b] = a

    def at(self, addr):
        i = bisect.bisect_right(self.starts, addr) - 1
        if i < 0 or addr >= self.ends[self.starts[i]]:
            return "[unknown]"
        return self.first(self.names[self.starts[i]])


def add(sums, key, n):
    sums[key] = sums.get(key, 0) + n


def share(insns, cycles):
    """Of each instruction: its address and its cycles."""
    given = 0
    for i, addr in enumerate(insns):
        part = cycles * (i + 1) // len(insns) - given
        given += part
        yield addr, part


def counted():
    """The same, for all counts of the dump."""
    insns, unknown = [], False
    for line in sys.stdin:
        match = re.search(r" range 0x([0-9a-f]+)-0x([0-9a-f]+) ", line)
        if match:
            insns += range(int(match[1], 16), int(match[2], 16), 4)
        elif re.search(r" cc\d unknown", line):
            unknown = True
        elif re.match(r" +cycles ", line):
            if insns and not unknown:
                yield from share(insns, int(line.split()[1]))
            insns, unknown = [], False
        elif re.match(r" +trace on", line):
            insns = []


def cycles(symbols, sums):
    for addr, part in counted():
        add(sums, (symbols.at(addr),), part)


def at_addresses():
    times = {}
    for addr, part in counted():
        n, sum_of = times.get(addr, (0, 0))
        times[addr] = n + 1, sum_of + part
    for addr, (n, sum_of) in sorted(times.items()):
        print("%x %d %d" % (addr, n, sum_of))


def times(symbols, sums, by):
    for line in sys.stdin:
        tid, cpu, addr, n = line.split()
        key = (symbols.at(int(addr, 16)),)
        if by != "none":
            key = (int(tid if by == "tid" else cpu),) + key
        add(sums, key, int(n))


def report(symbols, sums, keys, column):
    for line in sys.stdin:
        match = re.search(r"\[[.k]\] (.*)$", line)
        if line.startswith("#") or not match:
            continue
        before = line[:match.start()].split()
        key = tuple(int(v) for v in before[len(before) - keys:])
        add(sums, key + (symbols.first(match[1]),), int(before[column]))


def main(path, what, keys=0, column=1):
    symbols, sums = Symbols(path), {}
    if what == "times":
        at_addresses()
    elif what == "cycles":
        cycles(symbols, sums)
    elif what == "report":
        report(symbols, sums, int(keys), int(column))
    else:
        times(symbols, sums, what)
    for key, n in sorted(sums.items()):
        if n:
            print(*key, n)


main(*sys.argv[1:])
