// The documentation's site in a real browser, from disk: start page, search, menu of a phone, gallery.
//
//   node site_test.mjs SITE PACKAGES
//
// Exit code 77: skipped, with the reason.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { axeOf, seriousFindings } from "./accessibility.mjs";

const [site, packages] = process.argv.slice(2);
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

let faults = 0;
function expect(truth, what) {
  if (truth) return;
  ++faults;
  console.log(`  FAULT: ${what}`);
}

const browser = await browserType.launch({ executablePath: chromium, args: ["--no-sandbox", "--force-color-profile=srgb"] });

async function open(address, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: "no-preference", ...options });
  const page = await context.newPage();
  page.on("console", (m) => expect(!["error", "warning"].includes(m.type()), `console: ${m.text()}`));
  page.on("pageerror", (e) => expect(false, `script: ${e.message}`));
  page.on("request", (r) => expect(/^(file|data|blob):/.test(r.url()), `asks for ${r.url().slice(0, 80)}`));
  await page.goto(`file://${join(site, address)}`);
  return page;
}

/// In the first screen: a picture that moves, three commands, their verdicts; the reports open.
async function checkStart() {
  const page = await open("index.html");
  const picture = page.locator(".hero img");
  const box = await picture.boundingBox();
  expect(box !== null && box.width > 300 && box.y + box.height < 800, `the picture is in the first screen (${JSON.stringify(box)})`);
  const before = await picture.screenshot();
  await page.waitForTimeout(1500);
  expect(!(await picture.screenshot()).equals(before), "the picture moves");
  const verdicts = await page.$$eval(".questions .verdict", (all) => all.map((v) => v.textContent));
  expect(verdicts.length === 3 && verdicts.every((v) => v.length > 20), `three verdicts (${verdicts})`);
  const commands = await page.$$eval(".questions code", (all) => all.map((c) => c.textContent.split(" ").slice(0, 2).join(" ")));
  expect(commands.join() === "daedal simulate,daedal analyse,daedal invert", `three commands (${commands})`);
  const reports = await page.$$eval(".questions a", (all) => all.map((a) => new URL(a.href).pathname));
  expect(reports.length === 3 && reports.every(existsSync), "their reports are there");
  await page.context().close();
  const still = await open("index.html", { reducedMotion: "reduce" });
  expect((await still.locator(".hero img").evaluate((img) => img.currentSrc)).endsWith("still.svg"), "nothing moves for who asks for that");
  await still.context().close();
}

/// What is searched is found, by keyboard alone, from any folder of the site.
async function checkSearch() {
  for (const [from, asked, goal] of [
    ["index.html", "radau5", /methods\/radau5\.html/],
    ["docs/concepts/drift.html", "rest_to_rest", /language\//],
    ["docs/cli.html", "servo-constraint", /servo_constraints/],
  ]) {
    const page = await open(from);
    await page.keyboard.press("/");
    await page.keyboard.type(asked);
    await page.waitForSelector(".search li a");
    const found = await page.$$eval(".search li a", (all) => all.map((a) => a.getAttribute("href")));
    expect(found.some((address) => goal.test(address)), `'${asked}' finds ${goal} (${found})`);
    await page.keyboard.press("ArrowDown");
    const href = await page.evaluate(() => document.activeElement.href);
    await Promise.all([page.waitForURL((url) => url.href === href), page.keyboard.press("Enter")]);
    expect(existsSync(new URL(href).pathname), "the address exists");
    await page.context().close();
  }
  const page = await open("index.html");
  await page.fill(".search input", "xyzzyplugh");
  await page.waitForSelector(".search ul:not([hidden])");
  expect((await page.textContent(".search ul")) === "nothing found", "says when there is nothing");
  await page.context().close();
}

/// The menu of a phone is closed at first; with it closed the text is in the first screen.
async function checkPhone() {
  const page = await open("docs/cli.html", { viewport: { width: 390, height: 844 } });
  expect(!(await page.isVisible("#pages")), "the menu is closed");
  const heading = await page.locator("h1").boundingBox();
  expect(heading.y < 200, `the text begins at the top (${heading.y})`);
  await page.click(".menu");
  expect(await page.isVisible("#pages"), "the button opens the menu");
  expect((await page.getAttribute(".menu", "aria-expanded")) === "true", "and says so");
  await page.click(".menu");
  expect(!(await page.isVisible("#pages")), "and closes it");
  await page.context().close();
}

/// Every card of the gallery opens a report.
async function checkGallery() {
  const page = await open("docs/gallery.html");
  const cards = await page.$$eval(".gallery > section", (all) => all.map((s) => new URL(s.querySelector("a.picture").href).pathname));
  expect(cards.length >= 20, `the models of the library (${cards.length})`);
  expect(cards.every(existsSync), "their reports are there");
  await page.locator("a.picture").first().click();
  await page.waitForSelector(".verdict");
  await page.context().close();
}

/// A learner goes on by "next" through the tutorial, the guides and the theory, and meets every page once.
async function checkOrder() {
  const page = await open("index.html");
  const groups = await page.$$eval("#pages summary", (all) => all.map((s) => s.textContent));
  const order = ["Start", "Tutorial", "How to", "Reference", "Theory"].map((name) => groups.indexOf(name));
  expect(order.every((at, k) => at >= 0 && (k === 0 || at > order[k - 1])), `the order of the menu (${groups})`);
  const way = ["index.html"];
  const last = "docs/methods/structure.html";
  while (way.at(-1) !== last) {
    const next = await page.locator(".neighbours .next").getAttribute("href");
    await page.goto(new URL(next, page.url()).href);
    const here = page.url().replace(/.*\/site\//, "");
    if (way.includes(here)) break;  // in circles
    way.push(here);
  }
  const lessons = ["index.html", "docs/getting_started.html", "docs/howto/close_a_loop.html", "docs/language/cookbook.html", last];
  const places = lessons.map((lesson) => way.indexOf(lesson));
  expect(places.every((at, k) => at >= 0 && (k === 0 || at > places[k - 1])), `the way of a learner (${way})`);
  await page.context().close();
}

/// Formulas of the theory have numbers that links lead to; commands have none.
async function checkFormulas() {
  for (const [address, count] of [["docs/methods/steppers.html", 2], ["docs/methods/dop853.html", 0]]) {
    const page = await open(address);
    const numbers = await page.$$eval(".formula > a", (all) => all.map((a) => [a.textContent, a.hash, a.parentElement.id]));
    expect(numbers.length === count, `${address}: ${numbers.length} formulas`);
    expect(numbers.every(([text, hash, id], k) => text === `(${k + 1})` && hash === `#${id}`), `${address}: ${numbers}`);
    await page.context().close();
  }
}

async function checkAccessibility() {
  for (const address of ["index.html", "docs/gallery.html", "docs/getting_started.html", "docs/cli.html", "docs/methods/radau5.html"])
    for (const [colorScheme, width] of [["light", 1280], ["dark", 390]]) {
      const page = await open(address, { colorScheme, viewport: { width, height: 844 } });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      expect(wide <= width, `${address}: nothing is wider than the screen (${wide} px of ${width})`);
      if (axe) (await seriousFindings(page, axe)).forEach((finding) => expect(false, `${address}, ${colorScheme}: ${finding}`));
      await page.context().close();
    }
}

try {
  for (const check of [checkStart, checkSearch, checkPhone, checkGallery, checkOrder, checkFormulas, checkAccessibility]) {
    console.log(check.name);
    await check();
  }
} finally {
  await browser.close();
}
console.log(faults === 0 ? "no faults" : `${faults} faults`);
process.exit(faults === 0 ? 0 : 1);
