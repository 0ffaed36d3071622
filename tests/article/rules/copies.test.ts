// SPDX-License-Identifier: MIT

import { allRules } from "@reading-list/article/article/rules.ts";
import { newElement } from "@reading-list/article/document/dom.ts";
import { Page } from "@reading-list/article/document/page.ts";
import { cleanArticle, type Rule } from "@reading-list/article/rules/rule.ts";
import { runs } from "@reading-list/testing/property-runs.ts";
import fc from "fast-check";
import { expect, test } from "vitest";

const texts = ["mill", "boat", "wheel"].map(
  (word) => `The ${word} is named once in this sentence, which is long enough to be taken for a copy of another one.`,
);
const part = fc.constantFrom(
  ...texts.map((text) => `<p>${text}</p>`),
  `<figure><img src="/mill.jpg"><figcaption>${texts[0]}</figcaption></figure>`,
  ...texts.map((text) => `<h2>Hours</h2><p>${text}</p><p>${text}</p>`),
);
const { tree } = fc.letrec<{ tree: string }>((self) => ({
  tree: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    part,
    fc
      .tuple(
        fc.constantFrom("div", "section", 'div class="away"'),
        fc.array(self("tree"), { minLength: 1, maxLength: 4 }),
      )
      .map(([tag, inner]) => `<${tag}>${inner.join("")}</${tag.split(" ")[0]}>`),
  ),
}));
const copies = allRules.article.filter(({ removesCopies }) => removesCopies);
/** A rule that comes after the one for copies. */
const away: Rule = {
  name: "away",
  isCertain: () => true,
  apply: (article) => [...article.querySelectorAll(".away")],
};
const context = { title: "", authors: [], images: true, type: "other" } as const;

test("one copy of a text or picture stays, outside the parts that other rules remove", () => {
  fc.assert(
    fc.property(fc.array(tree, { minLength: 1, maxLength: 5 }), fc.boolean(), (parts, isLater) => {
      const { document } = new Page(`<main>${parts.join("")}</main>`, "https://example.com/");
      const all = document.body.cloneNode(true);
      for (const box of all.querySelectorAll(".away")) box.remove();
      cleanArticle(isLater ? [...copies, away] : [away, ...copies], document.body, context);
      const left = newElement(document, "div", [document.body]);
      const lost = texts.filter((text) => all.textContent.includes(text) && !left.textContent.includes(text));
      expect(lost).toEqual([]);
      expect(left.querySelector("img") === null).toBe(all.querySelector("img") === null);
      expect(left.querySelector("h2") === null).toBe(all.querySelector("h2") === null);
    }),
    runs(300),
  );
});
