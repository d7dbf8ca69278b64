// Equations typeset in place of their text; one that KaTeX does not understand stays text.
import katex from "katex";
import "katex/dist/katex.min.css";

function typeset(formula: HTMLElement): void {
  const latex = formula.dataset.latex;
  if (!latex) return;
  delete formula.dataset.latex;
  const text = formula.textContent ?? "";
  try {
    katex.render(latex, formula, { displayMode: true, throwOnError: true, trust: false, strict: "ignore" });
    formula.title = text;
    formula.dataset.text = text;
    formula.tabIndex = 0; // long ones are scrolled
  } catch {
    formula.textContent = text;
  }
}

/// Paper does not scroll: there, formulas wider than it are their text, which wraps. All sections are open by then.
function fitToPaper(): void {
  document.querySelectorAll<HTMLElement>("#equations .formula").forEach(typeset);
  const paper = 680; // [px], somewhat less than A4 has between its margins
  const extent = document.createRange();
  for (const formula of document.querySelectorAll<HTMLElement>(".formula[data-text]")) {
    formula.classList.remove("wide"); // hidden ones have no extent
    extent.selectNodeContents(formula.querySelector(".katex-html") ?? formula);
    formula.classList.toggle("wide", extent.getBoundingClientRect().width > paper);
  }
}

/// Those in closed sections wait until they are opened: a large model has hundreds.
export function typesetEquations(): void {
  addEventListener("beforeprint", fitToPaper);
  for (const details of document.querySelectorAll<HTMLDetailsElement>("#equations details")) {
    const now = () => {
      if (details.open) details.querySelectorAll<HTMLElement>(".formula").forEach(typeset);
    };
    details.addEventListener("toggle", now);
    now();
  }
}
