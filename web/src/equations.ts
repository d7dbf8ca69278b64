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
    formula.tabIndex = 0; // long ones are scrolled
  } catch {
    formula.textContent = text;
  }
}

/// Those in closed sections wait until they are opened: a large model has hundreds.
export function typesetEquations(): void {
  for (const details of document.querySelectorAll<HTMLDetailsElement>("#equations details")) {
    const now = () => {
      if (details.open) details.querySelectorAll<HTMLElement>(".formula").forEach(typeset);
    };
    details.addEventListener("toggle", now);
    now();
  }
}
