// SPDX-License-Identifier: MIT

import type catalogue from "../locales/en.json";
import type { signInParts } from "./text-parts.ts";
import { readTexts } from "./texts.ts";

/** The texts of the page for signing in, in the person's language. */
export const signInTexts: Pick<(typeof catalogue)["later"], (typeof signInParts)[number]> = await readTexts("signIn");
