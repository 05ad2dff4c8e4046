#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
#
# truth_loops.py LOG PROGRAM REPORT: does the text REPORT, of csflow report --show=loops
# --percent-limit=0, have the loops that the truth log LOG (Documentation/format/truth-log.rst) of the static
# A64 PROGRAM has, and did they go round as often: least, most and on average of an entry?
#
# This shares nothing with csflow's way: here each instruction is a node of its function's graph,
# the edges are read off the log, and then the log is walked once more, with a stack of calls.

import re
import sys

from truth_calls import Symbols, executed


def is_call(word):
    return word >> 26 == 0b100101 or word & 0xfffffc1f == 0xd63f0000


def is_return(word):
    return word & 0xfffffc1f == 0xd65f0000


def is_branch(word):
    """Of any kind."""
    return (word >> 26 & 0b11111 == 0b00101 or word >> 25 & 0b111111 == 0b011010 or
            word >> 25 & 0b111111 == 0b011011 or word >> 24 == 0b01010100 or word >> 25 == 0b1101011)


def instructions(items):
    """(pc, word), and ("away", return address) where an exception was taken."""
    for item in items:
        if item[0] == "exception":
            yield "away", item[2]
            continue
        to, words = item
        for i, word in enumerate(words):
            yield to + 4 * i, word


class Graph:
    """What was executed, by function."""

    def __init__(self, symbols):
        self.symbols, self.edges, self.function = symbols, {}, {}
        self.maybe = set()

    def add(self, items):
        before = None
        for pc, word in instructions(items):
            if pc == "away":
                if before:
                    # it goes on after it at some time, or the branch reached its target
                    self.maybe.add((before[0], word))
                before = None
                continue
            if pc not in self.function:
                self.function[pc] = self.symbols.at(pc)
                self.edges[pc] = set()
            if before:
                at, last = before
                if is_call(last):
                    self.maybe.add((at, at + 4))
                elif not is_return(last) and self.function[at] == self.function[pc]:
                    self.edges[at].add(pc)
            before = pc, word

    def finish(self):
        for at, to in self.maybe:
            if to in self.function and self.function[at] == self.function[to] and at != to:
                self.edges[at].add(to)

    def components(self, nodes):
        """Tarjan's, without calling itself."""
        order, low, path, done = {}, {}, [], set()
        for root in sorted(nodes):
            if root in order:
                continue
            work = [(root, iter(self.edges[root]))]
            order[root] = low[root] = len(order)
            path.append(root)
            while work:
                at, rest = work[-1]
                for to in rest:
                    if to not in nodes or to in done:
                        continue
                    if to not in order:
                        order[to] = low[to] = len(order)
                        path.append(to)
                        work.append((to, iter(self.edges[to])))
                        break
                    low[at] = min(low[at], order[to])
                else:
                    work.pop()
                    if work:
                        low[work[-1][0]] = min(low[work[-1][0]], low[at])
                    if low[at] == order[at]:
                        one = set()
                        while at not in one:
                            one.add(path.pop())
                        done |= one
                        if len(one) > 1 or at in self.edges[at]:
                            yield one

    def loops(self):
        came = {}
        for at, all_to in self.edges.items():
            for to in all_to:
                came.setdefault(to, set()).add(at)
        functions = {}
        for pc, function in self.function.items():
            functions.setdefault(function, set()).add(pc)
        found = []
        todo = [(pcs, None) for function, pcs in functions.items() if function is not None]
        while todo:
            nodes, parent = todo.pop()
            for one in self.components(nodes):
                ways = {pc for pc in one if pc == self.function[pc] or came.get(pc, set()) - one}
                ways = ways or {min(one)}
                loop = Loop(one, ways, parent)
                found.append(loop)
                todo.append((one - ways, loop))
        return found


class Loop:
    def __init__(self, members, ways, parent):
        self.members, self.ways, self.parent = members, ways, parent
        self.header, self.rounds, self.cut = min(ways), [], 0


class Walk:
    """Of one thread: frames are [return address, [[loop, rounds, whole], ...], function], or longer: a handler's."""

    def __init__(self, symbols, innermost):
        self.symbols, self.innermost = symbols, innermost
        self.frames = []

    def leave(self, visits, n, whole):
        while len(visits) > n:
            loop, rounds, known = visits.pop()
            if whole and known:
                loop.rounds.append(rounds)
            else:
                loop.cut += 1

    def drop(self, n, whole):
        while len(self.frames) > n:
            self.leave(self.frames.pop()[1], 0, whole)

    def at(self, pc, known):
        visits, loop, chain = self.frames[-1][1], self.innermost.get(pc), []
        self.frames[-1][2] = self.symbols.at(pc)
        while visits and pc not in visits[-1][0].members:
            self.leave(visits, len(visits) - 1, True)
        while loop and (not visits or loop is not visits[-1][0]):
            chain.append(loop)
            loop = loop.parent
        for new in reversed(chain):
            visits.append([new, 0, known and pc in new.ways])
        if visits and pc in visits[-1][0].ways:
            visits[-1][1] += 1

    def find(self, ret):
        for i in range(len(self.frames) - 1, -1, -1):
            if self.frames[i][0] == ret:
                return i
        return None

    def back(self, to):
        """Return: whether it is known who is gone back to."""
        i = self.find(to)
        if i:
            self.drop(i, True)
            return True
        if to in self.symbols.names:
            return True
        for i in range(len(self.frames) - 1, -1, -1):
            if self.frames[i][3:]:
                # from a signal's handler to what ends that
                self.drop(i + 1, True)
                return True
        self.drop(0, False)
        self.frames = [[None, [], None]]
        return False

    def land(self, to, whole):
        """Down to a call of the function to which longjmp() goes.  Return: there is one."""
        for i in range(len(self.frames) - 1, -1, -1):
            if self.frames[i][2] == self.symbols.at(to):
                self.drop(i + 1, whole)
                return True
        return False

    def resume(self, to, ret):
        if to == ret:
            return True
        i = self.find(to)
        if not i:
            # a system call that was interrupted by a signal is made again
            i = self.find(to + 4)
        if i:
            self.drop(i, False)
            return True
        if to in self.symbols.names:
            self.frames.append([ret, [], None, "signal"])
            return True
        self.drop(0, False)
        self.frames = [[None, [], None]]
        return False

    def walk(self, items):
        before = away = None
        for pc, word in instructions(items):
            known = True
            if pc == "away":
                if before and word not in (before[0], before[0] + 4):
                    self.branch(before, word)
                away, before = word, None
                continue
            if not self.frames:
                self.frames, known = [[None, [], None]], False
            elif away:
                known = self.resume(pc, away)
            elif before:
                known = self.branch(before, pc)
            self.at(pc, known)
            away, before = None, (pc, word)
        self.drop(0, False)

    def branch(self, before, to):
        at, word = before
        if is_call(word) and to != at + 4:
            self.frames.append([at + 4, [], None])
        elif is_return(word):
            return self.back(to)
        elif to not in self.symbols.names and self.symbols.at(at) != self.symbols.at(to):
            self.land(to, True)
        return True


def reported(path):
    """Entries, trips, least, mean, most, cut of each header."""
    found = {}
    with open(path) as f:
        for line in f:
            match = re.search(r"\[\.\] (\S+)  ", line)
            if not match or line.startswith("#"):
                continue
            found.setdefault(match[1], []).append(tuple(line.split()[2:8]))
    return found


def expected(loop):
    mean = "-"
    if loop.rounds:
        n = (100 * sum(loop.rounds) + len(loop.rounds) // 2) // len(loop.rounds)
        mean = "%d.%02d" % divmod(n, 100)
    return (str(min(loop.rounds, default="-")), mean, str(max(loop.rounds, default="-")), str(loop.cut))


def main(log, program, report):
    symbols, ours = Symbols(program), reported(report)
    threads = executed(log)
    graph = Graph(symbols)
    for items in threads.values():
        graph.add(items)
    graph.finish()
    loops, innermost = graph.loops(), {}
    # loops around others were found before these
    for loop in loops:
        for pc in loop.members:
            innermost[pc] = loop
    for items in threads.values():
        Walk(symbols, innermost).walk(items)
    bad = 0
    for loop in sorted(loops, key=lambda l: l.header):
        want, start = expected(loop), symbols.at(loop.header)
        off = loop.header - start
        names = [n + ("+%#x" % off if off else "") for n in symbols.names[start]]
        have = [(n, row) for n in names for row in ours.get(n, ())]
        for name, row in have:
            least, mean, most = row[2:5] if want[0] != "-" else (row[2], "-", row[4])
            if (least, mean, most, row[5]) == want:
                ours[name].remove(row)
                break
        else:
            bad += 1
            print("%x %s: want %s, have %s" % (loop.header, names, want, have))
    for name, rows in ours.items():
        for row in rows:
            bad += 1
            print("%s: %s, which is none" % (name, row))
    visits = sum(len(l.rounds) for l in loops)
    print("%d loops, %d entries, %d of them cut" % (len(loops), visits + sum(l.cut for l in loops),
                                                    sum(l.cut for l in loops)))
    sys.exit(bad > 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
