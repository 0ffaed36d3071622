import type { DomDocument } from "./dom.ts";

/** The language and writing direction that a page declares. */
export interface Language {
  lang: string | undefined;
  dir: "ltr" | "rtl" | undefined;
}

export function languageOf(document: DomDocument): Language {
  const declared = (name: string) =>
    [document.body, document.documentElement].map((element) => element.getAttribute(name)?.trim() ?? "").find(Boolean);
  const lang = declared("lang");
  const dir = declared("dir")?.toLowerCase();
  return {
    lang: lang !== undefined && languageTag.test(lang) ? lang : undefined,
    dir: dir === "rtl" || dir === "ltr" ? dir : undefined,
  };
}

/** Wraps a fragment that is not empty in an element with the page's language and direction, if it declares any. */
export function withLanguage(html: string, { lang, dir }: Language): string {
  if (html === "" || (lang === undefined && dir === undefined)) return html;
  const attributes = `${dir === undefined ? "" : ` dir="${dir}"`}${lang === undefined ? "" : ` lang="${lang}"`}`;
  return `<div${attributes}>${html}</div>`;
}

const languageTag = /^[a-z]{2,8}(?:[-_][a-z0-9]{1,8})*$/i;
