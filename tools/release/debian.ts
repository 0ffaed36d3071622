// SPDX-License-Identifier: MIT

import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

const source = path.resolve(import.meta.dirname, "../../deploy");

/** Debian's names of processors, by Node's. */
export const architectures = { x64: "amd64", arm64: "arm64" } as const;
type Processor = keyof typeof architectures;

const program = "opt/reading-list";
const nodeOfUnits = "/usr/local/bin/node";

interface Package {
  /** The folder of the program. */
  program: string;
  version: string;
  processor: Processor;
  /** The binary of Node for it. */
  node: string;
  /** Files compress to a third, in a minute. */
  compression?: "xz" | "none";
}

/** Writes a Debian package with the program, Node, the units and the settings; `readinglist` is on the PATH of root. */
export function writeDebianPackage(
  file: string,
  { program: from, version, processor, node, compression = "xz" }: Package,
): void {
  const root = mkdtempSync(path.join(tmpdir(), "debian-"));
  try {
    const inRoot = (name: string) => path.join(root, name);
    const write = (name: string, text: string, mode = 0o644) => {
      mkdirSync(path.dirname(inRoot(name)), { recursive: true });
      writeFileSync(inRoot(name), text);
      chmodSync(inRoot(name), mode);
    };
    const read = (name: string) => readFileSync(path.join(source, name), "utf8");
    mkdirSync(inRoot("opt"));
    execFileSync("cp", ["-a", from, inRoot(program)]);
    const isOther = (name: string) => name !== processor;
    for (const other of Object.keys(architectures).filter(isOther)) {
      for (const name of [`sharp-linux-${other}`, `sharp-libvips-linux-${other}`]) {
        rmSync(inRoot(`${program}/node_modules/@img/${name}`), { recursive: true, force: true });
      }
    }
    cpSync(node, inRoot(`${program}/bin/node`));
    chmodSync(inRoot(`${program}/bin/node`), 0o755);

    const withOwnNode = (text: string) => text.replaceAll(nodeOfUnits, `/${program}/bin/node`);
    for (const unit of ["reading-list.service", "reading-list-backup.service", "reading-list-backup.timer"]) {
      const key = "EnvironmentFile=-/etc/reading-list/api-key\n";
      const text = withOwnNode(read(`self-hosting/${unit}`));
      write(`usr/lib/systemd/system/${unit}`, text.replace(/^EnvironmentFile=/m, `${key}EnvironmentFile=`));
    }
    write("usr/sbin/readinglist", withOwnNode(read("self-hosting/readinglist")), 0o755);
    write("etc/reading-list/environment", read("debian/environment"), 0o600);
    chmodSync(inRoot("etc/reading-list"), 0o700);

    const size = String(execFileSync("du", ["-sk", "--apparent-size", root])).split("\t")[0] ?? "";
    const control = { "{version}": version, "{architecture}": architectures[processor], "{size}": size };
    const filled = Object.entries(control).reduce(
      (text, [name, value]) => text.replace(name, value),
      read("debian/control"),
    );
    write("DEBIAN/control", filled);
    write("DEBIAN/conffiles", "/etc/reading-list/environment\n");
    for (const script of ["postinst", "prerm", "postrm"]) write(`DEBIAN/${script}`, read(`debian/${script}`), 0o755);
    execFileSync("dpkg-deb", [`-Z${compression}`, "--root-owner-group", "--build", root, file], { stdio: "pipe" });
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
