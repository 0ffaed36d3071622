// SPDX-License-Identifier: MIT

import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { start, untilReady } from "@reading-list/testing/started-service.ts";
import { temporaryFolder } from "@reading-list/testing/temporary-folder.ts";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { examples } from "./reverse-proxy.ts";

const hasSystemd = spawnSync("systemd-analyze", ["--version"]).status === 0;
if (!hasSystemd) {
  console.warn("SKIPPED: systemd's own check of the units, as it is not installed; sh .ci/install-proxies installs it");
}

const units = readdirSync(examples).filter((name) => /\.(service|timer)$/.test(name));
const readExample = (name: string) => readFileSync(path.join(examples, name), "utf8");
/** The value of a setting of a unit. */
const settingOf = (unit: string, name: string) => new RegExp(`^${name}=(.*)$`, "m").exec(readExample(unit))?.[1] ?? "";

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

describe("the systemd units", () => {
  test.skipIf(!hasSystemd)("are accepted by systemd-analyze verify, without a warning", () => {
    for (const unit of units) {
      // Verification requires that programs exist.
      writeFileSync(path.join(folder, unit), readExample(unit).replaceAll("/usr/local/bin/node", process.execPath));
    }
    const { status, stderr } = spawnSync(
      "systemd-analyze",
      ["verify", "--man=no", ...units.map((unit) => path.join(folder, unit))],
      { encoding: "utf8", env: { ...process.env, SYSTEMD_UNIT_PATH: `${folder}:` } },
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });

  test.skipIf(!hasSystemd)("confine the service: systemd rates its exposure 2 or less of 10", () => {
    const unit = path.resolve(examples, "reading-list.service");
    const rating = spawnSync("systemd-analyze", ["security", "--offline=true", "--threshold=20", unit], {
      encoding: "utf8",
    });
    expect(rating.status, rating.stdout).toBe(0);
  });

  test("start the service with the script of npm start and of the container, which has the settings of its memory", () => {
    const { scripts } = JSON.parse(readFileSync("package.json", "utf8"));
    const command = "sh packages/local/start";
    expect(scripts.start).toBe(`exec ${command}`);
    expect(settingOf("reading-list.service", "ExecStart")).toBe(`/bin/${command} /usr/local/bin/node`);
    expect(readFileSync("deploy/container/start", "utf8")).toMatch(new RegExp(`^exec ${command}$`, "m"));
  });

  test("start it with the Node on the PATH, whichever Node runs npm", () => {
    // npm sets NODE.
    const env = { PATH: process.env.PATH, NODE: "/bin/false", PORT: "none" };
    const { stderr } = spawnSync("sh", ["packages/local/start"], { env, encoding: "utf8" });
    expect(stderr).toContain("PORT");
  });

  test("have a service that notifies systemd when it answers, and that stops for good after a faulty setting", async () => {
    writeFileSync(path.join(folder, "systemd-notify"), `#!/bin/sh\necho "$@" >${folder}/told\n`, { mode: 0o755 });
    const env = { DATA_DIR: path.join(folder, "data"), NOTIFY_SOCKET: "/run/systemd/notify" };
    const service = start({ ...env, PATH: `${folder}:${process.env.PATH}` });
    onTestFinished(() => void service.process.kill("SIGKILL"));
    await untilReady(service);
    await expect.poll(() => existsSync(`${folder}/told`) && readFileSync(`${folder}/told`, "utf8")).toBe("--ready\n");
    const faulty = start({ ...env, SIGNUP: "shut" });
    expect(String(await faulty.ended)).toBe(settingOf("reading-list.service", "RestartPreventExitStatus"));
    expect(faulty.output()).toBe("SIGNUP: must be open or closed\n");
  });

  test("back the running service up, and remove backups that are older than 14 days", async () => {
    const service = start({ DATA_DIR: path.join(folder, "data") });
    onTestFinished(() => void service.process.kill("SIGKILL"));
    await untilReady(service);
    const backups = path.join(folder, "backups");
    mkdirSync(backups);
    const runUnit = (setting: string) => {
      // `%%` stands for `%` in a unit.
      const command = settingOf("reading-list-backup.service", setting)
        .replaceAll("%%", "%")
        .replaceAll("/usr/local/bin/node", process.execPath)
        .replaceAll("/var/lib/reading-list-backups", backups);
      const env = { ...process.env, DATA_DIR: path.join(folder, "data") };
      expect(spawnSync("sh", ["-c", command], { env, encoding: "utf8" })).toMatchObject({ status: 0, stderr: "" });
    };
    runUnit("ExecStart");
    const [newest = ""] = globSync("*.db", { cwd: backups });
    const daysOf = { "older.db": 20, "old.db": 16, "young.db": 13, "notes.db": 16, "notes.txt": 16 };
    for (const [name, days] of Object.entries(daysOf)) {
      const isBackup = !name.startsWith("notes");
      if (isBackup) copyFileSync(path.join(backups, newest), path.join(backups, name));
      expect(spawnSync("touch", ["-d", `${days} days ago`, path.join(backups, name)]).status).toBe(0);
    }
    runUnit("ExecStartPost");
    expect(globSync("*", { cwd: backups }).sort()).toEqual([
      expect.stringMatching(/^\d{4}-\d\d-\d\dT\d{6}Z\.db$/),
      expect.stringMatching(/^\d{4}-\d\d-\d\dT\d{6}Z\.db\.sha256$/),
      "deleted-users.txt",
      "notes.db",
      "notes.txt",
      "young.db",
    ]);
  });
});

describe("docs/self-hosting.md", () => {
  const page = readFileSync("docs/self-hosting.md", "utf8");

  test("installs every example, and names no file that does not exist", () => {
    const named = [...page.matchAll(/deploy\/self-hosting\/([\w.-]+)/g)].map(([, name]) => name ?? "");
    expect([...new Set(named)].sort()).toEqual(readdirSync(examples).sort());
  });

  test("has the paths of the units", () => {
    for (const shown of ["/etc/reading-list/environment", "/var/lib/reading-list-backups", "/usr/local/bin/node"]) {
      expect(page).toContain(shown);
      expect(units.map(readExample).join("\n")).toContain(shown);
    }
  });
});
