// SPDX-License-Identifier: MIT

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { openStore } from "@reading-list/local/open-store.ts";
import { readSettings } from "@reading-list/settings/settings.ts";
import { expect } from "vitest";
import { ServiceClient, TestUser } from "./client.ts";
import { entriesOf, RecordedDisk } from "./disk-record.ts";
import { start, untilReady } from "./started-service.ts";

/** How a process of the service ends. */
export type Ending = "killed" | "stopped" | "sync of the log fails" | "sync of the database fails";

/** All that the answers of a service have told: the number of the newest change of each page, and `since`. */
interface Told {
  changes: Map<string, number>;
  since: number;
}

/** The writes and syncs of a service that was started several times, and its answers. */
export interface Recording {
  record: Buffer;
  /** `position`: bytes of the record that are older than the answer. */
  answers: (Told & { position: number })[];
}

const [database, log] = ["reading-list.db", "reading-list.db-wal"];
const username = "ann";
const apiKey = "of the devices";
const pages = [1, 2, 3, 4].map((number) => `http://example.com/${number}`);

/** Whether this machine can record writes: it has Linux and a C compiler. */
export function canRecord(): boolean {
  try {
    execFileSync("cc", ["--version"], { stdio: "ignore" });
    return process.platform === "linux";
  } catch {
    return false;
  }
}

/**
 * Runs the service behind `npm start` once for each ending, on one database in a folder. Each time, the devices of a user
 * take `steps` steps each: one device reads the changes, the others write. Each read may advance the logical clock of the
 * list by a second, each ending by 60 s: beyond 600 s a change waits.
 */
export async function recordService(folder: string, endings: readonly Ending[], steps: number): Promise<Recording> {
  const within = (name: string) => path.join(folder, name);
  for (const name of ["data", "failures"]) mkdirSync(within(name));
  writeFileSync(within("record"), "");
  const source = path.join(import.meta.dirname, "record-writes.c");
  execFileSync("cc", ["-shared", "-fPIC", "-Wall", "-Wextra", "-Werror", "-o", within("recorder.so"), source]);
  const env = {
    LD_PRELOAD: within("recorder.so"),
    RECORD: within("record"),
    RECORDED_FOLDER: within("data"),
    FAILURES: within("failures"),
    DATA_DIR: within("data"),
    LOCAL_API_KEY: apiKey,
    USER_LIMIT: "1000000",
  };
  const fail = (sync: string) => writeFileSync(within(`failures/${sync}`), "");
  const answers: Recording["answers"] = [];
  const note = (told: Told) => answers.push({ ...told, position: statSync(within("record")).size });
  let lastChange = 0;
  for (const ending of endings) {
    const started = start(env);
    try {
      const client = new ServiceClient({ ...(await untilReady(started)), apiKey });
      const user = new TestUser(client, username, "correct horse");
      await user.call("signup");
      await Promise.all(pages.map((page) => user.add(page)));
      // The log is short now: it lacks most pages of the database that the lost changes concern.
      if (ending === "sync of the log fails") fail(`${log}.fdatasync`);
      const write = async (page: string) => {
        for (let step = 0; step < steps; step++) await writeTwice(user, page, ++lastChange, note);
      };
      const read = async () => {
        for (let step = 0, since = 0; step < steps; step++) since = await readChanges(user, since, note);
      };
      const acting = Promise.all([read(), ...pages.map(write)]);
      // The service ends by itself, and refuses connections then.
      if (ending === "sync of the log fails") await expect(acting, "calls after a failed sync").rejects.toThrow();
      else await acting;
      if (ending === "sync of the database fails") fail(`${database}.fsync`);
      if (ending !== "sync of the log fails") started.process.kill(ending === "killed" ? "SIGKILL" : "SIGTERM");
      await started.ended;
    } finally {
      started.process.kill("SIGKILL");
    }
  }
  return { record: readFileSync(within("record")), answers };
}

/** Changes a page, makes the same change from another device, and adds a page, all at once. */
async function writeTwice(user: TestUser, page: string, change: number, note: (told: Told) => void): Promise<void> {
  const send = async (name: "new" | "update_title", url: string) => {
    const { status } = await user.send({ [name]: [{ url, title: String(change) }] });
    if (status === 200) note({ changes: new Map([[url, change]]), since: 0 });
  };
  await Promise.all([send("update_title", page), send("update_title", page), send("new", `${page}/${change}`)]);
}

/** Reads the changes after a time; returns the new `since`. */
async function readChanges(user: TestUser, after: number, note: (told: Told) => void): Promise<number> {
  const answer = await user.call("get", { since: after });
  if (answer.status !== 200) return after;
  const { list, since } = answer.json();
  note({ changes: changesOf(Object.values(list)), since: Number(since) });
  return Number(since);
}

/** The number of the newest change of each page, which is its title; 0 for a page whose title is its URL. */
const changesOf = (items: Iterable<{ url: string; title: string }>) =>
  new Map([...items].map(({ url, title }) => [url, Number(title) || 0]));

/**
 * Cuts the power at random moments of a recording: makes the disk as it may be then, opens it with the store, and compares
 * it with all earlier answers. Returns a line for each disk that lacks something.
 */
export async function cutPower({ record, answers }: Recording, cuts: number, random: () => number): Promise<string[]> {
  const entries = [...entriesOf(record)];
  const first = answers[0]?.position ?? record.length;
  const endsOf = (file: string) =>
    entries.filter(({ name, end }) => name === file && end >= first).map(({ end }) => end);
  // After an answer, within a commit or a sync, and within a checkpoint.
  const moments = [answers.map(({ position }) => position), endsOf(log), endsOf(database)];
  const draw = <T>(from: readonly T[]) => from[Math.floor(random() * from.length)] as T;
  const disk = new RecordedDisk();
  const told: Told = { changes: new Map(), since: 0 };
  const faults: string[] = [];
  const cut = async () => {
    const fault = await withFolder((folder) => {
      for (const name of [database, log]) {
        const bytes = disk.fileAfterPowerCut(name, draw([0, 1, random()]), random);
        writeFileSync(path.join(folder, name), bytes, { mode: 0o600 });
      }
      return findFault(folder, told);
    });
    if (fault) faults.push(fault);
  };
  const events = [
    ...entries.map((entry) => ({ position: entry.end, happen: () => disk.repeat(entry) })),
    ...answers.map((answer) => ({ position: answer.position, happen: () => add(told, answer) })),
    ...Array.from({ length: cuts }, (_, n) => ({ position: draw(moments[n % moments.length] ?? []), happen: cut })),
  ];
  for (const { happen } of events.sort((a, b) => a.position - b.position)) await happen();
  return faults;
}

/** Does something in a folder in memory, where syncs take no time. */
async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync("/dev/shm/reading-list-");
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function add(told: Told, { changes, since }: Told): void {
  for (const [page, change] of changes) told.changes.set(page, Math.max(change, told.changes.get(page) ?? 0));
  told.since = Math.max(told.since, since);
}

/** Opens a database as the service does; returns what is wrong with it. */
async function findFault(folder: string, { changes, since }: Told): Promise<string | undefined> {
  try {
    const { stores, operator, close } = await openStore(
      readSettings({}),
      { dataDir: folder, leavesCheckpoints: false, mayBeOnNetwork: false, diskReserve: undefined },
      Date,
      (client) => client,
    );
    try {
      const check = await operator.checks().database?.();
      if (check && "fault" in check) return check.fault;
      const { clock } = (await stores.users.find(username)) ?? {};
      if ((clock?.lastSince ?? 0) < since) return `the next change may have a time that is not above since ${since}`;
      const found = new Map<string, number>();
      for await (const items of operator.walkRecords(username)) {
        for (const [page, change] of changesOf(items)) found.set(page, change);
      }
      const lost = [...changes].filter(([page, change]) => (found.get(page) ?? -1) < change);
      return lost.length === 0 ? undefined : `${lost.length} changes are lost, such as ${lost[0]}`;
    } finally {
      await close();
    }
  } catch (error) {
    return `it cannot be opened: ${error}`;
  }
}
