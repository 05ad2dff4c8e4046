#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
draw_tracks.py < CSV > SVG: a picture of what csflow messages --format=csv wrote: a track for each
port, for exceptions and for each comparator, over time, much as Perfetto shows them.
"""
import csv
import sys
from xml.sax.saxutils import escape

LEFT, WIDTH, HIGH, GAP = 130, 620, 34, 8

rows = [r for r in csv.DictReader(sys.stdin) if r['seconds']]
first, last = float(rows[0]['seconds']), float(rows[-1]['seconds'])
scale = WIDTH / ((last - first) or 1)
tracks = {}


def track_of(row):
    if row['kind'] == 'exception':
        return 'exceptions'
    if row['kind'] in ('read', 'write'):
        return 'comparator ' + row['channel']
    return 'port ' + row['channel'] if row['kind'] in ('data', 'text') else None


for row in rows:
    name = track_of(row)
    if name:
        tracks.setdefault(name, []).append((LEFT + (float(row['seconds']) - first) * scale, row))

out = []


def text(x, y, words, size=11):
    out.append('<text x="%.1f" y="%.1f" font-size="%d">%s</text>' % (x, y, size, escape(words)))


def name_of(number):
    return {0: 'Thread', 11: 'SVCall', 14: 'PendSV', 15: 'SysTick'}.get(number, 'IRQ %d' % (number - 16))


def bar(begin, end, depth, y, number):
    high = HIGH / 2 - 1
    out.append('<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"/>' %
               (begin, y + depth * high, max(end - begin, 1), high - 1, ['#7aa6d8', '#e0a458'][depth % 2]))
    if end - begin > 40:
        text(begin + 3, y + depth * high + 11, name_of(number), 10)


def exceptions(points, y):
    active = []
    for x, row in points:
        number = int(row['value'], 16)
        if row['words'] == 'entered':
            active.append((x, number))
        while row['words'] != 'entered' and active and (
                row['words'] == 'exited' or active[-1][1] != number):
            begin, ended = active.pop()
            bar(begin, x, min(len(active), 1), y, ended)
            if row['words'] == 'exited' and ended == number:
                break


def curve(points, y):
    values = [int(row['value'], 16) for _, row in points]
    low, high = min(values), max(values) or 1
    path = ''
    for (x, _), value in zip(points, values):
        level = y + HIGH - (value - low) * (HIGH - 4) / ((high - low) or 1)
        path += ('M%.1f,%.1f' if not path else 'H%.1f V%.1f') % (x, level)
    out.append('<path d="%s H%d" fill="none" stroke="#3a7d44"/>' % (path, LEFT + WIDTH))
    text(LEFT + WIDTH + 4, y + 10, '%d' % high, 9)


def marks(points, y):
    for x, row in points:
        out.append('<path d="M%.1f,%.1f v%d" stroke="#8a3b8f" stroke-width="1.5"/>' % (x, y, HIGH))
        if row['text']:
            text(x + 3, y + 14, row['text'], 10)


for i, name in enumerate(sorted(tracks)):
    top = 26 + i * (HIGH + GAP)
    out.append('<rect x="%d" y="%d" width="%d" height="%d" fill="#f4f4f4"/>' % (LEFT, top, WIDTH, HIGH))
    text(6, top + 20, name)
    draw = {'e': exceptions, 'c': curve, 'p': marks}[name[0]]
    draw(tracks[name], top)
text(LEFT, 16, '%.4f s' % first)
text(LEFT + WIDTH - 50, 16, '%.4f s' % last)
high = 26 + len(tracks) * (HIGH + GAP)
print('<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif">' %
      (LEFT + WIDTH + 50, high))
print('<!-- SPDX-License-Identifier: GPL-2.0-only -->')
print('<rect width="100%" height="100%" fill="white"/>')
print('\n'.join(out))
print('</svg>')
