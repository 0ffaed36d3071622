// SPDX-License-Identifier: MIT

/** A text with its place, such as `later.trash.left`. One with plural forms is an object. */
export type Entry = [place: string, message: string | Record<string, string>];

export function entriesOf(catalogue: object): Entry[] {
  return Object.entries(catalogue).flatMap(([name, value]): Entry[] => {
    if (typeof value === "string" || "other" in value) return [[name, value]];
    return entriesOf(value).map(([place, message]) => [`${name}.${place}`, message]);
  });
}

export const formsOf = (message: Entry[1]): Record<string, string> =>
  typeof message === "string" ? { other: message } : message;
