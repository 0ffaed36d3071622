// SPDX-License-Identifier: MIT

import { allRules } from "@reading-list/article/article/rules.ts";
import { type DomElement, newElement } from "@reading-list/article/document/dom.ts";
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
const away = {
  name: "away",
  isCertain: () => true,
  apply: (article: DomElement) => [...article.querySelectorAll(".away")],
} satisfies Rule;
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

/** A rule that removes a box only after its copies are gone. */
const awayIfShort: Rule = {
  ...away,
  apply: (article) => away.apply(article).filter((box) => box.textContent.length < 250),
};
const remainderOf = (markup: string, rules: readonly Rule[]) => {
  const { document } = new Page(`<main>${markup}</main>`, "https://example.com/");
  cleanArticle(rules, document.body, context);
  return document.body.textContent;
};

test.each([
  ["of three in a row", (text: string) => `<p>${text}</p><p>${text}</p><p>${text}</p>`],
  ["in nested boxes", (text: string) => `<div><div><div><p>${text}</p></div><p>${text}</p></div><p>${text}</p></div>`],
  [
    "in two branches if another rule removes others",
    (text: string) => `<div class="away"><p>${text}</p></div><p>${text}</p><div class="away"><p>${text}</p></div>`,
  ],
  [
    "if another one is a caption",
    (text: string) => `<figure><figcaption>${text}</figcaption></figure><p>${text}</p><p>${text}</p>`,
  ],
  ["if another one is a heading", (text: string) => `<h2>${text}</h2><h2>Hours</h2><p>${text}</p><p>${text}</p>`],
  [
    "if another rule removes the one that was left, in a second round",
    (text: string) =>
      `<h2>${texts[1]}</h2><h2>Hours</h2><p>${texts[1]}</p><p>${text}</p><div class="away"><h3>Hours</h3><p>${text}</p><p>${text}</p><p>${text}</p></div>`,
  ],
])("a copy stays %s", (_name, copiesOf) => {
  const [text = ""] = texts;
  expect(remainderOf(copiesOf(text), [away, ...allRules.article])).toContain(text);
  expect(remainderOf(copiesOf(text), [awayIfShort, ...allRules.article])).toContain(text);
});

test("a paragraph stays if rules with names remove only its copies", () => {
  const named = fc.constantFrom("promo", "newsletter", "photo-caption", "share");
  const box = fc
    .tuple(named, fc.array(part, { minLength: 1, maxLength: 3 }))
    .map(([name, parts]) => `<div class="${name}">${parts.join("")}</div>`);
  fc.assert(
    fc.property(fc.array(fc.oneof(part, box, tree), { minLength: 1, maxLength: 6 }), (parts) => {
      const { document } = new Page(`<main>${parts.join("")}</main>`, "https://example.com/");
      const all = document.body.cloneNode(true);
      for (const removed of all.querySelectorAll(".promo,.newsletter,.photo-caption,.share,figure")) removed.remove();
      const rest = remainderOf(parts.join(""), [...allRules.article, ...allRules.last]);
      expect(texts.filter((text) => all.textContent.includes(text) && !rest.includes(text))).toEqual([]);
    }),
    runs(300),
  );
});
