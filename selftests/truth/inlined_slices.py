#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
#
# inlined_slices.py WITH WITHOUT CALLS: two timelines for Chrome, with and without inlined functions,
# and the tree of calls as text.  Fails if slices that are not inlined are different, or if a slice is
# in another one that is not its caller in the tree.
#
# Prints how often a slice began in another one, if one of the two is inlined.

import collections
import json
import re
import sys

pairs = collections.Counter()


def slices(path, counts):
    stack, kept = collections.defaultdict(list), []
    with open(path, encoding="utf-8") as f:
        events = json.load(f)
    for e in events["traceEvents"] if isinstance(events, dict) else events:
        if e["ph"] not in "BE":
            kept.append(e)
            continue
        track = stack[e["pid"], e["tid"]]
        inner = e if e["ph"] == "B" else track.pop()
        inlined = inner["cat"] == "inlined"
        if e["ph"] == "B":
            if counts and track and (inlined or track[-1]["cat"] == "inlined"):
                pairs[f"{track[-1]['name']}: {e['name']}"] += 1
            track.append(e)
        if not inlined:
            kept.append(e)
    return kept


ours, theirs = slices(sys.argv[1], True), slices(sys.argv[2], False)
for a, b in zip(ours, theirs):
    if a != b:
        sys.exit(f"{a} is {b}")
if len(ours) != len(theirs):
    sys.exit(f"{len(ours)} events, and {len(theirs)}")
callers, above = set(), []
with open(sys.argv[3], encoding="utf-8") as f:
    for line in f:
        match = re.match(r" *[0-9.]+% +[0-9.]+% +\d+ +\d+  ( *)(.*)", line)
        if match:
            depth = len(match[1]) // 2
            above[depth:] = [match[2]]
            callers.add(f"{above[depth - 1] if depth else ''}: {match[2]}")
for pair in pairs:
    if pair not in callers:
        sys.exit(f"{pair} is in no tree")
for name in sorted(f"{n} {pair}" for pair, n in pairs.items()):
    print(name)
