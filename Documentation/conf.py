# SPDX-License-Identifier: GPL-2.0-only
"""
The site of the documentation: make html runs Sphinx with this.

The pages are plain reStructuredText, which name each other by folder and file, as user/perf.rst, and
manual pages as in csflow-dump(1). Here such names become links.
"""
import os
import re

from docutils import nodes

project = "csflow"
author = "the authors of csflow"
copyright = author          # pylint: disable=redefined-builtin # Sphinx's name
with open(os.path.join(os.environ["CSFLOW_SOURCE"], "decoder/csflow.h"), encoding="utf-8") as header:
    version = ".".join(re.findall(r"^#define CSF_VERSION_M[AJINOR]+\s+(\d+)", header.read(), re.M))
release = version

root_doc = "index"
exclude_patterns = ["README.rst"]       # index.rst includes it
highlight_language = "none"
smartquotes = False                     # -- is not a dash
html_theme = "alabaster"
html_theme_options = {"page_width": "1100px", "sidebar_width": "240px", "fixed_sidebar": False}
html_copy_source = False
html_show_sphinx = False

PAGE = re.compile(r"(?:Documentation/)?((?:[a-z]+/)?[A-Za-z0-9_.-]+)\.rst\b")
MANUAL = re.compile(r"(?:perf-)?csflow(?:-[a-z]+)?$")


def page_of(app, here, name):
    """The page that @here means by @name, such as perf or user/perf, or None."""
    for page in (os.path.join(os.path.dirname(here), name), name):
        if page in app.env.found_docs:
            return page
    return None


def link(app, here, page, child):
    """@child as a link from the page @here to @page."""
    return nodes.reference("", "", child, internal=True,
                           refuri=app.builder.get_relative_uri(here, page))


def is_within(node, *kinds):
    while node is not None:
        if isinstance(node, kinds):
            return True
        node = node.parent
    return False


def link_names(app, here, text):
    """The nodes that stand for a text: its names of pages are links."""
    out, at = [], 0
    for match in PAGE.finditer(text):
        page = page_of(app, here, match.group(1))
        if page and page != here:
            out += [nodes.Text(text[at:match.start()]), link(app, here, page, nodes.Text(match.group(0)))]
            at = match.end()
    return out + [nodes.Text(text[at:])] if out else []


def link_pages(app, doctree, here):
    """Once all pages are known."""
    for node in list(doctree.findall(nodes.Text)):
        if is_within(node, nodes.literal_block, nodes.reference, nodes.title, nodes.raw):
            continue
        new = link_names(app, here, node.astext())
        if new:
            node.parent.replace(node, new)
    for node in list(doctree.findall(nodes.strong)):
        after = node.next_node(descend=False, siblings=True)
        if not MANUAL.match(node.astext()) or after is None or not after.astext().startswith("(1)"):
            continue
        page = page_of(app, here, "man/%s.1" % node.astext())
        if page and page != here and not is_within(node, nodes.reference):
            node.parent.replace(node, link(app, here, page, node.deepcopy()))


def setup(app):
    app.connect("doctree-resolved", link_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
