// SPDX-License-Identifier: MIT

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import manifest from "../../package.json" with { type: "json" };

const tag = `SPDX-License-Identifier: ${manifest.license}`;
const lines: Record<string, string> = {
  ...Object.fromEntries([".ts", ".tsx", ".js", ".mjs", ".c"].map((extension) => [extension, `// ${tag}`])),
  ".css": `/* ${tag} */`,
  ".sh": `# ${tag}`,
};

/** A source file with the line of its licence first, after a shebang; undefined for files that are not source code. */
function withLicence(file: string, text: string): string | undefined {
  const [shebang = ""] = /^#!.*\n/.exec(text) ?? [];
  const line = lines[path.extname(file)] ?? (shebang ? `# ${tag}` : undefined);
  if (line === undefined) return undefined;
  const rest = text.slice(shebang.length);
  if (rest.startsWith(`${line}\n`)) return text;
  // The comment of a shell script continues; elsewhere it would belong to the first import.
  return `${shebang}${line}\n${line.startsWith("#") ? "" : "\n"}${rest}`;
}

/** Source files of the repository that lack the line, with their text as it should be. Pages of tests are others' work. */
export function filesWithoutLicence(): { file: string; text: string }[] {
  const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    encoding: "utf8",
    maxBuffer: 10_000_000,
  });
  const files = listed
    .split("\0")
    .filter((file) => file !== "" && !file.startsWith("tests/pages/") && existsSync(file));
  return files.flatMap((file) => {
    const text = readFileSync(file, "utf8");
    const licensed = withLicence(file, text);
    return licensed === undefined || licensed === text ? [] : [{ file, text: licensed }];
  });
}

if (import.meta.main) for (const { file, text } of filesWithoutLicence()) writeFileSync(file, text);
