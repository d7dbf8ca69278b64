"""The page of references, from BibTeX."""
import re


def read(path):
    """Entries of a .bib file by key: a table of fields."""
    entries = {}
    for kind, key, body in re.findall(r"^@(\w+)\{([^,]+),\n(.*?)^\}", path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
        fields = re.findall(r"^\s*(\w+)\s*=\s*(?:\{(.*?)\}|\"(.*?)\"|(\d+)),?\s*$", body, re.MULTILINE | re.DOTALL)
        entries[key] = {name.lower(): plain(a or b or c) for name, a, b, c in fields} | {"kind": kind}
    return entries


ACCENTS = {'"a': "ä", '"o': "ö", '"u': "ü", '"O': "Ö", '"U': "Ü", "'e": "é", "'a": "á", "`e": "è", "o": "ø", "'o": "ó", "'i": "í"}


def plain(text):
    """TeX's spelling of names as letters."""
    for tex, letter in ACCENTS.items():
        if len(tex) == 2:
            text = text.replace("{\\" + tex + "}", letter).replace("\\" + tex[0] + "{" + tex[1] + "}", letter)
            text = text.replace("\\" + tex, letter)
    return re.sub(r"\s+", " ", re.sub(r"[{}]", "", text)).replace("--", "–").replace("\\&", "&").strip()


def page(entries):
    lines = ["# References", "", "Cited as `[Key]` in these pages and in the source; kept in `docs/references.bib`.", "", "<dl>"]
    for key, f in sorted(entries.items()):
        where = ", ".join(filter(None, (f.get("journal") or f.get("booktitle") or f.get("publisher") or f.get("school") or
                                        f.get("institution"), f.get("volume"), f.get("pages"), f.get("year"))))
        doi = f' <a href="https://doi.org/{f["doi"]}">doi</a>' if "doi" in f else ""
        authors = " and ".join(f.get("author", "").split(" and ")).replace(" and ", "; ")
        lines.append(f'<dt id="{key}">{key}</dt><dd>{authors}: <em>{f.get("title", "")}</em>. {where}.{doi}</dd>')
    return "\n".join(lines + ["</dl>", ""])
