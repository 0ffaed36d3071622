// SPDX-License-Identifier: MIT

import { execFileSync } from "node:child_process";
import { globSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { temporaryFolder } from "@reading-list/testing/temporary-folder.ts";
import { beforeAll, expect, test } from "vitest";
import { writeDebianPackage } from "../../tools/release/debian.ts";
import { link, writeProgramHere } from "./program-here.ts";

/** The files that the package installs, and its maintainer scripts below DEBIAN. */
let root: string;
let file: string;
const read = (name: string) => readFileSync(path.join(root, name), "utf8");
const modeOf = (name: string) => (statSync(path.join(root, name)).mode & 0o777).toString(8);

beforeAll(async () => {
  const folder = temporaryFolder();
  await writeProgramHere(path.join(folder, "program"), link);
  writeFileSync(path.join(folder, "node"), "#!/bin/sh\n");
  file = path.join(folder, "reading-list.deb");
  const [program, node] = [path.join(folder, "program"), path.join(folder, "node")];
  writeDebianPackage(file, { program, version: "1.2.3", processor: "arm64", node, compression: "none" });
  root = path.join(folder, "root");
  execFileSync("dpkg-deb", ["--raw-extract", file, root]);
});

test("has the name, version and processor that it is for", () => {
  const field = (name: string) => execFileSync("dpkg-deb", ["--field", file, name], { encoding: "utf8" }).trim();
  expect([field("Package"), field("Version"), field("Architecture")]).toEqual(["reading-list", "1.2.3", "arm64"]);
  // In KiB.
  expect(Number(field("Installed-Size"))).toBeGreaterThan(1000);
});

test("contains its own Node, which units and command line run, and only binaries for its processor", () => {
  expect(modeOf("opt/reading-list/bin/node")).toBe("755");
  const units = globSync("usr/lib/systemd/system/*", { cwd: root });
  expect(units.map((each) => path.basename(each)).sort()).toEqual(
    globSync("deploy/self-hosting/*.{service,timer}")
      .map((each) => path.basename(each))
      .sort(),
  );
  for (const name of [...units, "usr/sbin/readinglist"]) expect(read(name)).not.toContain("/usr/local");
  expect(read("usr/lib/systemd/system/reading-list.service")).toContain("start /opt/reading-list/bin/node\n");
  expect(modeOf("usr/sbin/readinglist")).toBe("755");
  expect(globSync("opt/reading-list/node_modules/@img/*x64*", { cwd: root })).toEqual([]);
});

test("has settings that only root reads and dpkg keeps, and the key apart from them", () => {
  expect(modeOf("etc/reading-list")).toBe("700");
  expect(modeOf("etc/reading-list/environment")).toBe("600");
  expect(read("DEBIAN/conffiles")).toBe("/etc/reading-list/environment\n");
  expect(read("etc/reading-list/environment")).not.toContain("LOCAL_API_KEY=");
  const lines = read("usr/lib/systemd/system/reading-list.service").split("\n");
  expect(lines.filter((line) => line.startsWith("EnvironmentFile"))).toEqual([
    "EnvironmentFile=-/etc/reading-list/api-key",
    "EnvironmentFile=/etc/reading-list/environment",
  ]);
});

test.each(["postinst", "prerm", "postrm"])("%s is a script of sh", (name) => {
  expect(modeOf(`DEBIAN/${name}`)).toBe("755");
  execFileSync("sh", ["-n", path.join(root, "DEBIAN", name)]);
});

test("no script removes lists or backups", () => {
  const erases = ["postinst", "prerm", "postrm"].flatMap((name) => read(`DEBIAN/${name}`).match(/\brm .*/g) ?? []);
  expect(erases).toEqual(["rm -rf /etc/reading-list"]);
});
