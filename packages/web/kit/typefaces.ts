// SPDX-License-Identifier: MIT

/** Typefaces of articles that the reader brings, under the SIL Open Font License 1.1; the key is the package's. */
export const typefaces = {
  literata: { name: "Literata", generic: "serif" },
  "source-serif-4": { name: "Source Serif 4", generic: "serif" },
  lora: { name: "Lora", generic: "serif" },
  vollkorn: { name: "Vollkorn", generic: "serif" },
  inter: { name: "Inter", generic: "sans" },
  "open-sans": { name: "Open Sans", generic: "sans" },
  "atkinson-hyperlegible-next": { name: "Atkinson Hyperlegible Next", generic: "sans" },
  lexend: { name: "Lexend", generic: "sans" },
} as const;

export type Typeface = keyof typeof typefaces;

/** A file of a typeface: its name, its style, and its characters, as `unicode-range` has them. */
export type TypefaceFile = [name: string, style: "normal" | "italic", range: string];
