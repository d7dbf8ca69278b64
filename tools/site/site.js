// Menu and search of the site. Without scripts the menu is open and there is no search field.
"use strict";
(() => {
  const top = document.documentElement.dataset.top;
  document.documentElement.classList.add("scripted");

  // --- the menu of narrow screens
  const button = document.querySelector(".menu");
  button.addEventListener("click", () => {
    const open = document.body.classList.toggle("menu-open");
    button.setAttribute("aria-expanded", String(open));
  });

  // --- search: the index is loaded when somebody searches
  const field = document.querySelector(".search input");
  const list = document.querySelector(".search ul");
  let loading = null;
  const index = () =>
    (loading ??= new Promise((done, failed) => {
      const script = document.createElement("script");
      script.src = `${top}/search_index.js`;
      script.onload = () => done(window.siteIndex.map(([page, heading, address, text]) =>
        ({ page, heading, address, text, low: text.toLowerCase(), names: `${page} ${heading}`.toLowerCase() })));
      script.onerror = failed;
      document.head.append(script);
    }));

  /// All words have to occur; those in headings count most, then those that begin a word.
  const rank = (entry, words) => {
    let sum = 0;
    for (const word of words) {
      const named = entry.names.indexOf(word);
      const at = entry.low.indexOf(word);
      if (named < 0 && at < 0) return 0;
      if (named >= 0) sum += entry.heading.toLowerCase().startsWith(word) ? 40 : 20;
      if (at >= 0) sum += /\w/.test(entry.low[at - 1] ?? " ") ? 1 : 3;
    }
    return sum + 1 / (1 + entry.text.length / 1000);
  };

  /// The words around the first one that is found.
  const excerpt = (entry, words) => {
    const at = Math.max(Math.min(...words.map((word) => entry.low.indexOf(word)).filter((k) => k >= 0), Infinity), 0);
    const from = Number.isFinite(at) ? entry.text.lastIndexOf(" ", Math.max(at - 40, 0)) + 1 : 0;
    return (from > 0 ? "... " : "") + entry.text.slice(from, from + 130);
  };

  const marked = (text, words) => {
    const line = document.createElement("span");
    const pattern = new RegExp(`(${words.map((w) => w.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|")})`, "gi");
    text.split(pattern).forEach((part, k) => {
      if (k % 2 === 0) line.append(part);
      else line.append(Object.assign(document.createElement("mark"), { textContent: part }));
    });
    return line;
  };

  const show = async () => {
    const asked = field.value;
    const words = asked.toLowerCase().split(/\s+/).filter((word) => word.length > 1);
    if (words.length === 0) {
      list.hidden = true;
      return;
    }
    const entries = await index();
    if (field.value !== asked) return;
    const found = entries.map((entry) => [rank(entry, words), entry]).filter(([sum]) => sum > 0)
      .sort((a, b) => b[0] - a[0]).slice(0, 12);
    list.replaceChildren(...found.map(([, entry]) => {
      const item = document.createElement("li");
      const link = document.createElement("a");
      link.href = `${top}/${entry.address}`;
      const name = document.createElement("b");
      name.textContent = entry.heading === entry.page ? entry.page : `${entry.heading} - ${entry.page}`;
      link.append(name, marked(excerpt(entry, words), words));
      item.append(link);
      return item;
    }));
    if (found.length === 0) list.append(Object.assign(document.createElement("li"), { textContent: "nothing found" }));
    list.hidden = false;
  };
  field.addEventListener("input", show);
  field.addEventListener("focus", () => { index(); show(); });

  // --- keys: "/" searches, arrows choose, Escape closes
  addEventListener("keydown", (event) => {
    const links = [...list.querySelectorAll("a")];
    const at = links.indexOf(document.activeElement);
    if (event.key === "/" && !/^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName)) field.focus();
    else if (event.key === "Escape" && !list.hidden) { list.hidden = true; field.blur(); }
    else if (event.key === "Enter" && document.activeElement === field && links.length > 0) links[0].click();
    else if (event.key === "ArrowDown" && !list.hidden && (at >= 0 || document.activeElement === field)) (links[at + 1] ?? links[at])?.focus();
    else if (event.key === "ArrowUp" && at >= 0) (links[at - 1] ?? field).focus();
    else return;
    event.preventDefault();
  });
  addEventListener("pointerdown", (event) => {
    if (!event.target.closest(".search")) list.hidden = true;
  });
})();
