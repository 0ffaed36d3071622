// SPDX-License-Identifier: MIT

import { viewPlainText } from "@reading-list/article/view/plain-text.ts";
import { cleanAgain } from "@reading-list/article/view/sanitize.ts";
import { viewPage } from "@reading-list/article/view/text-view.ts";
import { mathAttributes, mathElements } from "@reading-list/core/domain/article-markup.ts";
import { prose } from "@reading-list/testing/page-server.ts";
import { type DefaultTreeAdapterTypes, parseFragment, serialize } from "parse5";
import { describe, expect, test } from "vitest";
import { costlyPages, maliciousMarkup } from "../hostile-pages.ts";

type Node = DefaultTreeAdapterTypes.ChildNode;

const attributesAllowed = ["href", "src", "alt", "title", "colspan", "rowspan", "start", "datetime", "lang", "dir"];
const elementsRefused =
  /^(?:script|style|link|meta|base|iframe|frame|frameset|object|embed|applet|form|input|button|select|option|textarea|svg|annotation|annotation-xml|maction|mglyph|malignmark|template|noscript|xmp|plaintext|noembed|noframes|title|video|audio|source|canvas|dialog|span|font|picture)$/;

/** Everything in a fragment, as a browser parses it, that docs/api.md 9.2 forbids. */
function violations(html: string): string[] {
  const found: string[] = [];
  const pending: Node[] = [...parseFragment(html).childNodes];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (node.nodeName === "#comment") found.push("comment");
    if (!("tagName" in node)) continue;
    const isFormula = node.namespaceURI === "http://www.w3.org/1998/Math/MathML";
    if (elementsRefused.test(node.tagName)) found.push(node.tagName);
    if (isFormula ? !mathElements.includes(node.tagName) : node.namespaceURI !== "http://www.w3.org/1999/xhtml")
      found.push(`${node.namespaceURI} ${node.tagName}`);
    const ofFormula = isFormula ? [...(mathAttributes["*"] ?? []), ...(mathAttributes[node.tagName] ?? [])] : [];
    for (const { name, value } of node.attrs) {
      if (!(isFormula ? ofFormula : attributesAllowed).includes(name)) found.push(`${node.tagName} ${name}`);
      if (name === "href" && !/^(?:https?:\/\/|mailto:)/.test(value)) found.push(value);
      if (name === "src" && !/^https?:\/\//.test(value)) found.push(value);
    }
    pending.push(...node.childNodes);
  }
  return found;
}

/** The first end tag that does not end the last open element, or the elements that are still open. */
function unbalanced(html: string): string[] {
  const open: string[] = [];
  for (const [tag, slash, name = ""] of html.matchAll(/<(\/?)([a-z][a-z0-9]*)[^>]*>/g)) {
    if (["br", "hr", "wbr", "img"].includes(name)) continue;
    if (slash === "") open.push(name);
    else if (open.pop() !== name) return [tag];
  }
  return open;
}

const pageWith = (markup: string) =>
  `<!doctype html><html><head><title>A story</title></head><body><article>${prose}<div>${markup}</div>${prose}</article></body></html>`;

const modes = ["less", "more"] as const;

describe("the output of a hostile page is clean HTML", () => {
  test.each(Object.entries(maliciousMarkup))("%s", (_name, markup) => {
    for (const mode of modes) {
      for (const html of [pageWith(markup), markup]) {
        const view = viewPage(html, "https://a.example/story", { mode, images: true });
        expect(violations(view.html)).toEqual([]);
        expect(unbalanced(view.html)).toEqual([]);
        const once = serialize(parseFragment(view.html));
        expect(serialize(parseFragment(once)), "parsed and written again").toBe(once);
        expect(viewPage(html, "https://a.example/story", { mode, images: false }).html).not.toContain("<img");
      }
    }
  });

  test.each(Object.entries(maliciousMarkup))("even from a file that anyone may have changed: %s", (_name, markup) => {
    const html = cleanAgain(`<p>${markup}</p>`, "https://a.example/story");
    const inFormulas = violations(html).filter((name) => !name.startsWith("http://www.w3.org/1998/Math/MathML "));
    expect(inFormulas).toEqual([]);
  });

  test("also for plain text", () => {
    for (const markup of [...Object.values(maliciousMarkup), ...Object.values(costlyPages).slice(0, 3)]) {
      expect(violations(viewPlainText(markup).html)).toEqual([]);
    }
  });
});

test("a title is plain text, whatever it contains", () => {
  const page = "<title>a &lt;script&gt;alert(1)&lt;/script&gt; b\r\nSet-Cookie: x</title>";
  const { title } = viewPage(page, "https://a.example/", { mode: "less", images: false });
  expect(title).toBe("a <script>alert(1)</script> b Set-Cookie: x");
});

describe("a link whose target is not http, https or mailto loses its tags, and nothing else changes", () => {
  test.each([
    ["a phone number", '<a href="tel:1">'],
    ["another application", '<a href="whatsapp://send">'],
    ["a script", '<a href="javascript:alert(1)">'],
    ["an invalid URL", '<a href="https://">'],
    ["no target", '<a name="x">'],
  ])("%s", (_name, start) => {
    for (const mode of modes) {
      const sentence = (link: string, form: string) =>
        `<p>Those who want a berth in the harbour call ${link} or <a href="${form}">write to</a> the <b>harbour master</b>.</p>`;
      const page = `<title>A story</title><article>${prose}${sentence(`${start}1</a>`, "/form")}${prose}</article>`;
      expect(viewPage(page, "https://a.example/story", { mode, images: true }).html).toContain(
        sentence("1", "https://a.example/form"),
      );
    }
  });

  test("a cell outside of a table is a div", () => {
    const page = `<table><tr><td>${prose}</td><td><a href="/a">Ports</a></td></tr></table>`;
    const { html } = viewPage(page, "https://a.example/story", { mode: "less", images: false });
    expect(html).toContain("Paragraph 5");
    expect(serialize(parseFragment(html))).toBe(html);
  });

  test("elements without content have no end tag", () => {
    const page = `<article>${prose}<p>A word that is long<wbr>er than a line of the harbour<br>master's book.</p>${prose}</article>`;
    expect(viewPage(page, "https://a.example/story", { mode: "less", images: true }).html).toContain(
      "long<wbr />er than a line of the harbour<br />master",
    );
  });

  test("an image without a source that a browser can fetch is left out", () => {
    const markup = '<p><img src="data:image/gif;base64,R0"> <b>one</b> <img src="/two.png"> three</p>';
    const { html } = viewPage(pageWith(markup), "https://a.example/story", { mode: "more", images: true });
    expect(html).toMatch(/<p>\s*<b>one<\/b> <img src="https:\/\/a.example\/two.png" alt="" \/> three<\/p>/);
  });
});

test("a plain-text page of 5 MB in short blocks gives a view of whole blocks, of at most 5 MB", () => {
  const { html } = viewPlainText("a\n\n".repeat(1_600_000));
  expect(Buffer.byteLength(html)).toBeLessThanOrEqual(5_000_000);
  expect(html).toMatch(/<p>a<\/p>$/);
});
