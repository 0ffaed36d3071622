/**
 * What the text function weighs and how long a fresh process takes to load it, beside a handler that does nothing.
 *
 *   node bench/text-bundle.ts
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { bundleFunction } from "../tests/bundles/bundle.ts";

const starts = 15;
const folder = mkdtempSync(path.join(tmpdir(), "bundles-"));

/** Milliseconds that `import` of a file takes in a fresh process, the median of several. */
function coldImport(file: string): number {
  const script = `const t = performance.now(); await import(${JSON.stringify(pathToFileURL(file).href)}); process.stdout.write(String(performance.now() - t)); process.exit(0);`;
  const times = Array.from({ length: starts }, () =>
    Number(execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" })),
  );
  return times.sort((a, b) => a - b)[Math.floor(starts / 2)] ?? 0;
}

try {
  const bare = path.join(folder, "bare.mjs");
  writeFileSync(bare, "export const handler = async () => ({ statusCode: 200 });\n");
  const text = path.join(folder, "text.mjs");
  await bundleFunction("text", text);
  for (const [name, file] of Object.entries({ bare, text })) {
    const kilobytes = (statSync(file).size / 1024).toFixed(1);
    console.log(
      `${name.padEnd(5)} ${kilobytes.padStart(8)} KB  cold import ${coldImport(file).toFixed(1)} ms (median of ${starts})`,
    );
  }
} finally {
  rmSync(folder, { recursive: true });
}
