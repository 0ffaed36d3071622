// SPDX-License-Identifier: MIT

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import path from "node:path";
import { partsOf, writeProgram } from "../../tools/release/program.ts";

interface LockedPackage {
  dev?: boolean;
  devOptional?: boolean;
  link?: boolean;
  resolved?: string;
}

type Place = (source: string, target: string) => void;
export const link: Place = symlinkSync;
/** The workers of the program may read no file outside its folder. */
export const copy: Place = (source, target) => execFileSync("cp", ["-R", source, target]);

/** Writes the program of a release with the dependencies of this checkout instead of an installation by npm. */
export const writeProgramHere = (folder: string, place: Place) =>
  writeProgram(folder, () => placeDependencies(folder, place));

/** Places what `npm ci --omit=dev` installs. */
function placeDependencies(folder: string, place: Place): void {
  const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8")) as {
    packages: Record<string, LockedPackage>;
  };
  for (const [name, { dev, devOptional, link: isOurs, resolved = "" }] of Object.entries(packages)) {
    if (!/^node_modules\/(?:@[^/]+\/)?[^/]+$/.test(name) || dev || devOptional || !existsSync(name)) continue;
    const target = path.join(folder, name);
    mkdirSync(path.dirname(target), { recursive: true });
    if (isOurs) symlinkSync(path.relative(path.dirname(target), path.join(folder, resolved)), target);
    // A release has some of its files.
    else (path.basename(name) in partsOf ? copy : place)(path.resolve(name), target);
  }
  for (const name of readdirSync("packages")) {
    const nested = path.resolve("packages", name, "node_modules");
    if (existsSync(nested)) place(nested, path.join(folder, "packages", name, "node_modules"));
  }
}
