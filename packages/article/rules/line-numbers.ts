// SPDX-License-Identifier: MIT

import { classOf } from "../document/element-names.ts";
import type { Rule } from "./rule.ts";

/** Removes the line numbers of code, by the class names of common highlighters: they would be copied with the code. */
export const lineNumbers: Rule = {
  name: "line-numbers",
  *apply(body) {
    for (const element of body.querySelectorAll("[class]")) {
      if (!names.test(classOf(element)) || !/^[\d\s]*$/.test(element.textContent)) continue;
      if (element.parentElement?.closest("pre,table")) yield element;
    }
  },
};

const names = /(?:^|[\s_-])(?:linenos?|line-?numbers?|ln|lnt|lnum|gutter|blob-num|hljs-ln-n)(?:$|[\s_-])/i;
