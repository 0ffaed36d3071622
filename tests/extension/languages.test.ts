// SPDX-License-Identifier: MIT

import { buildExtension, selectTexts } from "@reading-list/extension/build.ts";
import { launchWithExtension } from "@reading-list/testing/browser.ts";
import { chromiumFor } from "@reading-list/testing/find-browser.ts";
import { temporaryFolder } from "@reading-list/testing/temporary-folder.ts";
import { languages, readCatalogue } from "@reading-list/web/catalogues.ts";
import { describe, expect, test } from "vitest";

declare const chrome: { i18n: { getMessage(name: string, values: string[]): string } };

describe.skipIf(!chromiumFor("the languages of the extension"))("the extension", () => {
  const english = selectTexts(readCatalogue("en"));

  test.each(languages)("in %s has all its texts, with their values in place", async (language) => {
    const folder = temporaryFolder();
    await buildExtension(folder);
    const { context, origin } = await launchWithExtension(folder, { language });
    const page = await context.newPage();
    await page.goto(`${origin}/options.html`);
    await page.locator("h1").waitFor();

    const catalogue = readCatalogue(language);
    const texts = Object.entries(selectTexts(catalogue)).map(([name, text]) => {
      const values = english[name]?.match(/\{\w+\}/g) ?? [];
      return { name, values, text };
    });
    const found = await page.evaluate(
      (asked) =>
        asked.map(({ name, values, text }) => ({ name, values, text: text && chrome.i18n.getMessage(name, values) })),
      texts,
    );
    expect(found).toEqual(texts);
    const root = page.locator("html");
    expect([await root.getAttribute("lang"), await root.getAttribute("dir")]).toEqual([language, catalogue.direction]);
    expect(await page.locator("body").innerText()).not.toMatch(/[{}$]/);
    const isWide = await root.evaluate((html) => html.scrollWidth > html.clientWidth);
    expect(isWide).toBe(false);
  });
});
