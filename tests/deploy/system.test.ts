// SPDX-License-Identifier: MIT

import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { writeDebianPackage } from "../../tools/release/debian.ts";

/** A Debian takes minutes to install: SYSTEM_TESTS=1, as root, with debootstrap, systemd-container and buildah. */
const isWanted = process.env.SYSTEM_TESTS === "1";
const minutes = 60_000;

const debian = path.resolve("node_modules/.cache/debian");
const run = (program: string, ...args: string[]) => execFileSync(program, args, { encoding: "utf8", stdio: "pipe" });

/** Debian with this Node and npm, as an image for Node has. */
function installDebian(): void {
  const packages = "systemd,systemd-sysv,dbus,curl,ca-certificates";
  if (spawnSync("test", ["-e", `${debian}/usr/local/bin/node`]).status === 0) return;
  run("debootstrap", "--variant=minbase", `--include=${packages}`, "bookworm", debian);
  const npm = path.join(run("npm", "root", "--global").trim(), "npm");
  cpSync(npm, `${debian}/usr/local/lib/node_modules/npm`, { recursive: true });
  run("ln", "-s", "../lib/node_modules/npm/bin/npm-cli.js", `${debian}/usr/local/bin/npm`);
  cpSync("/etc/ssl/certs/ca-certificates.crt", `${debian}/etc/ssl/certs/ca-certificates.crt`);
  cpSync(process.execPath, `${debian}/usr/local/bin/node`);
}

/** Boots a copy of the Debian, to which `prepare` adds files, and runs a script in it; returns what that prints. */
function runInDebian(script: string, prepare: (root: string) => void): string {
  const root = mkdtempSync(path.join(tmpdir(), "reading-list-debian-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }), 5 * minutes);
  run("cp", "-a", `${debian}/.`, root);
  prepare(root);
  cpSync(script, path.join(root, "root/scenario.sh"));
  const unit = [
    "[Unit]\nAfter=basic.target",
    "[Service]\nType=oneshot\nExecStart=/bin/sh /root/scenario.sh\nStandardOutput=file:/root/scenario.log",
    "ExecStopPost=/bin/systemctl poweroff --no-block",
  ];
  writeFileSync(path.join(root, "etc/systemd/system/scenario.service"), `${unit.join("\n")}\n`);
  mkdirSync(path.join(root, "etc/systemd/system/multi-user.target.wants"), { recursive: true });
  run("ln", "-sf", "../scenario.service", path.join(root, "etc/systemd/system/multi-user.target.wants"));
  const options = ["-q", "--register=no", "--keep-unit", "--private-network"];
  spawnSync("systemd-nspawn", [...options, "-D", root, "-b"], { stdio: "ignore", timeout: 8 * minutes });
  return readFileSync(path.join(root, "root/scenario.log"), "utf8");
}

describe.skipIf(!isWanted)("on a Debian of its own", () => {
  beforeAll(installDebian, 15 * minutes);

  test(
    "the units install, start, restart, report faults, upgrade and uninstall as docs/self-hosting.md says",
    () => {
      const steps = runInDebian("tests/deploy/systemd-scenario.sh", (root) =>
        run(process.execPath, "tools/release/main.ts", "program", path.join(root, "opt/reading-list")),
      );
      expect(steps).not.toContain("FAULT");
      expect(steps).toMatch(/^ok uninstalled\ndone$/m);
    },
    15 * minutes,
  );

  test(
    "the package installs, upgrades, goes back, and leaves lists and backups when it is removed",
    () => {
      const steps = runInDebian("tests/deploy/debian-scenario.sh", (root) => {
        const program = path.join(root, "root/program");
        run(process.execPath, "tools/release/main.ts", "program", program);
        const made = { program, processor: "x64", node: process.execPath, compression: "none" } as const;
        writeDebianPackage(path.join(root, "root/reading-list_old.deb"), { ...made, version: "0.2.0" });
        writeDebianPackage(path.join(root, "root/reading-list_new.deb"), { ...made, version: "0.3.0" });
      });
      expect(steps).not.toContain("FAULT");
      expect(steps).toMatch(/^ok the list is back\ndone$/m);
    },
    15 * minutes,
  );

  test(
    "the image builds, and serves a user who owns nothing else",
    () => {
      const folder = mkdtempSync(path.join(tmpdir(), "reading-list-image-"));
      const storage = ["--root", `${folder}/root`, "--runroot", `${folder}/run`, "--storage-driver", "vfs"];
      const buildah = (...args: string[]) => run("buildah", ...storage, ...args).trim();
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }), 5 * minutes);
      const base = buildah("from", "scratch");
      buildah("add", "-q", base, debian, "/");
      buildah("config", "--env", "NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt", base);
      buildah("commit", "-q", base, "localhost/base");
      buildah("bud", "-q", "--isolation", "chroot", "--build-arg", "BASE=localhost/base", "-t", "reading-list", ".");
      const container = buildah("from", "localhost/reading-list");
      const inside = (command: string) =>
        buildah(
          "run",
          "--isolation",
          "chroot",
          "--env",
          "LOCAL_API_KEY=a-key-of-mine",
          container,
          "--",
          "sh",
          "-c",
          command,
        );
      const { config } = JSON.parse(buildah("inspect", "--type", "image", "localhost/reading-list")).OCIv1;
      expect(config).toMatchObject({ User: "1000:1000", Volumes: { "/data": {} } });
      const checked = "PORT=38471 TEXT_PORT=38472 HOST=127.0.0.1";
      const wait =
        "for i in 1 2 3 4 5 6 7 8 9; do sleep 1; node -e \"fetch('http://127.0.0.1:38471/health').then((r) => r.text()).then(console.log)\" && break; done";
      const output = inside(
        `${checked} node packages/local/main.ts & server=$!; ${wait}; id -u; ls node_modules; kill $server`,
      );
      expect(output).toMatch(/^ok$[\s\S]*^1000$/m);
      expect(output).not.toMatch(/vitest|@dynoxide|typescript/);
    },
    15 * minutes,
  );
});
