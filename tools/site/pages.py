"""Markdown pages to HTML pages with navigation; links between pages stay links, files that are linked to travel along."""
import html
import os
import pathlib
import re
import shutil

import markdown

# The way through the site: groups of pages in the order of reading. A pattern stands for the pages that nobody named.
NAVIGATION = [
    ("Start", ["README.md", "docs/getting_started.md", "docs/gallery.md", "examples/README.md", "docs/status.md"]),
    ("Language", ["docs/language/README.md", "docs/language/cookbook.md", "docs/language/statements.md",
                  "docs/language/expressions.md", "docs/language/semantics.md", "docs/language/elements.md",
                  "docs/language/grammar.md", "docs/language/*.md"]),
    ("Concepts", ["docs/concepts/index.md", "docs/concepts/hidden_constraints.md", "docs/concepts/drift.md",
                  "docs/concepts/servo_constraints.md", "docs/concepts/zeros_and_inversion.md", "docs/concepts/*.md"]),
    ("Guides", ["docs/methods/structure.md", "docs/methods/analysis.md", "docs/methods/inversion.md",
                "docs/methods/stable_inversion.md", "docs/methods/redefinition.md", "docs/methods/steppers.md", "docs/methods/global_error.md",
                "docs/methods/redundant_constraints.md", "docs/methods/lifting.md", "docs/methods/newton.md",
                "docs/methods/orders.md", "docs/reports.md", "docs/methods/*.md"]),
    ("Formulations", [f"docs/methods/{name}.md" for name in (
        "projection", "index1", "index2", "index3", "ggl", "baumgarte", "nonlinear_stabiliser", "penalty",
        "augmented_lagrangian", "null_space", "minimal", "hamilton")]),
    ("Integrators", [f"docs/methods/{name}.md" for name in (
        "rk45", "dop853", "rk23", "rk4", "euler", "radau5", "implicit_euler", "bdf", "generalized_alpha", "rattle", "ida", "taylor")]),
    ("Reference", ["docs/cli.md", "docs/notation.md", "docs/references.md", "docs/dependencies.md", "bench/README.md",
                   "CHANGELOG.md"]),
    ("Contribute", ["CONTRIBUTING.md", "docs/design.md", "docs/howto/*.md"]),
    ("Models", ["models/README.md", "models/*/README.md"]),
]


def sources(root):
    """The Markdown files that become pages."""
    patterns = ("*.md", "docs/**/*.md", "models/**/*.md", "examples/*.md", "bench/README.md", "src/*/README.md")
    return sorted(path for pattern in patterns for path in root.glob(pattern))


def target(source):
    """README.md -> index.html, docs/cli.md -> docs/cli.html"""
    path = pathlib.PurePosixPath(source)
    return (path.with_name("index.html") if path.name == "README.md" else path.with_suffix(".html")).as_posix()


def title(text):
    return re.sub(r"[`*]", "", re.search(r"^# (.+)$", text, re.MULTILINE)[1])


def arranged(texts):
    """Groups of (source, title)."""
    named = {pattern for _, patterns in NAVIGATION for pattern in patterns}
    for group, patterns in NAVIGATION:
        found = []
        for pattern in patterns:
            if pattern in texts:
                found.append(pattern)
            elif "*" in pattern:
                found += [source for source in sorted(texts) if source not in named and source.count("/") == pattern.count("/")
                          and pathlib.PurePosixPath(source).match(pattern)]
        yield group, [(source, title(texts[source])) for source in found]


def navigation(groups, here):
    parts = []
    for group, found in groups:
        inside = any(source == here for source, _ in found)
        items = "".join(
            f'<li><a href="{relative(target(source), here)}"{" aria-current=page" if source == here else ""}>'
            f"{html.escape(name.split(':')[0])}</a></li>" for source, name in found)
        parts.append(f"<details{' open' if inside or group == 'Start' else ''}><summary>{group}</summary>"
                     f"<ul>{items}</ul></details>")
    return "".join(parts)


def relative(path, here):
    return os.path.relpath(path, os.path.dirname(target(here)) or ".")


KEYWORDS = ("model import size parameter coordinate variable input signal let kinetic potential dissipation force torque "
            "constraint equation output servo drive initial limit event draw experiment part for").split()


def highlighted(page):
    """Words that start a statement, and comments, in the models of a page."""
    def model(match):
        lines = []
        for line in match[2].split("\n"):
            code, mark, comment = line.partition("#")
            code = re.sub(rf"^(\s*)({'|'.join(KEYWORDS)})\b", r"\1<b>\2</b>", code)
            lines.append(code + (f"<i>{mark}{comment}</i>" if mark else ""))
        return match[1] + "\n".join(lines) + match[3]
    return re.sub(r'(<code class="language-daedal">)(.*?)(</code>)', model, page, flags=re.DOTALL)


def linked(root, site, source, page, texts):
    """Links to pages lead to pages; other files of the repository are copied beside them."""
    folder = pathlib.PurePosixPath(source).parent

    def link(match):
        attribute, address = match[1], html.unescape(match[2])
        if re.match(r"[a-z]+:|#", address):
            return match[0]
        path, hash_, anchor = address.partition("#")
        file = os.path.normpath((folder / path).as_posix())
        if (root / file).is_dir() and f"{file}/README.md" in texts:
            file += "/README.md"
        if (root / file).is_dir():
            file = "docs/README.md"
        if file in texts:
            return f'{attribute}="{relative(target(file), source)}{hash_}{anchor}"'
        origin, copy = root / file, site / file
        if origin.is_file() and not copy.exists():
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(origin, copy)
        return f'{attribute}="{relative(file, source)}{hash_}{anchor}"'
    return re.sub(r'\b(href|src)="([^"]+)"', link, page)


def cited(page, keys, source):
    """[Key] leads to the references."""
    address = relative(target("docs/references.md"), source)
    return re.sub(r"\[([A-Z][A-Za-z]+\d{4}[a-z]?)(, [^\]<]*)?\]",
                  lambda m: f'[<a href="{address}#{m[1]}">{m[1]}</a>{m[2] or ""}]' if m[1] in keys else m[0], page)


def write(root, site, texts, keys):
    groups = list(arranged(texts))
    frame = (root / "tools" / "site" / "frame.html").read_text(encoding="utf-8")
    for source, text in texts.items():
        converter = markdown.Markdown(extensions=["tables", "fenced_code", "toc", "sane_lists", "md_in_html"])
        page = highlighted(converter.convert(text))
        if source != "docs/references.md":
            page = cited(page, keys, source)
        page = linked(root, site, source, page, texts)
        page = re.sub(r"<table>.*?</table>", r'<div class="wide">\g<0></div>', page, flags=re.DOTALL)
        whole = frame
        for name, value in {"title": html.escape(title(text)), "navigation": navigation(groups, source), "page": page,
                            "top": relative(".", source)}.items():
            whole = whole.replace("{{" + name + "}}", value)
        file = site / target(source)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(whole, encoding="utf-8")
