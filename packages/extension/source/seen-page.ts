// SPDX-License-Identifier: MIT

/** The page of a tab. */
interface SeenPage {
  url: string;
  /** Empty if the tab shows no HTML, or the page is too large. */
  html: string;
  /** Length of the HTML in UTF-8. */
  bytes: number;
}

/**
 * The page as the user sees it, without scripts, event handlers, the content of forms, and elements that no text view
 * shows. It runs in the page, so it uses no variable of its module. It does not change the page.
 */
export function readSeenPage(maxBytes: number): SeenPage {
  const { href: url } = location;
  if (!/^(text\/html|application\/xhtml\+xml)$/.test(document.contentType)) return { url, html: "", bytes: 0 };
  // In a document without a window no script runs, and nothing is loaded.
  const copy = document.implementation.createHTMLDocument("");
  const page = copy.importNode(document.documentElement, true);
  const removed =
    "script, noscript, style, template, iframe, frame, object, embed, svg, canvas, input, select, textarea, datalist, output";
  for (const element of page.querySelectorAll(removed)) element.remove();
  for (const element of page.querySelectorAll("*")) {
    for (const { name, value } of [...element.attributes]) {
      const isCode = /^on|^srcdoc$/i.test(name) || /^(javascript|data|blob):/i.test(value.replaceAll(/\s/g, ""));
      if (isCode || /^(value|action|formaction|nonce)$/i.test(name)) element.removeAttribute(name);
    }
  }
  const base = copy.createElement("base");
  base.href = document.baseURI;
  page.querySelector("head")?.prepend(base);
  const html = `<!doctype html>${page.outerHTML}`;
  const bytes = new TextEncoder().encode(html).length;
  return { url, html: bytes > maxBytes ? "" : html, bytes };
}
