#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
#
# timeline_check.py: what csflow timeline writes, looked at.
#
# schema JSON			the file is what Chrome's format asks for; prints "slices tracks counts"
# min ALL JSON NS		JSON has those slices of ALL that last as long
# window ALL JSON FROM UNTIL	what of them is from FROM to UNTIL, ns
# tracks ALL JSON TID		the track of that thread, and no other thread's
# perfetto JSON TEXT		TEXT, of protoc --decode, has the same events in the same order
# names JSON TID		one line for each beginning, of the thread, indented

import json
import re
import sys

KINDS = {"function", "syscall", "interrupt", "exception", "signal", "off", "lost", "thread"}
ALWAYS = {"lost", "thread"}
FIELDS = {
    "B": {"ph", "pid", "tid", "ts", "cat", "name"},
    "E": {"ph", "pid", "tid", "ts"},
    "C": {"ph", "pid", "tid", "ts", "name", "args"},
    "M": {"ph", "pid", "tid", "name", "args"},
}


def load(path):
    with open(path, "rb") as f:
        return json.loads(f.read().decode("utf-8"))


def ns(ts):
    return round(ts * 1000)


def check(ok, what, event):
    if not ok:
        sys.exit("%s: %s" % (what, event))


def schema(path):
    whole = load(path)
    check(set(whole) == {"displayTimeUnit", "otherData", "traceEvents"}, "fields", list(whole))
    check(whole["displayTimeUnit"] == "ns", "unit", whole["displayTimeUnit"])
    clock, open_, named, counts, n = {}, {}, set(), {}, 0
    for e in whole["traceEvents"]:
        check(e.get("ph") in FIELDS, "phase", e)
        check(set(e) - {"args"} == FIELDS[e["ph"]] - {"args"}, "fields", e)
        check(type(e["pid"]) is int and type(e["tid"]) is int, "numbers", e)
        key = (e["pid"], e["tid"])
        if e["ph"] == "M":
            check(e["name"] in ("process_name", "thread_name"), "metadata", e)
            check(type(e["args"]["name"]) is str and e["args"]["name"], "a name", e)
            named.add(key if e["name"] == "thread_name" else e["pid"])
            continue
        check(type(e["ts"]) in (int, float) and e["ts"] >= 0, "time", e)
        check(key in named and e["pid"] in named, "a track without a name", e)
        if e["ph"] == "C":
            check(e["ts"] >= counts.get((key, e["name"]), 0), "time goes back", e)
            check(all(type(v) in (int, float) for v in e["args"].values()), "counter", e)
            counts[key, e["name"]] = e["ts"]
            continue
        check(e["ts"] >= clock.get(key, 0), "time goes back", e)
        clock[key] = e["ts"]
        stack = open_.setdefault(key, [])
        if e["ph"] == "E":
            check(stack, "an end without a beginning", e)
            stack.pop()
            continue
        check(e["cat"] in KINDS, "category", e)
        check(("args" in e) == (e["cat"] == "lost"), "arguments", e)
        stack.append(e)
        n += 1
    check(not any(open_.values()), "does not end", [s[-1] for s in open_.values() if s])
    print(n, len(clock), len(counts))


def slices(path):
    """By track: (begin, end, name, category, depth), in the order of their beginnings."""
    tracks, stacks = {}, {}
    for e in load(path)["traceEvents"]:
        key = (e["pid"], e["tid"])
        if e["ph"] == "B":
            track, stack = tracks.setdefault(key, []), stacks.setdefault(key, [])
            stack.append(len(track))
            track.append([ns(e["ts"]), None, e["name"], e["cat"], len(stack) - 1])
        elif e["ph"] == "E":
            tracks[key][stacks[key].pop()][1] = ns(e["ts"])
    return tracks


def compare(want, have):
    want = {k: [s[:4] for s in v] for k, v in want.items() if v}
    have = {k: [s[:4] for s in v] for k, v in have.items() if v}
    check(set(want) == set(have), "tracks", (sorted(want), sorted(have)))
    for key in want:
        for i in range(max(len(want[key]), len(have[key]))):
            check(want[key][i:i + 1] == have[key][i:i + 1], "%s: slice %d" % (key, i),
                  (want[key][i - 1:i + 2], have[key][i - 1:i + 2]))
    print(sum(map(len, have.values())))


def min_(all_, path, least):
    least = int(least)
    compare({k: [s for s in v if s[3] in ALWAYS or s[1] - s[0] >= least]
             for k, v in slices(all_).items()}, slices(path))


def window(all_, path, start, stop):
    start, stop = int(start), int(stop)
    compare({k: [[max(s[0], start), min(s[1], stop), s[2], s[3]] for s in v
                 if s[0] <= stop and s[1] > start]
             for k, v in slices(all_).items()}, slices(path))


def tracks(all_, path, tid):
    want, have = slices(all_), slices(path)
    threads = {k: v for k, v in want.items() if k[0] and k[1] == int(tid)}
    compare(threads, {k: v for k, v in have.items() if k[0]})


def packets(path):
    """Of protoc's text: nested lists of (field, value)."""
    stack = [[]]
    with open(path, encoding="utf-8") as f:
        for line in f:
            line = line.strip()
            if line.endswith("{"):
                inner = []
                stack[-1].append((line[:-2], inner))
                stack.append(inner)
            elif line == "}":
                stack.pop()
            else:
                check(not re.match(r"\d", line), "a field that is not known", line)
                name, value = line.split(": ", 1)
                if value[0] == '"':
                    value = value[1:-1].encode("latin-1").decode("unicode_escape")
                    value = value.encode("latin-1").decode("utf-8")
                stack[-1].append((name, value))
    return [dict(p) for name, p in stack[0]]


def track_names(p, uuids):
    d = dict(p["track_descriptor"])
    if "thread" in d:
        t = dict(d["thread"])
        uuids[d["uuid"]] = (int(t["pid"]), int(t["tid"]))
    elif "process" not in d and "parent_uuid" in d:
        uuids[d["uuid"]] = d["name"]
    if "parent_uuid" in d:
        check(d["parent_uuid"] in uuids["parents"], "a parent", d)
    else:
        uuids["parents"].add(d["uuid"])


def perfetto_events(path):
    names, kinds, uuids = {}, {}, {"parents": set()}
    for i, p in enumerate(packets(path)):
        check(p["trusted_packet_sequence_id"] == "1", "sequence", p)
        for field, entry in p.get("interned_data", []):
            entry = dict(entry)
            table = kinds if field == "event_categories" else names
            check(entry["iid"] not in table, "twice", entry)
            table[entry["iid"]] = entry["name"]
        if "track_descriptor" in p:
            track_names(p, uuids)
        elif "track_event" not in p:
            check(i == 0 and p["sequence_flags"] == "1", "state", p)
        else:
            check(p["sequence_flags"] == "2", "state", p)
            e = dict(p["track_event"])
            track, t = uuids[e["track_uuid"]], int(p["timestamp"])
            if e["type"] == "1":
                yield "B", track, t, names[e["name_iid"]], kinds[e["category_iids"]]
            elif e["type"] == "2":
                yield "E", track, t
            else:
                yield "C", track, t, round(float(e["double_counter_value"]), 3)


def chrome_events(path):
    names = {}
    for e in load(path)["traceEvents"]:
        key = (e["pid"], e["tid"])
        if e["ph"] == "M":
            if not e["pid"] and e["name"] == "thread_name":
                names[key] = e["args"]["name"]
            continue
        track, t = names.get(key, key), ns(e["ts"])
        if e["ph"] == "B":
            yield "B", track, t, e["name"], e["cat"]
        elif e["ph"] == "E":
            yield "E", track, t
        else:
            yield "C", e["name"], t, round(float(list(e["args"].values())[0]), 3)


def perfetto(chrome, text):
    a, b = list(chrome_events(chrome)), list(perfetto_events(text))
    for i in range(max(len(a), len(b))):
        check(a[i:i + 1] == b[i:i + 1], "event %d" % i, (a[i:i + 1], b[i:i + 1]))
    print(len(a))


def names(path, tid):
    for key, track in slices(path).items():
        if key[1] == int(tid) and key[0]:
            for s in track:
                print("%s%s" % ("  " * s[4], s[2]))


COMMANDS = {"schema": schema, "min": min_, "window": window, "tracks": tracks,
            "perfetto": perfetto, "names": names}

if __name__ == "__main__":
    COMMANDS[sys.argv[1]](*sys.argv[2:])
