// What axe-core finds on a page: serious and critical findings alone, as "rule: where".
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

export function axeOf(packages) {
  const file = join(packages, "node_modules/axe-core/axe.min.js");
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}

export async function seriousFindings(page, axe) {
  await page.evaluate(axe); // by the debugger: the page's policy permits no other script
  const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"], preload: false }));
  return found.violations
    .filter((one) => ["serious", "critical"].includes(one.impact))
    .map((one) => `${one.id}: ${one.nodes.slice(0, 3).map((node) => `${node.target.join(" ")} (${node.any[0]?.message ?? node.all[0]?.message ?? ""})`).join(", ")}`);
}
