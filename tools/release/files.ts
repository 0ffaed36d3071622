// SPDX-License-Identifier: MIT

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Zippable, zipSync } from "fflate";
import { buildExtension } from "../../packages/extension/build.ts";
import { composeOf } from "./compose.ts";
import { architectures, writeDebianPackage } from "./debian.ts";
import { writeProgram } from "./program.ts";

/**
 * Writes the files of a release into a folder: the program as an archive and as Debian packages, the extension for each
 * browser, the files of Compose, Quadlet and CasaOS that name the image by its digest (if there is an image), and the SHA-256 of
 * each.
 */
export async function writeFiles(folder: string, version: string, image: string | undefined): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const parent = mkdtempSync(path.join(tmpdir(), "program-"));
  say("installing the program");
  await writeProgram(path.join(parent, "reading-list"));
  archiveProgram(parent, path.resolve(folder, `reading-list-v${version}.tar.gz`));
  for (const processor of Object.keys(architectures) as (keyof typeof architectures)[]) {
    say(`packing it for Debian on ${processor}, which takes some minutes`);
    const file = path.resolve(folder, `reading-list_${version}_${architectures[processor]}.deb`);
    const node = fetchNode(processor, path.join(parent, processor));
    writeDebianPackage(file, { program: path.join(parent, "reading-list"), version, processor, node });
  }
  rmSync(parent, { recursive: true });
  for (const browser of ["chromium", "firefox"]) {
    const built = mkdtempSync(path.join(tmpdir(), "extension-"));
    await buildExtension(built, { isForFirefox: browser === "firefox" });
    writeFileSync(path.join(folder, `extension-${browser}-v${version}.zip`), zip(built));
    rmSync(built, { recursive: true });
  }
  if (image !== undefined) {
    writeFileSync(path.join(folder, "compose.yaml"), composeOf(image, readFileSync("compose.yaml", "utf8")));
    for (const name of ["reading-list.container", "casaos.yaml"]) {
      const file = readFileSync(path.join("deploy/container", name), "utf8");
      writeFileSync(path.join(folder, name), file.replace("{image}", image));
    }
  }
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

/** Tells the person at the terminal how far it is. */
const say = (text: string) => console.log(`${text} …`);

/** Fetches the Node of this checkout for a processor; returns its binary. */
function fetchNode(processor: string, folder: string): string {
  mkdirSync(folder);
  const { version } = JSON.parse(readFileSync("node_modules/node/package.json", "utf8"));
  const name = `node-linux-${processor}@${version}`;
  const [file = ""] = execFileSync("npm", ["pack", name, "--silent"], { cwd: folder, encoding: "utf8" }).split("\n");
  execFileSync("tar", ["-xzf", file, "package/bin/node"], { cwd: folder });
  return path.join(folder, "package/bin/node");
}

function archiveProgram(parent: string, file: string): void {
  const owner = ["--sort=name", "--owner=0", "--group=0", "--numeric-owner"];
  execFileSync("tar", [...owner, "-czf", file, "-C", parent, "reading-list"]);
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
