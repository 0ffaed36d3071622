// SPDX-License-Identifier: MIT

import { readFileSync } from "node:fs";
import { SourceMap } from "node:module";

let sourceMap: SourceMap | undefined;

/**
 * A line of a stack with the source file, line and column instead of those in the bundle. The first call reads the
 * bundle's source map, which takes tens of milliseconds. Lines about other files stay as they are, and so do all lines
 * of code that is not bundled.
 */
export function toSourcePlace(stackLine: string): string {
  return stackLine.replace(
    /(file:\/\/(?:\/[A-Z]:)?[^\s:]+):(\d+):(\d+)/,
    (found, file: string, line: string, column: string) => {
      // A bundle is one file, which contains this code, too.
      if (file !== import.meta.url) return found;
      sourceMap ??= readSourceMap();
      const origin = sourceMap?.findOrigin(Number(line), Number(column));
      if (!origin || !("fileName" in origin)) return found;
      return `${origin.fileName.replace(/^(\.\.\/)+/, "")}:${origin.lineNumber}:${origin.columnNumber}`;
    },
  );
}

function readSourceMap(): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${import.meta.filename}.map`, "utf8")));
  } catch {
    return undefined;
  }
}
