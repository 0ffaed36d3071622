// SPDX-License-Identifier: MIT

import { signInTexts } from "./sign-in-texts.ts";
import { say } from "./texts.ts";

/**
 * Attributes of a field whose text has a limit. The browser refuses the form and says the limit; `maxLength` would cut a
 * pasted password without a word.
 */
export const limitLength = (most: number) => ({
  pattern: `.{1,${most}}`,
  title: say(signInTexts.length, { number: most }),
});
