// SPDX-License-Identifier: MIT

import type catalogue from "../locales/en.json";

/** The language of numbers and dates, as a BCP 47 tag. */
export const language = document.documentElement.lang;

/** The texts of the first load in the person's language; later-texts.ts has all others. */
export const firstTexts: (typeof catalogue)["first"] = await readTexts("first");

const plurals = new Intl.PluralRules(language);
const numbers = new Intl.NumberFormat(language);
const isRightToLeft = document.documentElement.dir === "rtl";

/** A text, or one for each plural form of its `number` that differs. */
type Message = string | { other: string; one?: string };

export const formatNumber = (number: number): string => numbers.format(number);

/** A text with its values, such as `{name}`. `number` chooses the plural form. */
export function say(message: Message, values: Record<string, string | number>): string {
  const forms: Record<string, string> = typeof message === "string" ? { other: message } : message;
  const form = forms[plurals.select(Number(values.number))] ?? forms.other ?? "";
  return form.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name] ?? "";
    if (typeof value === "number") return formatNumber(value);
    // First strong isolate: a title in Latin letters does not reorder the sentence around it.
    return isRightToLeft ? `\u2068${value}\u2069` : value;
  });
}

/** Such as `1 h 20 min`. */
export function showMinutes(minutes: number): string {
  const { hours, minutes: rest } = firstTexts.list;
  const parts = [
    minutes >= 60 && say(hours, { number: Math.floor(minutes / 60) }),
    minutes % 60 > 0 && say(rest, { number: minutes % 60 }),
  ];
  return parts.filter(Boolean).join(" ");
}

/** The files with the texts of a language, which first-paint.ts has chosen. */
export async function readTexts<T>(part: "first" | "signIn" | "later"): Promise<T> {
  const response = await fetch(document.documentElement.dataset[part] ?? "");
  return response.json() as Promise<T>;
}
