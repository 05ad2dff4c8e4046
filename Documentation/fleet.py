#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
fleet.py [FILE]: what counting on many machines costs; user/fleet.rst explains it.

The numbers come from FILE; the default is fleet.ini beside this program. The program plays one round
of recordings: each machine sends a count table at a random moment of the period, some tables are
lost, workers merge the others by the batch, and merge the results until one table is left. All
tables, merged ones too, have one size. A merge that fails is done again. The same FILE gives the
same output.
"""
import configparser
import heapq
import math
import os
import random
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30


class Numbers:
    """The numbers of a file, by section and name."""

    def __init__(self, path):
        self.ini = configparser.ConfigParser(inline_comment_prefixes="#")
        with open(path, encoding="utf-8") as f:
            self.ini.read_file(f)

    def __call__(self, section, name):
        return self.ini.getfloat(section, name)

    def list(self, section, name):
        """Several numbers, with blanks between them."""
        return [float(word) for word in self.ini.get(section, name).split()]


def size(n):
    """Bytes as people write them."""
    for unit, name in ((GIB << 10, "TiB"), (GIB, "GiB"), (MIB, "MiB"), (KIB, "KiB")):
        if n >= unit:
            return f"{n / unit:.3g} {name}" if n < 1000 * unit else f"{n / unit:.0f} {name}"
    return f"{n:.0f} bytes"


def span(seconds):
    """A time as people write it."""
    for unit, name in ((86400, "days"), (3600, "h"), (60, "min")):
        if seconds >= 2 * unit:
            return f"{seconds / unit:.3g} {name}"
    return f"{seconds:.3g} s"


def table(title, head, rows):
    """Prints rows below their heads, in columns."""
    rows = [head] + [[str(cell) for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in rows) for i in range(len(head))]
    print(title)
    for row in rows:
        print("  " + "  ".join([row[0].ljust(widths[0])] +
                               [cell.rjust(w) for cell, w in zip(row[1:], widths[1:])]))
    print()


# ---------------------------------------------------------------- a machine

def machine(have):
    """What an hour of one machine costs, by what is done with its trace."""
    share = have("machine", "seconds") / have("machine", "period")
    trace = have("machine", "cpus") * have("machine", "busy") * have("machine", "trace") * 3600 * share
    files = 3600 / have("machine", "period")
    ways = [("trace as it is", 0, trace),
            ("zstd -3", have("machine", "zstd"), trace * have("machine", "zstd_share")),
            ("csflow quick", have("machine", "quick"), trace * have("machine", "quick_share")),
            ("csflow profile --for=counts", have("machine", "counts"), files * have("table", "counts"))]
    rows = []
    for name, cost, out in ways:
        seconds = trace * cost / 1e9
        rows.append((name, size(trace), span(seconds),
                     f"{100 * seconds / (3600 * have('machine', 'cpus')):.4f} %", size(out)))
    table("An hour of one machine", ("done with the trace", "trace", "CPU time", "of its CPUs", "sent"), rows)


# ---------------------------------------------------------------- the merge

class Merge:
    """Workers that merge tables by the batch, level by level, until one is left."""

    def __init__(self, have):
        self.have = have
        self.chance = random.Random(1)
        self.free = [0.0] * int(have("merge", "workers"))
        self.fan = int(have("merge", "fan"))
        self.cpu = self.repeated = self.depth = 0
        if self.fan < 2:
            sys.exit("fleet.py: a merge needs a fan of 2 tables or more")

    def job(self, ready, count):
        """A job that merges so many tables, ready at that time; returns when the result is there."""
        cost = count * (self.have("merge", "file") +
                        self.have("table", "counts") * self.have("merge", "byte") / 1e9)
        while True:
            end = max(ready, heapq.heappop(self.free)) + self.have("merge", "start") + cost
            heapq.heappush(self.free, end)
            self.cpu += cost
            if self.chance.random() >= self.have("merge", "fails"):
                return end
            self.repeated += 1
            ready = end

    def level(self, ready):
        """Takes the times when the tables of a level are there, in order; returns those of the next."""
        self.depth += 1
        batches = [ready[i:i + self.fan] for i in range(0, len(ready), self.fan)]
        return sorted(self.job(batch[-1], len(batch)) for batch in batches)

    def round(self, count):
        """A round of so many machines: how many tables came, and seconds from its end to their sum."""
        period, lost = self.have("machine", "period"), self.have("machine", "lost")
        ready = sorted(self.chance.random() * period for _ in range(count) if self.chance.random() >= lost)
        arrived = len(ready)
        while len(ready) > 1:
            ready = self.level(ready)
        return arrived, ready[0] - period if ready else 0


def fleets(have):
    """The merge of one round, for each size of a fleet."""
    rows = []
    for count in have.list("merge", "machines"):
        merge = Merge(have)
        arrived, after = merge.round(int(count))
        rows.append((f"{int(count):,}", f"{arrived:,}", size(arrived * have("table", "counts")),
                     span(merge.cpu), f"{merge.cpu / have('machine', 'period'):.3g}",
                     merge.depth, merge.repeated, span(after)))
    table("The merge of one round", ("machines", "tables", "bytes", "CPU time", "CPUs", "levels",
                                     "done again", "after the round"), rows)


# ---------------------------------------------------------------- how much is enough

def enough(have):
    """What share of the code that runs has been seen after so many seconds of trace."""
    blocks = [(2.0 ** i, n) for i, n in enumerate(have.list("code", "blocks")) if n]
    seconds = have("code", "seconds")
    total = sum(n for _, n in blocks)
    runs = sum(rate * n for rate, n in blocks)
    rows = []
    for trace in have.list("code", "after"):
        unseen = [(rate, n * math.exp(-rate * trace / seconds)) for rate, n in blocks]
        rows.append((span(trace), f"{100 * (1 - sum(n for _, n in unseen) / total):.1f} %",
                     f"{100 * (1 - sum(rate * n for rate, n in unseen) / runs):.4f} %"))
    table("Code that was seen", ("recorded", "of the blocks", "of what runs"), rows)


def main():
    """All tables."""
    have = Numbers(sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "fleet.ini"))
    machine(have)
    fleets(have)
    enough(have)


if __name__ == "__main__":
    main()
