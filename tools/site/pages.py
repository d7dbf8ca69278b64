"""Markdown pages to HTML pages with navigation; links between pages stay links, files that are linked to travel along."""
import html
import os
import pathlib
import re
import shutil

import markdown

# The way through the site in the order of learning: a page, "page#heading: name" for a part of one, or a pattern, which
# covers the pages that are not named elsewhere.
NAVIGATION = [
    ("Start", ["README.md", "docs/gallery.md"]),
    ("Tutorial", ["docs/getting_started.md#a-double-pendulum: Your first model", "docs/getting_started.md#closing-a-loop: Your first linkage",
                  "docs/getting_started.md#prescribing-a-motion: Your first inverse",
                  "docs/howto/close_a_loop.md: Your first controller",
                  "docs/getting_started.md#error-messages: When something is wrong", "examples/README.md"]),
    ("How to", ["docs/language/cookbook.md", "docs/methods/analysis.md", "docs/methods/inversion.md", "docs/methods/stable_inversion.md",
                "docs/methods/redefinition.md", "docs/methods/steppers.md", "docs/reports.md", "docs/python.md", "docs/methods/redundant_constraints.md"]),
    ("Control", ["docs/language/controllers.md: Controllers in a model", "docs/methods/regulator.md: Regulators",
                 "docs/methods/pole_placement.md: Pole placement", "docs/methods/sliding_mode.md: Sliding mode",
                 "docs/methods/model_laws.md: Laws of the model", "docs/methods/loops.md: Margins and stable ranges",
                 "docs/methods/controllers_in_c.md: Controllers in C"]),
    ("Language", ["docs/language/README.md", "docs/language/statements.md", "docs/language/expressions.md", "docs/language/semantics.md",
                  "docs/language/elements.md", "docs/language/grammar.md", "docs/language/*.md"]),
    ("Reference", ["docs/README.md: All pages", "docs/cli.md", "docs/options.md", "docs/json.md", "docs/notation.md", "docs/status.md", "docs/dependencies.md", "CHANGELOG.md"]),
    ("Models", ["models/README.md", "models/*/README.md"]),
    ("Concepts", ["docs/concepts/index.md", "docs/concepts/hidden_constraints.md", "docs/concepts/drift.md",
                  "docs/concepts/servo_constraints.md", "docs/concepts/zeros_and_inversion.md", "docs/concepts/*.md"]),
    ("Theory", ["docs/methods/structure.md", "docs/methods/lifting.md", "docs/methods/newton.md", "docs/methods/global_error.md",
                "docs/methods/orders.md", "docs/methods/*.md", "docs/references.md"]),
    ("Formulations", [f"docs/methods/{name}.md" for name in (
        "projection", "index1", "index2", "index3", "ggl", "baumgarte", "nonlinear_stabiliser", "penalty",
        "augmented_lagrangian", "null_space", "minimal", "hamilton")]),
    ("Integrators", [f"docs/methods/{name}.md" for name in (
        "rk45", "dop853", "rk23", "rk4", "euler", "radau5", "implicit_euler", "bdf", "generalized_alpha", "rattle", "ida", "taylor")]),
    ("Contribute", ["CONTRIBUTING.md", "docs/design.md", "bench/README.md", "docs/howto/*.md"]),
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
    """Groups of (source, heading or "", name)."""
    named = {re.split("[#:]", pattern)[0] for _, patterns in NAVIGATION for pattern in patterns}
    for group, patterns in NAVIGATION:
        found = []
        for pattern in patterns:
            address, _, name = pattern.partition(": ")
            source, _, heading = address.partition("#")
            if source in texts:
                found.append((source, heading, name or ("Daedal in short" if source == "README.md" else title(texts[source]).split(":")[0])))
            elif "*" in pattern:
                found += [(source, "", title(texts[source]).split(":")[0]) for source in sorted(texts)
                          if source not in named and source.count("/") == pattern.count("/") and pathlib.PurePosixPath(source).match(pattern)]
        yield group, found


def address_of(source, heading, here):
    return relative(target(source), here) + (f"#{heading}" if heading else "")


def navigation(groups, here):
    parts = []
    for group, found in groups:
        inside = any(source == here for source, _, _ in found)
        items = "".join(
            f'<li><a href="{address_of(source, heading, here)}"{" aria-current=page" if source == here and not heading else ""}>'
            f"{html.escape(name)}</a></li>" for source, heading, name in found)
        parts.append(f"<details{' open' if inside or group in ('Start', 'Tutorial') else ''}><summary>{group}</summary>"
                     f"<ul>{items}</ul></details>")
    return "".join(parts)


def neighbours(groups, here):
    """Links to the pages before and after this one. A page of several lessons is met once, where its first one stands."""
    way = []
    for _, found in groups:
        for source, _, name in found:
            if all(source != met for met, _ in way):
                way.append((source, name))
    sources_ = [source for source, _ in way]
    if here not in sources_:
        return ""
    k = sources_.index(here)
    links = ""
    for step, word in ((-1, "previous"), (1, "next")):
        if 0 <= k + step < len(way):
            source, name = way[k + step]
            links += f'<a class="{word}" rel="{word[:4]}" href="{address_of(source, "", here)}"><span>{word}</span>{html.escape(name)}</a>'
    return f'<nav class="neighbours" aria-label="pages before and after">{links}</nav>'


def relative(path, here):
    return os.path.relpath(path, os.path.dirname(target(here)) or ".")


KEYWORDS = ("model import size parameter coordinate variable input signal let kinetic potential dissipation force torque "
            "constraint equation output servo drive initial limit event draw experiment part for "
            "controller measure observe command state").split()


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


def numbered(page, source):
    """Formulas of the theory have numbers, (1), (2), ... on each page, and addresses: radau5.html#equation-1."""
    if not source.startswith(("docs/methods/", "docs/concepts/")):
        return page
    count = 0

    def formula(match):
        nonlocal count
        if "=" not in match[1] or re.search(r"\b(daedal|experiment|error|help|warning|cmake|cc|let|part)\b", match[1]):
            return match[0]  # a command, a line of a model, a message
        count += 1
        return (f'<div class="formula" id="equation-{count}"><pre><code>{match[1]}</code></pre>'
                f'<a href="#equation-{count}">({count})</a></div>')
    return re.sub(r"<pre><code>(.*?)</code></pre>", formula, page, flags=re.DOTALL)


def linked(root, site, source, page, texts):
    """Links to pages become links to the site's pages; other files of the repository are copied beside them."""
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
    """[Key] becomes a link to the references."""
    address = relative(target("docs/references.md"), source)
    return re.sub(r"\[([A-Z][A-Za-z]+\d{4}[a-z]?)(, [^\]<]*)?\]",
                  lambda m: f'[<a href="{address}#{m[1]}">{m[1]}</a>{m[2] or ""}]' if m[1] in keys else m[0], page)


def write(root, site, texts, keys):
    """Writes the pages; the HTML of each by its address."""
    groups = list(arranged(texts))
    frame = (root / "tools" / "site" / "frame.html").read_text(encoding="utf-8")
    written = {}
    for source, text in texts.items():
        converter = markdown.Markdown(extensions=["tables", "fenced_code", "toc", "sane_lists", "md_in_html"])
        page = numbered(highlighted(converter.convert(text)), source)
        if source != "docs/references.md":
            page = cited(page, keys, source)
        page = linked(root, site, source, page, texts)
        page = re.sub(r"<table>.*?</table>", r'<div class="wide" tabindex="0">\g<0></div>', page, flags=re.DOTALL)
        page = re.sub(r"<pre>", '<pre tabindex="0">', page)
        whole = frame
        for name, value in {"title": html.escape(title(text)), "navigation": navigation(groups, source), "page": page,
                            "neighbours": neighbours(groups, source), "top": relative(".", source)}.items():
            whole = whole.replace("{{" + name + "}}", value)
        file = site / target(source)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(whole, encoding="utf-8")
        written[target(source)] = (title(text), page)
    return written
