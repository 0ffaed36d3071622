// SPDX-License-Identifier: MIT

import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const sources = globSync(["packages/*/**/*.{ts,tsx,js}", "{tests,tools,stacks}/**/*.ts"])
  .filter((file) => !file.includes("node_modules"))
  .map((file) => ({ file, text: readFileSync(file, "utf8") }));

test.each(["core", "store-dynamodb", "article", "http", "lambda", "canary", "local", "ops", "exchange"])(
  "the exports of packages/%s are exactly the files that other packages import",
  (name) => {
    const { exports } = JSON.parse(readFileSync(`packages/${name}/package.json`, "utf8"));
    const others = sources.filter(({ file }) => !file.startsWith(`packages/${name}/`));
    const unused = Object.keys(exports).filter((path) => {
      // A pattern is used if a file of its folder is.
      const [specifier] = `"@reading-list/${name}/${path.slice(2)}"`.split("*");
      return !others.some(({ text }) => text.includes(specifier as string));
    });
    expect(unused).toEqual([]);
  },
);
