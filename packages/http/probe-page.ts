// SPDX-License-Identifier: MIT

import type { HttpAnswer } from "./call.ts";

/** The paths of the page that the synthetic user of a stage saves, and of its picture. */
export const probePaths = { page: "/health/page", picture: "/health/picture.png" } as const;

/** A blue rectangle of 320 × 200 pixels. */
const png =
  "iVBORw0KGgoAAAANSUhEUgAAAUAAAADIAQMAAACjyqroAAAAA1BMVEUzZpk7I4HSAAAAHklEQVR42u3BAQ0AAADCoPdPbQ8HFAAAAAAAAADwYiAIAAFD65fuAAAAAElFTkSuQmCC";

/** A sentence of the page, which its text must have. */
export const probeSentence = "The ferry leaves the harbour at seven in the morning";

const paragraph = `<p>${probeSentence}, crosses the bay in forty minutes, and comes back in the evening, when the fishing boats have gone out. Between the two crossings the crew paints the rail, mends the nets of their neighbours, and reads what the passengers have left behind.</p>`;

const page = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="robots" content="noindex"><title>A page for tests</title></head>
<body><article><h1>A page for tests</h1><img src="${probePaths.picture}" alt="The bay">${paragraph.repeat(4)}</article></body></html>`;

const answers: Record<string, [type: string, body: string | Buffer]> = {
  [probePaths.page]: ["text/html; charset=utf-8", page],
  [probePaths.picture]: ["image/png", Buffer.from(png, "base64")],
};

/** The page of the synthetic user, or its picture; undefined for any other path. */
export function answerProbe(path: string): HttpAnswer | undefined {
  const [type, body] = answers[path] ?? [];
  if (type === undefined || body === undefined) return undefined;
  return { status: 200, headers: { "Content-Type": type, "Cache-Control": "no-store" }, body };
}
