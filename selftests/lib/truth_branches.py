#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
#
# truth_branches.py LOG: of each conditional branch of A64 in a truth log
# (Documentation/format/truth-log.rst), its address and how often of all times it was taken, as csflow
# annotate prints it: "12.34%".

import sys

from truth_calls import executed
from truth_loops import instructions


def is_conditional(word):
    return (word >> 25 & 0b111111 in (0b011010, 0b011011) or word >> 24 == 0b01010100)


def main(log):
    times, taken = {}, {}
    for items in executed(log).values():
        branch = None
        for pc, word in instructions(items):
            # an exception tells where execution would have gone on
            to = word if pc == "away" else pc
            if branch:
                times[branch] = times.get(branch, 0) + 1
                taken[branch] = taken.get(branch, 0) + (to != branch + 4)
            branch = pc if pc != "away" and is_conditional(word) else None
    for pc, n in sorted(times.items()):
        share = (10000 * taken[pc] + n // 2) // n
        print("%x %d.%02d%%" % (pc, share // 100, share % 100))


main(*sys.argv[1:])
