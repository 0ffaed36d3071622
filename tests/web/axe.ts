// SPDX-License-Identifier: MIT

import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";

const axe = readFileSync(new URL(import.meta.resolve("axe-core/axe.min.js")), "utf8");

/** The findings of axe that are serious or worse. It cannot look into the frame of an article, which runs no scripts. */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run(options: object): Promise<{ violations: Violation[] }> } };
    interface Violation {
      id: string;
      impact: string;
      nodes: { html: string; failureSummary: string }[];
    }
    const { violations } = await axe.run({ iframes: false });
    return violations
      .filter(({ impact }) => ["serious", "critical"].includes(impact))
      .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`));
  });
}
