// SPDX-License-Identifier: MIT

import type { Settings } from "../../kit/settings.ts";
import { type Typeface, type TypefaceFile, typefaces } from "../../kit/typefaces.ts";

/** The files of each typeface beside the page, as JSON; build.ts defines it. */
declare const TYPEFACE_FILES: string;
const filesByTypeface: Record<Typeface, TypefaceFile[]> = JSON.parse(TYPEFACE_FILES);

const isBrought = (font: Settings["font"]): font is Typeface => font in typefaces;

/** The value of `font-family`. A newer version may have stored a typeface that this version does not have. */
export function writeFontFamily(font: Settings["font"]): string {
  if (!isBrought(font)) return font === "sans" ? "var(--sans)" : "var(--serif)";
  const { name, generic } = typefaces[font];
  return `"${name}", var(--${generic})`;
}

/**
 * Loads the files of a typeface that have characters of an article, and hands them as bytes to its frame, which loads
 * nothing, and to the page, which prints. Without a connection the typeface of the system stays.
 */
export async function loadTypeface(font: Settings["font"], content: Document): Promise<void> {
  if (!isBrought(font)) return;
  const text = content.body.textContent ?? "";
  const needed = filesByTypeface[font].filter(([, , range]) => toCharacterClass(range).test(text));
  await Promise.all(needed.map((file) => loadFile(typefaces[font].name, file, [content, document])));
}

/** Names of the files that a document has: the page has many articles, and an article several pages. */
const loaded = new WeakMap<Document, Set<string>>();

async function loadFile(family: string, [name, style, range]: TypefaceFile, into: readonly Document[]): Promise<void> {
  const missing = into.filter((target) => !loaded.get(target)?.has(name));
  if (missing.length === 0) return;
  const response = await fetch(name).catch(() => undefined);
  if (!response?.ok) return;
  const bytes = await response.arrayBuffer();
  for (const target of missing) {
    // A frame that was left meanwhile has no window.
    if (!target.defaultView) continue;
    loaded.set(target, (loaded.get(target) ?? new Set()).add(name));
    const face = new target.defaultView.FontFace(family, bytes, { style, weight: "100 900", unicodeRange: range });
    target.fonts.add(await face.load());
  }
}

/** A range such as `U+0-FF,U+131` as a class of characters. */
function toCharacterClass(range: string): RegExp {
  const parts = range.split(",").map((part) => {
    const [first = "", last = first] = part.trim().replace("U+", "").split("-");
    return `\\u{${first}}-\\u{${last}}`;
  });
  return new RegExp(`[${parts.join("")}]`, "u");
}
