// SPDX-License-Identifier: MIT

/** The files with the texts of a language, which first-paint.ts has chosen. */
export async function readTexts<T>(part: "first" | "signIn" | "later"): Promise<T> {
  const response = await fetch(document.documentElement.dataset[part] ?? "");
  return response.json() as Promise<T>;
}
