// SPDX-License-Identifier: MIT

import { createHash } from "node:crypto";
import { escapeHtml } from "@reading-list/core/domain/escape.ts";
import { type ServiceError, wrongCredentials } from "@reading-list/core/errors.ts";
import type { HttpAnswer } from "@reading-list/http/call.ts";
import { apiStatusOf, createFailureHeaders } from "@reading-list/http/errors.ts";
import { findPageTexts, type PageTexts } from "./texts.ts";

/** The colours and types of the web reader (packages/web/main/theme.css). */
const style = `
:root { color-scheme: light dark; --page: #fdfcfa; --raised: #fff; --ink: #1f1d1a; --muted: #69635b; --line: #e6e1d8;
  --accent: #8a3b24; --on-accent: #fff; --danger: #a3231c; }
@media (prefers-color-scheme: dark) { :root { --page: #181715; --raised: #22201d; --ink: #e8e3da; --muted: #a39c91;
  --line: #3b3731; --accent: #e6a486; --on-accent: #22130c; --danger: #ff9a8f; } }
* { box-sizing: border-box; }
body { margin: 0; padding: 1rem; background: var(--page); color: var(--ink);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
main { max-width: 26rem; margin: 6vh auto 0; padding: 1.5rem; background: var(--raised); border: 1px solid var(--line);
  border-radius: 12px; overflow-wrap: anywhere; }
h1 { margin: 0 0 1rem; font-size: 1.25rem; line-height: 1.3; }
p, dl, ul { margin: 0 0 1rem; }
dt { color: var(--muted); font-size: .875rem; }
dd { margin: 0 0 .75rem; }
.note { color: var(--muted); font-size: .875rem; }
.code { font: 600 1.25rem ui-monospace, monospace; letter-spacing: .1em; }
label { display: block; margin-bottom: 1rem; color: var(--muted); font-size: .875rem; }
input { display: block; width: 100%; margin-top: .25rem; padding: .6rem .75rem; background: var(--page); color: var(--ink);
  border: 1px solid var(--muted); border-radius: 8px; font: inherit; font-size: 1rem; }
.buttons { display: flex; flex-wrap: wrap; gap: .75rem; }
button, .button { flex: 1; min-height: 2.75rem; padding: .5rem 1rem; border: 1px solid var(--muted); border-radius: 8px;
  background: none; color: var(--ink); font: inherit; font-weight: 600; text-align: center; text-decoration: none; cursor: pointer; }
.main { border-color: var(--accent); background: var(--accent); color: var(--on-accent); }
::placeholder { color: var(--muted); font-weight: 400; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
`;
const styleHash = createHash("sha256").update(style).digest("base64");

/**
 * A page without scripts. `destination`: where its form may lead by a redirect, which browsers check by `form-action`, too.
 * Its password is sent with `Origin`, which `no-referrer` would hide (docs/api.md 5.4).
 */
export function answerPage(
  { language, direction }: PageTexts,
  title: string,
  content: string,
  { status = 200, headers = {}, destination = "" } = {},
): HttpAnswer {
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${styleHash}'`,
    `form-action 'self'${destination && ` ${destination}`}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    status,
    headers: {
      "Content-Type": "text/html; charset=utf-8",
      "Content-Security-Policy": policy.join("; "),
      "Referrer-Policy": "same-origin",
      "X-Content-Type-Options": "nosniff",
      "X-Frame-Options": "DENY",
      ...headers,
    },
    body: `<!doctype html>
<html lang="${language}" dir="${direction}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title><style>${style}</style></head>
<body><main><h1>${escapeHtml(title)}</h1>${content}</main></body></html>
`,
  };
}

export const paragraph = (text: string, name = "") => `<p${name && ` class="${name}"`}>${escapeHtml(text)}</p>`;

/** A page that says something. */
export const showMessage = (texts: PageTexts, title: string, text: string, status = 200): HttpAnswer =>
  answerPage(texts, title, paragraph(text), { status });

/** A page with an error, and a way back to the form: `again` is its URL. */
export function showError(error: ServiceError, again: string, acceptLanguage: string | undefined): HttpAnswer {
  const texts = findPageTexts(acceptLanguage);
  const status = apiStatusOf[error.kind];
  const { title, retry } = texts.error;
  const link = `<p class="buttons"><a class="button" href="${escapeHtml(again)}">${escapeHtml(retry)}</a></p>`;
  return answerPage(texts, title, `${alert(explainError(texts, error))}${link}`, {
    status,
    headers: createFailureHeaders(error, status),
  });
}

/** In English if the language has no text for the code. Not every `unauthorized` is a wrong password. */
function explainError({ error: { codes } }: PageTexts, { code, message }: ServiceError): string {
  const isKnown = code !== "unauthorized" || message === wrongCredentials().message;
  return (isKnown && codes[code]) || `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
}

const alert = (text: string) => `<p role="alert" dir="auto">${escapeHtml(text)}</p>`;

/** The page on which a user enters the code of a device, or confirms the code in the device's link. */
export function askUserCode(
  texts: PageTexts,
  { code = "", message }: { code?: string | undefined; message?: string },
): HttpAnswer {
  const { device } = texts;
  const form = `<form method="post" action="?"><label>${escapeHtml(device.code)} <input class="code" name="user_code" value="${escapeHtml(code)}"
dir="ltr" autocomplete="off" autocapitalize="characters" spellcheck="false" maxlength="20" placeholder="BCDF-GHJK" required></label>
<div class="buttons"><button class="main">${escapeHtml(device.continue)}</button></div></form>`;
  const content = `${message === undefined ? "" : alert(message)}${paragraph(device.hint)}${form}`;
  return answerPage(texts, device.title, content, { status: message === undefined ? 200 : 404 });
}
