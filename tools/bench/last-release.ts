// SPDX-License-Identifier: MIT

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The last release, installed in a temporary folder: its tag, and its folder for `startMeasuredService`. */
export interface Release {
  tag: string;
  folder: string;
  remove(): void;
}

/** Installs the version of the newest tag; undefined if no version is tagged, or the clone has no tags. */
export function installLastRelease(): Release | undefined {
  const run = (command: string, args: string[], cwd = root) =>
    execFileSync(command, args, { cwd, encoding: "utf8", maxBuffer: 1e9, stdio: ["ignore", "pipe", "inherit"] });
  const [tag = ""] = run("git", ["tag", "--list", "v*", "--sort=-version:refname"]).split("\n");
  if (tag === "") return undefined;
  const folder = mkdtempSync(path.join(tmpdir(), "reading-list-release-"));
  run("sh", ["-c", 'git archive "$1" | tar -x -C "$2"', "sh", tag, folder]);
  run("npm", ["ci", "--omit=dev", "--silent"], folder);
  return {
    tag,
    folder,
    remove: () => rmSync(folder, { recursive: true }),
  };
}
