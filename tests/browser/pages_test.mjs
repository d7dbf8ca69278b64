// Report pages in a real browser: what a person should see is really drawn, and nothing else happens.
//
//   node pages_test.mjs DAEDAL PACKAGES FOLDER [--keep]
//
// DAEDAL is the program, PACKAGES the folder with node_modules, FOLDER where pages go. --keep writes the reference
// screenshots instead of comparing with them. Exit code 77: skipped, with the reason.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { axeOf, seriousFindings } from "./accessibility.mjs";

const [daedal, packages, folder, keep] = process.argv.slice(2);
const here = dirname(fileURLToPath(import.meta.url));
const models = join(here, "../../models");
const chromium = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find(existsSync);

function skip(reason) {
  console.log(`skipped: ${reason}`);
  process.exit(77);
}
if (!chromium) skip("Debian's chromium is not there");
const playwright = join(packages, "node_modules/playwright-core/index.mjs");
if (!existsSync(playwright)) skip("the browser's part of reports was built without npm");
const { chromium: browserType } = await import(playwright);

const axe = axeOf(packages);
if (!axe) console.log("axe-core is not there: accessibility is not checked");

let faults = 0;
function expect(truth, what) {
  if (truth) return;
  ++faults;
  console.log(`  FAULT: ${what}`);
}

/// A page made by the program; what it is expected to hold.
const pages = [
  { name: "cable_robot", ask: ["invert", join(models, "cable_robot")], motion: true, plots: 8, picture: "light" },
  { name: "fourbar", ask: ["simulate", join(models, "fourbar"), "--global-error", "off"], motion: true, plots: 8, picture: "dark" },
  { name: "delta_robot", ask: ["simulate", join(models, "delta_robot"), "--global-error", "off"], motion: true, plots: 7, picture: "light" },
  { name: "elevator_cable", ask: ["simulate", join(models, "elevator_cable"), "-p", "N=20", "--until", "2", "--global-error", "off"], motion: true, plots: 6 },
  { name: "torsional_oscillator", ask: ["invert", join(models, "torsional_oscillator")], motion: true, plots: 5, picture: "dark" },
  { name: "breaking_pendulum", ask: ["simulate", join(models, "breaking_pendulum")], motion: true, plots: 6 },
  { name: "loop", ask: ["run", join(models, "cable_robot"), "offset_lqr", "--model", "cable_robot_generalised"], motion: true, plots: 8 },
  { name: "loops", ask: ["compare", join(models, "cable_robot"), "--model", "cable_robot_generalised", "--controllers", "forward,two_degrees,sliding", "--experiment", "offset_lqr"], plots: 4 },
  { name: "band", ask: ["simulate", join(models, "cable_robot"), "--model", "cable_robot_generalised", "--controller", "two_degrees", "--until", "15", "--plant", "tau_T=normal(0.03, 0.003)", "--runs", "20"], plots: 4 },
  { name: "cstr", ask: ["simulate", join(models, "cstr")], motion: true, plots: 3 },
  { name: "manipulator_2link", ask: ["analyse", join(models, "manipulator_2link"), "--response", "1:100"], motion: false, plots: 0, charts: 3, picture: "light" },
  { name: "fourbar_limits", ask: ["analyse", join(models, "fourbar"), "--limits"], motion: true, plots: 2, picture: "light" },
  { name: "mass_on_car_map", ask: ["analyse", join(models, "mass_on_car"), "--map", "m1=0.5:2:12,d1=0:5:12"], charts: 1, plots: 0 },
  { name: "steps", ask: ["invert", join(models, "cable_robot"), "--method", "bdf(order = 4)", "--step", "0.01"], motion: true, plots: 5, charts: 1 },
  { name: "refused", ask: ["invert", join(models, "manipulator_3d"), "--model", "manipulator_3d_printed", "--method", "bdf(order = 2)", "--step", "0.001"], refused: true, charts: 1, plots: 0 },
  { name: "pendulum", ask: ["compare", join(models, "pendulum"), "--until", "1", "--methods", "rk45", "bdf(order = 2)", "--formulations", "projection"], charts: 3, plots: 0 },
];

mkdirSync(folder, { recursive: true });

function make(name, ask, refused = false) {
  const file = join(folder, `${name}.html`);
  const run = spawnSync(daedal, [...ask, "--report", file], { encoding: "utf8" });
  expect(run.status === (refused ? 2 : 0), `${name}: exit code ${run.status}\n${run.stderr}`);
  return file;
}

async function open(browser, file, options = {}) {
  const context = await browser.newContext({
    viewport: { width: 1200, height: 800 }, reducedMotion: "reduce", colorScheme: "light", ...options,
  });
  const page = await context.newPage();
  page.on("console", (m) => expect(!["error", "warning"].includes(m.type()) || m.text().includes("GPU stall"), `console: ${m.text()}`));
  page.on("pageerror", (e) => expect(false, `script: ${e.message}`));
  page.on("dialog", (d) => { expect(false, `dialog: ${d.message()}`); d.dismiss(); });
  page.on("request", (r) => expect(/^(file|data|blob):/.test(r.url()), `asks for ${r.url().slice(0, 80)}`));
  await page.goto(`file://${file}`);
  await page.waitForSelector("html[data-ready=yes]", { timeout: 20000 });
  return page;
}

/// Of every canvas in `selector`: how many pixels differ from its corner.
function drawnPixels(page, selector) {
  return page.$$eval(selector, (canvases) =>
    canvases.map((canvas) => {
      const copy = document.createElement("canvas");
      [copy.width, copy.height] = [canvas.width, canvas.height];
      const context = copy.getContext("2d");
      context.drawImage(canvas, 0, 0);
      const data = new Uint32Array(context.getImageData(0, 0, copy.width, copy.height).data.buffer);
      return data.reduce((sum, pixel) => sum + (pixel !== data[0] ? 1 : 0), 0);
    }),
  );
}

/// Pixels of each plot in a colour of the curves: grids and axes are grey, curves are not.
function curvePixels(page) {
  return page.$$eval("#plots .u-wrap canvas", (canvases) =>
    canvases.map((canvas) => {
      const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
      let found = 0;
      for (let i = 0; i < data.length; i += 4) {
        const [low, high] = [Math.min(data[i], data[i + 1], data[i + 2]), Math.max(data[i], data[i + 1], data[i + 2])];
        if (data[i + 3] > 128 && high - low > 60) ++found;
      }
      return found;
    }),
  );
}

const shot = (page, selector) => page.locator(selector).first().evaluate((c) => c.toDataURL());

async function checkMotion(page) {
  const pixels = await drawnPixels(page, "#motion canvas");
  expect(pixels[0] > 500, `the mechanism is drawn (${pixels} pixels)`);
  const start = await shot(page, "#motion canvas");
  await page.locator("#motion input").focus();
  await page.locator("#motion input").fill("400");
  const later = await shot(page, "#motion canvas");
  expect(later !== start, "the slider moves the mechanism");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  expect((await shot(page, "#motion canvas")) !== later, "arrows move it");
  await page.keyboard.press("Home");
  await page.locator("h1").click(); // the focus leaves the slider
  await page.keyboard.press(" ");
  const shown = () => page.textContent("#motion output"); // "0.31 s" or "pose 12"
  const moved = async () => Number.parseFloat((await shown()).replace(/^\D+/, "")) > 0;
  for (let wait = 0; wait < 50 && !(await moved()); ++wait) await page.waitForTimeout(200);
  expect(await moved(), `space plays (${await shown()})`);
  await page.keyboard.press(" ");
  expect((await page.textContent(".play")) === "Play", "space pauses");
  await page.locator("#motion input").focus();
  await page.keyboard.press("End");
}

async function checkPlots(page, count) {
  const pixels = await curvePixels(page);
  expect(pixels.length >= count, `${count} plots at least (${pixels.length})`);
  pixels.forEach((n, k) => expect(n > 60, `plot ${k + 1} shows curves (${n} pixels)`));
  if (count === 0) return;
  const marks = await page.$$eval("#plots .now", (all) => all.map((m) => m.style.transform));
  expect(marks.every((m) => m === marks[0] && m !== ""), "every plot marks the same time");
  const label = page.locator("#plots .u-series th").nth(1);
  await label.focus();
  await page.keyboard.press("Enter");
  expect(await page.locator("#plots .u-series.u-off").count() > 0, "the keyboard switches a curve off");
  await page.keyboard.press("Enter");
}

async function checkText(page) {
  expect(((await page.textContent(".verdict")) ?? "").length > 20, "a verdict in words");
  const formulas = await page.$$eval("#equations details[open] .formula", (all) =>
    all.map((f) => ({ typeset: f.querySelector(".katex-html") !== null, width: f.getBoundingClientRect().width })));
  if (formulas.length > 0) {
    expect(formulas.some((f) => f.typeset && f.width > 50), "equations are typeset");
    const fonts = await page.evaluate(() => document.fonts.ready.then(() => document.fonts.check("12px KaTeX_Math")));
    expect(fonts, "the fonts of formulas are in the page");
  }
}

async function checkCharts(page, count) {
  const marks = await page.$$eval("#charts svg.chart", (all) => all.map((s) => s.querySelectorAll("circle, polyline, path.open").length));
  expect(marks.length >= count, `${count} charts (${marks.length})`);
  marks.forEach((n, k) => expect(n > 0, `chart ${k + 1} shows points`));
}

/// The middle of the first curve of a plot in every column of pixels, weighted with opacity: on a smooth curve it moves by
/// parts of a pixel.
function curveMiddles(page, index) {
  return page.locator("#plots .u-wrap canvas").nth(index).evaluate((canvas) => {
    const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
    const columns = new Map(); // to rows of coloured pixels, with their opacity
    for (let y = 0; y < canvas.height; ++y)
      for (let x = 0; x < canvas.width; ++x) {
        const i = 4 * (y * canvas.width + x);
        const [low, high] = [Math.min(data[i], data[i + 1], data[i + 2]), Math.max(data[i], data[i + 1], data[i + 2])];
        if (high - low < 60 || data[i + 3] === 0) continue;
        if (!columns.has(x)) columns.set(x, []);
        columns.get(x).push([y, data[i + 3] / 255]);
      }
    return [...columns].sort(([x], [other]) => x - other).map(([, c]) => c.reduce((s, [y, a]) => s + y * a, 0) / c.reduce((s, [, a]) => s + a, 0));
  });
}

/// In both themes, and on a narrow screen nothing is wider than it.
async function checkAccessibility(browser, file, name) {
  for (const colorScheme of ["light", "dark"]) {
    const page = await open(browser, file, { colorScheme, viewport: { width: 390, height: 844 } });
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(width <= 390, `${name}: a phone does not scroll sideways (${width} px)`);
    if (axe) (await seriousFindings(page, axe)).forEach((finding) => expect(false, `${name}, ${colorScheme}: ${finding}`));
    await page.context().close();
  }
}

/// A flat slope is drawn where it is, not on whole pixels: one curve  y = t^2/2 of a mass under a constant force.
async function checkSmoothness(browser) {
  const file = join(folder, "smooth.daedal");
  writeFileSync(file, "model smooth\ncoordinate x = 0 [m]\nkinetic x'^2/2\ninput u [N]\nforce u on x\n");
  const made = make("smooth", ["simulate", file, "--until", "1", "--input", "u=1", "--every", "0.0005"]);
  for (const ratio of [1, 2]) {
    const page = await open(browser, made, { deviceScaleFactor: ratio });
    const plots = await page.$$eval("#plots figcaption", (all) => all.map((c) => c.textContent));
    const middles = await curveMiddles(page, plots.findIndex((name) => name.startsWith("Coordinates")));
    expect(middles.length > 200 * ratio, `the curve is found (${middles.length} columns)`);
    // less than a pixel in a column everywhere, so stairs of whole pixels jump in one column of three or more; a smooth curve
    // bends by 1e-3 of a pixel in a column, and appears to do so by more where it crosses the grid
    const slopes = middles.slice(1).map((y, k) => y - middles[k]);
    const jumps = slopes.slice(1).filter((slope, k) => Math.abs(slope - slopes[k]) > 0.35).length;
    expect(jumps < 0.1 * middles.length, `at ${ratio}x a parabola is smooth (${jumps} jumps in ${middles.length} columns)`);
    await page.context().close();
  }
}

/// More curves than colours: dashes tell them apart, in the plot and in its legend; no value without a cursor.
async function checkLegend(browser) {
  const file = join(folder, "many.daedal");
  writeFileSync(file, "model many\nsize N = 8\ncoordinate x[1..N] [m]\nfor i in 1..N: initial x[i] = i\n" +
    "for i in 1..N: kinetic x[i]'^2/2\nfor i in 1..N: potential i*x[i]^2/2\n");
  const page = await open(browser, make("many", ["simulate", file, "--until", "2", "--global-error", "off"]));
  const legend = await page.locator("#plots figure").first().evaluate((figure) =>
    [...figure.querySelectorAll(".u-series")].slice(1).map((row) => {
      const line = row.querySelector(".swatch path");
      return { text: row.textContent.trim(), look: `${line?.getAttribute("stroke")} ${line?.getAttribute("stroke-dasharray")}` };
    }));
  expect(legend.length === 8, `eight curves (${legend.length})`);
  expect(new Set(legend.map((one) => one.look)).size === 8, "every curve has a look of its own in the legend");
  expect(legend.every((one, k) => one.text === `x[${k + 1}]`), `names alone without a cursor (${legend.map((one) => one.text)})`);
  const colons = await page.$$eval("#plots .u-series th", (all) => all.map((th) => getComputedStyle(th, "::after").content));
  expect(colons.every((content) => content === "none"), "no colon after a name");
  await page.locator("#plots .u-over").first().hover({ position: { x: 100, y: 50 } });
  const value = await page.locator("#plots .u-series .u-value").nth(1).textContent();
  expect(Number.isFinite(Number.parseFloat(value)), `the value under the cursor (${value})`);
  await page.context().close();
}

/// What rounding leaves of a real part does not look like a pole beside the axis.
async function checkPoleMap(browser) {
  const file = join(folder, "undamped.daedal");
  writeFileSync(file, "model undamped\ncoordinate x [m], y [m], z [m]\nkinetic (x'^2 + 3*y'^2 + 0.7*z'^2)/2\n" +
    "potential 40*(x - y)^2/2 + 17*(y - 1.3*z)^2/2 + 3*(z + 0.1*x)^2/2 + x*x/7\n");
  const page = await open(browser, make("undamped", ["analyse", file]));
  const map = await page.locator("#charts svg.chart").first().evaluate((svg) => {
    const marks = [...svg.querySelectorAll("path.open.curve-1")].map((m) => m.getBBox()).map((b) => b.x + b.width / 2);
    const axis = svg.querySelector("path.axis").getBBox();
    const ticks = [...svg.querySelectorAll("text.tick.middle")].map((t) => Math.abs(Number(t.textContent)));
    return { marks, zero: Number(/^M([\d.]+),/.exec(svg.querySelector("path.axis").getAttribute("d"))[1]), ticks, axis: axis.width };
  });
  expect(map.marks.length === 6, `six poles (${map.marks.length})`);
  expect(map.marks.every((x) => Math.abs(x - map.zero) < 0.5), `poles of an undamped model lie on the axis (${map.marks} at ${map.zero})`);
  expect(Math.max(...map.ticks) > 1e-9, `the axis does not show rounding errors (${map.ticks})`);
  await page.context().close();
}

/// Phase under gain, at the same frequencies.
async function checkBode(browser, file) {
  const page = await open(browser, file);
  const stack = await page.$$eval("#charts figure", (all) => all.filter((f) => f.querySelectorAll("svg.chart").length === 2).map((f) =>
    [...f.querySelectorAll("svg.chart")].map((svg) => ({ name: svg.getAttribute("aria-label"), top: svg.getBoundingClientRect().top,
      lines: [...svg.querySelectorAll("path.grid")].map((g) => g.getAttribute("d")).filter((d) => d.includes("V")).map((d) => /^M([\d.]+)/.exec(d)[1]) }))));
  expect(stack.length === 1, "one figure with two charts");
  const [gain, phase] = stack[0] ?? [];
  expect(gain?.name === "Gain" && phase?.name === "Phase" && phase.top > gain.top, "phase under gain");
  expect(gain?.lines.join() === phase?.lines.join() && gain?.lines.length > 1, "frequencies stand under each other");
  await page.context().close();
}

/// Every shape of a scene in space, alone: the picture with it differs from the one without it.
async function checkShapes(browser) {
  const shapes = ["box [0.5, 0, 0.5] width 0.4 height 0.2", "box [0, 0, 0] -> [0.4, 0.4, 0.2]", "text [0.5, 0.5, 0.5] label \"hello\"",
    "ring [0.5, 0, 0.5] radius 0.2", "spring [0, 0, 0.2] -> [1, 0, 0.2]", "arrow [0, 0, 0.2] -> [1, 0, 0.4]", "line [0, 0, 0.2] -> [1, 0, 0.2]",
    "disc [0.5, 0, 0.5] radius 0.1", "disc [0.5, 0, 0.5] radius 0.1 label \"tip\""];
  const pictures = new Map();
  for (const shape of ["", ...shapes]) {
    const file = join(folder, "shape.daedal");
    // the same lines span the scene every time
    writeFileSync(file, "model shape\ncoordinate a = 0.3 [rad]\nkinetic a'^2/2\npotential -cos(a)\n" +
      `draw line [-0.2, -0.2, -0.2] -> [1.2, -0.2, -0.2] -> [1.2, 1.2, 1.2]${shape && `, ${shape}`}\n`);
    const page = await open(browser, make("shape", ["simulate", file, "--until", "0.1", "--global-error", "off"]));
    pictures.set(shape, await shot(page, "#motion canvas"));
    await page.context().close();
  }
  expect(new Set(pictures.values()).size === pictures.size, "every shape is drawn in space");
}

/// Something small that travels far: the camera goes with it, or shows its whole way.
async function checkCamera(browser, dimension) {
  const file = join(folder, `travel${dimension}.daedal`);
  const point = (x, z) => (dimension === 3 ? `[${x}, 0, ${z}]` : `[${x}, ${z}]`);
  writeFileSync(file, "model travel\ncoordinate x = 0 [m]\nkinetic x'^2/2\ninitial x' = 5\n" +
    `draw line ${point("x", 0.3)} -> ${point("x + 0.5", 1)} -> ${point("x + 1", 0.3)}, ring ${point("x", 0.3)} radius 0.3, ring ${point("x + 1", 0.3)} radius 0.3\n`);
  const page = await open(browser, make(`travel${dimension}`, ["simulate", file, "--until", "5", "--global-error", "off"]));
  const dark = () => page.locator("#motion canvas").evaluate((canvas) => {
    const copy = document.createElement("canvas");
    [copy.width, copy.height] = [canvas.width, canvas.height];
    const context = copy.getContext("2d");
    context.drawImage(canvas, 0, 0);
    const data = context.getImageData(0, 0, copy.width, copy.height).data;
    let [count, left, right] = [0, Infinity, -Infinity];
    for (let i = 0; i < data.length; i += 4) {
      if (data[i + 3] < 128 || data[i] + data[i + 1] + data[i + 2] > 240) continue;
      const x = (i / 4) % copy.width;
      [count, left, right] = [count + 1, Math.min(left, x), Math.max(right, x)];
    }
    return { count, left: left / copy.width, right: right / copy.width };
  });
  const seen = [];
  for (const at of ["0", "500", "1000"]) {
    await page.locator("#motion input").fill(at);
    seen.push(await dark());
  }
  expect(seen.every((s) => s.count > 300 && s.left > 0.02 && s.right < 0.98), `in ${dimension}D it stays in the picture (${JSON.stringify(seen)})`);
  expect(Math.abs(seen[0].left - seen[2].left) < 0.1, "the camera goes with it");
  await page.click("#motion .camera");
  const whole = await dark();
  expect(whole.count > 0 && whole.count < seen[2].count && whole.right > 0.6, `the fixed view shows the whole way (${JSON.stringify(whole)})`);
  await page.context().close();
}

async function checkThemes(page) {
  const paper = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  const light = await paper();
  await page.click(".theme");
  expect((await paper()) !== light, "the button changes the theme");
  await page.click(".theme");
  expect((await paper()) === light, "and back");
}

/// On paper nothing scrolls: what is wider than it is lost.
async function checkPaper(page) {
  await page.setViewportSize({ width: 718, height: 1000 }); // A4 between its margins
  await page.emulateMedia({ media: "print" });
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  const ends = await page.$$eval("#equations details[open] .formula", (all) =>
    all.map((formula) => {
      const shown = [...formula.querySelectorAll(".katex-html .base")].map((base) => base.getBoundingClientRect().right);
      return Math.max(formula.getBoundingClientRect().right, ...shown);
    }));
  expect(ends.every((end) => end <= 719), `formulas end on the paper (${Math.round(Math.max(0, ...ends))} px)`);
  await page.emulateMedia({ media: "screen" });
}

/// Mean difference of two pictures in blocks of pixels, 0 to 1: letters and numbers may differ, missing things may not.
async function difference(browser, a, b) {
  const page = await browser.newPage();
  const result = await page.evaluate(async (sources) => {
    const blocks = [];
    for (const source of sources) {
      const image = new Image();
      image.src = source;
      await image.decode();
      const canvas = document.createElement("canvas");
      [canvas.width, canvas.height] = [48, 32];
      const context = canvas.getContext("2d");
      context.imageSmoothingQuality = "high";
      context.drawImage(image, 0, 0, 48, 32);
      blocks.push(context.getImageData(0, 0, 48, 32).data);
    }
    let sum = 0;
    for (let i = 0; i < blocks[0].length; ++i) sum += Math.abs(blocks[0][i] - blocks[1][i]);
    return sum / blocks[0].length / 255;
  }, [a, b].map((png) => `data:image/png;base64,${png.toString("base64")}`));
  await page.close();
  return result;
}

/// The first screen at the end of the motion, small.
async function checkPicture(browser, file, { name, picture, motion }) {
  const page = await open(browser, file, { colorScheme: picture, deviceScaleFactor: 0.6, viewport: { width: 1200, height: 760 } });
  if (motion) {
    await page.locator("#motion input").focus();
    await page.keyboard.press("End");
    await page.locator("#motion input").blur();
    await page.waitForTimeout(100);
  }
  const png = await page.screenshot();
  const reference = join(here, "screenshots", `${name}.png`);
  if (keep === "--keep") writeFileSync(reference, png);
  else {
    writeFileSync(join(folder, `${name}.png`), png);
    const off = await difference(browser, png, readFileSync(reference));
    // another font or number moves letters; a page without its motion or its panels differs far more
    expect(off < 0.03, `looks like tests/browser/screenshots/${name}.png (difference ${off.toFixed(4)}, now ${folder}/${name}.png)`);
  }
  await page.context().close();
}

/// Names and texts that try to become part of the page.
async function checkHostile(browser) {
  const evil = `</script><script>alert(1)</script><img src=x onerror=alert(2)> & \u{1F980}`;
  const file = join(folder, `evil '<b>&.daedal`);
  writeFileSync(file, `model m "${evil}"\n# ${evil}\ncoordinate \u00fc "${evil}" = 1 [m]\nkinetic \u00fc'^2/2\npotential \u00fc^2/2\n` +
    `output z "${evil}" = \u00fc\ndraw disc [\u00fc, 0] radius 0.1 label "${evil}"\n`);
  const page = await open(browser, make("hostile", ["simulate", file, "--until", "2"]));
  expect((await page.textContent(".doc")) === evil, "a hostile text is shown as it is");
  expect((await page.locator("img, b").count()) === 0, "a hostile text makes no elements");
  expect((await page.locator("script").count()) === 2, "a hostile text makes no scripts");
  await checkMotion(page);
  await checkPlots(page, 3);
  await page.context().close();
}

const browser = await browserType.launch({
  executablePath: chromium,
  args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--force-color-profile=srgb"],
});
try {
  for (const one of pages) {
    console.log(one.name);
    const file = make(one.name, one.ask, one.refused);
    expect(readFileSync(file).length < 1_500_000, "the page is below 1.5 MB");
    const page = await open(browser, file);
    await checkText(page);
    if (one.motion) await checkMotion(page);
    await checkPlots(page, one.plots);
    if (one.charts) await checkCharts(page, one.charts);
    await checkThemes(page);
    await checkPaper(page);
    await page.context().close();
    if (one.picture) await checkPicture(browser, file, one);
    if (["cable_robot", "delta_robot", "manipulator_2link", "refused", "pendulum"].includes(one.name)) await checkAccessibility(browser, file, one.name);
  }
  for (const [name, check] of Object.entries({ smoothness: checkSmoothness, legends: checkLegend, "pole map": checkPoleMap,
    "shapes in space": checkShapes, "camera in the plane": (b) => checkCamera(b, 2), "camera in space": (b) => checkCamera(b, 3),
    bode: (b) => checkBode(b, join(folder, "manipulator_2link.html")) })) {
    console.log(name);
    await check(browser);
  }
  console.log("hostile names");
  await checkHostile(browser);
} finally {
  await browser.close();
}
console.log(faults === 0 ? "no faults" : `${faults} faults`);
process.exit(faults === 0 ? 0 : 1);
