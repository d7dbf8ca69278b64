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
  }
  console.log("hostile names");
  await checkHostile(browser);
} finally {
  await browser.close();
}
console.log(faults === 0 ? "no faults" : `${faults} faults`);
process.exit(faults === 0 ? 0 : 1);
