// SPDX-License-Identifier: MIT

/** The document in the frame of an article. */

/** The document of a frame without its article. Its policy adds to the page's, which it inherits. */
export function writeShell(images: boolean): string {
  const policy = `default-src 'none'; img-src ${images ? "blob:" : "'none'"}; base-uri 'none'; form-action 'none'`;
  // Until it has its styles, it is as light or dark as the page.
  const { colorScheme } = getComputedStyle(document.documentElement);
  return `<!doctype html><html class="frame"><head><meta charset="utf-8"><meta name="color-scheme" content="${colorScheme}"><title>Article</title>
<meta http-equiv="Content-Security-Policy" content="${policy}"><meta name="referrer" content="no-referrer"></head><body class="article"></body></html>`;
}

/** Gives a frame the styles of the page. It cannot load them offline: in Firefox a sandboxed frame has no service worker. */
export function adoptStyles(content: Document): void {
  const own = [...document.querySelectorAll<HTMLLinkElement>("link[rel=stylesheet]")];
  content.adoptedStyleSheets = own.flatMap(({ sheet }) => {
    const copy = content.defaultView && new content.defaultView.CSSStyleSheet();
    copy?.replaceSync([...(sheet?.cssRules ?? [])].map(({ cssText }) => cssText).join("\n"));
    return copy ?? [];
  });
}
