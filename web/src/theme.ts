// Light and dark: colours come from the style sheet, so that one place decides.

/// The colours of Okabe and Ito, which colour-blind eyes tell apart, in the order of use.
export function curveColours(): string[] {
  return Array.from({ length: 6 }, (_, k) => colour(`curve-${k + 1}`));
}

export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

/// Beyond six curves colours repeat, with other dashes.
export function dashOf(index: number): number[] {
  return [[], [9, 3], [2, 3], [9, 3, 2, 3]][Math.floor(index / 6) % 4];
}

/// A piece of a curve for its legend, long enough to show the dashes; a dot where the curve is points.
export function swatch(stroke: string, dash: number[] | null): SVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  for (const [key, value] of Object.entries({ viewBox: "0 0 28 12", width: 28, height: 12, class: "swatch", "aria-hidden": "true" }))
    svg.setAttribute(key, String(value));
  const part = document.createElementNS(svg.namespaceURI!, dash ? "path" : "circle");
  const look = dash
    ? { d: "M1,6H27", stroke, "stroke-width": 2, "stroke-dasharray": dash.join(" "), fill: "none" }
    : { cx: 14, cy: 6, r: 2.5, fill: stroke };
  for (const [key, value] of Object.entries(look)) part.setAttribute(key, String(value));
  svg.append(part);
  return svg;
}

type Listener = () => void;
const listeners: Listener[] = [];
export function onThemeChange(listener: Listener): void {
  listeners.push(listener);
}
function tell(): void {
  for (const listener of listeners) listener();
}

const dark = matchMedia("(prefers-color-scheme: dark)");

function isDark(): boolean {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : dark.matches;
}

function choose(theme: string | undefined): void {
  if (theme) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
  tell();
}

/// A button in the header; paper is always light.
export function addThemeButton(): void {
  const button = document.createElement("button");
  button.className = "theme";
  button.type = "button";
  const label = () => {
    button.textContent = isDark() ? "Light" : "Dark";
    button.setAttribute("aria-label", `Show the page ${isDark() ? "light" : "dark"}`);
  };
  button.addEventListener("click", () => {
    choose(isDark() ? "light" : "dark");
    label();
  });
  dark.addEventListener("change", () => {
    label();
    tell();
  });
  label();
  document.querySelector("header")!.append(button);

  let before: string | undefined;
  addEventListener("beforeprint", () => {
    before = document.documentElement.dataset.theme;
    choose("light");
    for (const details of document.querySelectorAll("details")) details.open = true;
  });
  addEventListener("afterprint", () => choose(before));
}
