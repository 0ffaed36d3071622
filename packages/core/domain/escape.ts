// SPDX-License-Identifier: MIT

/** Text as content of an HTML element. */
export const escapeText = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** Text as HTML, also within an attribute. Entities have names, as every serialiser writes them: small clients decode no others. */
export const escapeHtml = (text: string): string => escapeText(text).replaceAll('"', "&quot;");

const references: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', nbsp: " ", "#39": "'" };

/** The text that sanitised HTML writes, within an element or an attribute: it has no other references. */
export const decodeText = (html: string): string =>
  html.replaceAll(/&(#39|[a-z]+);/g, (reference, name: string) => references[name] ?? reference);

/** Text for XML, also within an attribute. Drops the characters that XML 1.0 forbids, and keeps carriage returns. */
export const escapeXml = (text: string): string =>
  escapeHtml(text.replaceAll(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "")).replaceAll("\r", "&#13;");
