"""The index of the search, made when the site is: a script that the browser loads, so that it works from file:// too."""
import html
import json
import re


def plain(page):
    """The words of a piece of HTML."""
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", page))).strip()


def sections(name, page):
    """(heading, anchor, text) of the parts of a page: what comes before its first heading, then one for each heading."""
    pieces = re.split(r'<h([1-6])(?: id="([^"]*)")?[^>]*>(.*?)</h\1>', page, flags=re.DOTALL)
    if plain(pieces[0]):
        yield name, "", plain(pieces[0])
    for level, anchor, heading, text in zip(*(pieces[k::4] for k in (1, 2, 3, 4))):
        yield plain(heading), "" if level == "1" else anchor or "", plain(text)


def write(site, written):
    """Entries [page, heading, address, text]; pages in the order of their addresses, so that the same input gives the same file."""
    entries = [[name, heading, address + (f"#{anchor}" if anchor else ""), text]
               for address, (name, page) in sorted(written.items()) for heading, anchor, text in sections(name, page)]
    (site / "search_index.js").write_text("window.siteIndex = " + json.dumps(entries, ensure_ascii=False, separators=(",", ":")) + ";\n",
                                          encoding="utf-8")
