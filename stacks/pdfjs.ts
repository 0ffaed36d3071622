// SPDX-License-Identifier: MIT

import { cpSync, existsSync, readFileSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import { pdfjsFiles } from "@reading-list/article/kinds/pdfjs-files.ts";

/**
 * The files of pdf.js that read the text of a PDF, for the package of a function that reads pages. They are beside its
 * bundle, because every cold start would load them as a part of it; and in a separate folder, because SST puts a single
 * file of `copyFiles` into the package twice.
 */
export function copyPdfjs(): { from: string; to: string } {
  const source = path.join($cli.paths.root, "node_modules/pdfjs-dist");
  const { version } = JSON.parse(readFileSync(path.join(source, "package.json"), "utf8"));
  const from = `.sst/pdfjs-${version}`;
  const target = path.join($cli.paths.root, from);
  if (!existsSync(target)) {
    const partial = `${target}.${process.pid}`;
    for (const name of pdfjsFiles) cpSync(path.join(source, name), path.join(partial, name), { recursive: true });
    try {
      renameSync(partial, target);
    } catch (error) {
      // Another evaluation was faster.
      if (!existsSync(target)) throw error;
      rmSync(partial, { recursive: true });
    }
  }
  return { from, to: "node_modules/pdfjs-dist" };
}
