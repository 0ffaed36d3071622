// SPDX-License-Identifier: MIT

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Zippable, zipSync } from "fflate";
import { buildExtension } from "../../packages/extension/build.ts";
import { composeOf } from "./compose.ts";
import { writeProgram } from "./program.ts";

/**
 * Writes the files of a release into a folder: the program as an archive, the extension for each browser, the
 * `compose.yaml` that names the image by its digest (if there is an image), and the SHA-256 of each.
 */
export async function writeFiles(folder: string, version: string, image: string | undefined): Promise<void> {
  mkdirSync(folder, { recursive: true });
  await archiveProgram(path.resolve(folder, `reading-list-v${version}.tar.gz`));
  for (const browser of ["chromium", "firefox"]) {
    const built = mkdtempSync(path.join(tmpdir(), "extension-"));
    await buildExtension(built, { isForFirefox: browser === "firefox" });
    writeFileSync(path.join(folder, `extension-${browser}-v${version}.zip`), zip(built));
    rmSync(built, { recursive: true });
  }
  if (image !== undefined)
    writeFileSync(path.join(folder, "compose.yaml"), composeOf(image, readFileSync("compose.yaml", "utf8")));
  const sums = globSync("*", { cwd: folder, exclude: ["SHA256SUMS"] })
    .sort()
    .map(
      (name) =>
        `${createHash("sha256")
          .update(readFileSync(path.join(folder, name)))
          .digest("hex")}  ${name}\n`,
    );
  writeFileSync(path.join(folder, "SHA256SUMS"), sums.join(""));
}

async function archiveProgram(file: string): Promise<void> {
  const parent = mkdtempSync(path.join(tmpdir(), "program-"));
  await writeProgram(path.join(parent, "reading-list"));
  const owner = ["--sort=name", "--owner=0", "--group=0", "--numeric-owner"];
  execFileSync("tar", [...owner, "-czf", file, "-C", parent, "reading-list"]);
  rmSync(parent, { recursive: true });
}

/** The zip of a folder, its files with no time, so that the same build gives the same bytes. */
function zip(folder: string): Uint8Array {
  const entries: Zippable = {};
  for (const { parentPath, name } of globSync("**", { cwd: folder, withFileTypes: true }).filter((each) =>
    each.isFile(),
  )) {
    const file = path.join(parentPath, name);
    entries[path.relative(folder, file)] = readFileSync(file);
  }
  return zipSync(entries, { mtime: "1980-01-02", level: 9 });
}
