#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
links.py DIR: prints the pages of a site that links lead to from DIR/index.html, sorted; on standard error, links to
files that are not there, and to places that a page has not.
"""
import html.parser
import os
import posixpath
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    """What a page refers to, and the places in it."""

    def __init__(self, path):
        super().__init__()
        self.links, self.places = [], {""}
        with open(path, encoding="utf-8") as file:
            self.feed(file.read())

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name in ("href", "src") and value:
                self.links.append(value)
            elif name in ("id", "name"):
                self.places.add(value)


def main():
    top = sys.argv[1]
    pages, waiting = {}, ["index.html"]
    while waiting:
        name = waiting.pop()
        if name in pages:
            continue
        pages[name] = Page(os.path.join(top, name))
        for link in pages[name].links:
            url = urllib.parse.urlparse(link)
            to = posixpath.normpath(posixpath.join(posixpath.dirname(name), urllib.parse.unquote(url.path)))
            if url.scheme or not url.path:
                continue
            if not os.path.isfile(os.path.join(top, to)):
                print("%s: %s" % (name, link), file=sys.stderr)
            elif to.endswith(".html"):
                waiting.append(to)
    for name, page in pages.items():
        for link in page.links:
            url = urllib.parse.urlparse(link)
            to = posixpath.normpath(posixpath.join(posixpath.dirname(name), url.path)) if url.path else name
            if not url.scheme and to in pages and urllib.parse.unquote(url.fragment) not in pages[to].places:
                print("%s: %s: no such place" % (name, link), file=sys.stderr)
    print("\n".join(sorted(pages)))


main()
