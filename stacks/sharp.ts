// SPDX-License-Identifier: MIT

import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";

/** A package as package-lock.json has it. */
interface Locked {
  version: string;
  dependencies?: Record<string, string>;
}

/**
 * sharp with its binaries for a processor, for the package of a function: SST's builder keeps sharp out of every
 * bundle, and installs it only if esbuild names the import as it no longer does. All versions come from
 * package-lock.json, and npm checks the hashes there. `root` is the folder of the project.
 */
export function packageSharp(root: string, processor: string): { from: string; to: string } {
  const { packages } = JSON.parse(readFileSync(path.join(root, "package-lock.json"), "utf8")) as {
    packages: Record<string, Locked>;
  };
  const find = (name: string): Locked => {
    const found = packages[`node_modules/${name}`];
    if (!found) throw new Error(`package-lock.json has no ${name}`);
    return found;
  };
  const { version, dependencies = {} } = find("sharp");
  const folder = `.sst/sharp-${version}-${processor}`;
  const target = path.join(root, folder);
  if (!existsSync(target)) {
    const partial = `${target}.${process.pid}`;
    const binaries = [`@img/sharp-linux-${processor}`, `@img/sharp-libvips-linux-${processor}`];
    installLocked(partial, processor, new Map(binaries.map((name) => [name, find(name)])));
    for (const name of ["sharp", ...Object.keys(dependencies)]) {
      cpSync(path.join(root, "node_modules", name), path.join(partial, "node_modules", name), { recursive: true });
    }
    // The sources of the binary.
    rmSync(path.join(partial, "node_modules/sharp/src"), { recursive: true });
    try {
      renameSync(partial, target);
    } catch (error) {
      // Another evaluation was faster.
      if (!existsSync(target)) throw error;
      rmSync(partial, { recursive: true });
    }
  }
  return { from: `${folder}/node_modules`, to: "node_modules" };
}

/** Installs packages for another processor, which npm does only for optional ones. */
function installLocked(folder: string, processor: string, packages: ReadonlyMap<string, Locked>): void {
  mkdirSync(folder, { recursive: true });
  const versions = [...packages].map(([name, { version }]) => [name, version]);
  const own = { name: "binaries", version: "1.0.0", optionalDependencies: Object.fromEntries(versions) };
  const locked = [...packages].map(([name, entry]) => [`node_modules/${name}`, entry]);
  const lock = { name: own.name, lockfileVersion: 3, packages: { "": own, ...Object.fromEntries(locked) } };
  writeFileSync(path.join(folder, "package.json"), JSON.stringify(own));
  writeFileSync(path.join(folder, "package-lock.json"), JSON.stringify(lock));
  const options = ["--os=linux", `--cpu=${processor}`, "--libc=glibc", "--ignore-scripts", "--no-audit", "--no-fund"];
  execFileSync("npm", ["ci", ...options], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  for (const name of packages.keys()) {
    // npm leaves out an optional package that it cannot install.
    if (!existsSync(path.join(folder, "node_modules", name))) throw new Error(`npm did not install ${name}`);
  }
  rmSync(path.join(folder, "node_modules/.package-lock.json"), { force: true });
}
