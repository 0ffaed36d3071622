// SPDX-License-Identifier: MIT

import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { listBackups, writeBackup } from "@reading-list/backup/encrypted-backup.ts";
import { expiredTimes } from "@reading-list/backup/kept-backups.ts";
import { openDestination } from "@reading-list/backup/open-destination.ts";
import { deriveVerifyKey } from "@reading-list/backup/signed-content.ts";
import { createNameKey } from "@reading-list/local/daily-backups.ts";
import { TestUser } from "@reading-list/testing/client.ts";
import { runCommand } from "@reading-list/testing/command-line.ts";
import { FakeClock } from "@reading-list/testing/fake-clock.ts";
import { keptSourcesIn } from "@reading-list/testing/kept-sources.ts";
import { type PageServer, prose, startPageServer } from "@reading-list/testing/page-server.ts";
import { permitAt } from "@reading-list/testing/permit-at.ts";
import { temporaryFolder } from "@reading-list/testing/temporary-folder.ts";
import { startInProcess, startTestService, type TestService } from "@reading-list/testing/test-service.ts";
import { VersionedBuckets } from "@reading-list/testing/versioned-buckets.ts";
import { Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from "age-encryption";
import fc from "fast-check";
import sharp from "sharp";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";

const day = 86_400;

let pages: PageServer;
let service: TestService;
let user: TestUser;
let recipient: string;
/** The file of the private key. */
let identity: string;
let ageKey: string;

beforeAll(async () => {
  pages = await startPageServer(async ({ url = "" }, response) => {
    if (!url.startsWith("/picture")) {
      const images = [1, 2].map((number) => `<img src="/picture${number}${url.slice(1)}">${prose}`);
      return response.writeHead(200, { "content-type": "text/html" }).end(`<article>${images.join("")}</article>`);
    }
    const width = 100 + Number(url.replaceAll(/\D/g, ""));
    const picture = sharp({ create: { width, height: 90, channels: 3, background: "#336699" } });
    return response.writeHead(200, { "content-type": "image/png" }).end(await picture.png().toBuffer());
  });
  const key = await generateX25519Identity();
  recipient = await identityToRecipient(key);
  identity = path.join(temporaryFolder(), "key.txt");
  ageKey = `# created: now\n# public key: ${recipient}\n${key}\n`;
});
afterAll(() => pages.stop());

beforeEach(async () => {
  service = await startTestService({ TEXT_ALLOWED_ORIGINS: pages.origin });
  user = await service.newUser();
  writeFileSync(identity, `${ageKey}# ${deriveVerifyKey(secretIn(service.env.DATA_DIR))}\n`);
  await keepPage(1);
});

const secretIn = (folder: string) => readFileSync(path.join(folder, "secret"), "utf8").trim();

/** Keeps a page with two pictures of its own. */
async function keepPage(number: number): Promise<void> {
  await user.add(`${pages.origin}/${number}`);
  expect(await sourcesOf(user, number)).toHaveLength(2);
}

const sourcesOf = async (of: TestUser, number: number) =>
  keptSourcesIn((await of.ok("article", { url: `${pages.origin}/${number}`, images: "kept" })).body);

/** A destination: its address, its files by name, and a way to change one. */
interface Place {
  address: string;
  files(): Map<string, Buffer>;
  change(name: string, content: Buffer | undefined): void;
}

function inFolder(): Place {
  const address = temporaryFolder();
  return {
    address,
    files: () => {
      const names = readdirSync(address, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
      const paths = names.map((each) => path.join(each.parentPath, each.name));
      return new Map(paths.map((file) => [path.relative(address, file), readFileSync(file)]));
    },
    change: (name, content) => {
      const file = path.join(address, name);
      if (content) writeFileSync(file, content);
      else rmSync(file);
    },
  };
}

async function inBucket(): Promise<Place & { buckets: VersionedBuckets }> {
  const buckets = new VersionedBuckets({ backups: { isVersioned: false } });
  // Several pages of a listing.
  buckets.pageSize = 2;
  buckets.put("/backups/of-another/2026-01-01T000000Z.db.age", Buffer.from("not ours"));
  const server = createServer(buckets.listener()).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const credentials = { AWS_REGION: "eu-central-1", AWS_ACCESS_KEY_ID: "key", AWS_SECRET_ACCESS_KEY: "secret" };
  for (const [name, value] of Object.entries({ ...credentials, AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${port}` })) {
    vi.stubEnv(name, value);
  }
  onTestFinished(() => void vi.unstubAllEnvs());
  const start = "/backups/my/list/";
  return {
    buckets,
    address: "s3://backups/my/list/",
    files: () => {
      const own = [...buckets.byPath].filter(([name]) => name.startsWith(start));
      return new Map(own.map(([name, content]) => [name.slice(start.length), content]));
    },
    change: (name, content) => buckets.put(start + name, content),
  };
}

const variablesOf = ({ address }: Place, dataDir = service.env.DATA_DIR) => ({
  DATA_DIR: dataDir,
  BACKUP_TO: address,
  BACKUP_RECIPIENT: recipient,
});
const run = (place: Place, ...args: string[]) => runCommand([...args, "--yes"], variablesOf(place));
const backUp = async (place: Place) => {
  const outcome = await run(place, "backup", "--json");
  expect(outcome.err).toBe("");
  return outcome.json() as { address: string; pictures: object; deleted: number };
};
/** Writes a backup that is some days older than the present. */
const backUpAt = (place: Place, days: number) => {
  const options = { folder: service.env.DATA_DIR, address: place.address, recipient, nameKey: createNameKey("secret") };
  const now = Math.floor(Date.now() / 1000) + days * day;
  return writeBackup({ ...options, now, permit: permitAt(now) });
};
const databasesIn = (place: Place) => [...place.files().keys()].filter((name) => name.endsWith(".db.age"));
const picturesIn = (place: Place) => [...place.files().keys()].filter((name) => name.startsWith("pictures/"));

describe.each([
  ["a folder", async () => inFolder()],
  ["a bucket of S3", inBucket],
] as const)("a backup in %s", (_, open) => {
  let place: Place;
  beforeEach(async () => {
    place = await open();
  });

  test("is restored on another machine with only the private key, with its pictures", async () => {
    expect((await backUp(place)).pictures).toEqual({ copied: 2, missing: 0 });
    await keepPage(2);
    const { address, pictures } = await backUp(place);
    // Only new pictures are copied.
    expect(pictures).toEqual({ copied: 2, missing: 0 });
    const listed = (await run(place, "backups", "--json")).json().backups as { address: string }[];
    expect(listed.map((each) => each.address)).toContain(address);

    const DATA_DIR = path.join(temporaryFolder(), "new");
    const restored = await runCommand(["restore", address, "--identity", identity, "--yes", "--json"], { DATA_DIR });
    expect(restored.json()).toMatchObject({ leftOut: 0, pictures: { copied: 4, missing: 0 } });
    const other = await startTestService({ DATA_DIR });
    const there = new TestUser(other, user.credentials.username, user.credentials.password);
    for (const number of [1, 2]) {
      const statuses = (await sourcesOf(there, number)).map(async (source) => (await fetch(source)).status);
      expect(await Promise.all(statuses)).toEqual([200, 200]);
    }
    expect(readdirSync(DATA_DIR).filter((name) => name.startsWith("backup-"))).toEqual([]);
  });

  test("brings the secret of the data folder, so that apps stay connected and no picture is copied again", async () => {
    const { address } = await backUp(place);
    const DATA_DIR = temporaryFolder();
    const restored = await runCommand(["restore", address, "--identity", identity, "--yes", "--json"], { DATA_DIR });
    expect(restored.json()).toMatchObject({ hasSecret: true });
    expect(secretIn(DATA_DIR)).toBe(secretIn(service.env.DATA_DIR));
    const { err, json } = await runCommand(["backup", "--json"], variablesOf(place, DATA_DIR));
    expect([err, json()]).toEqual(["", expect.objectContaining({ pictures: { copied: 0, missing: 0 } })]);
  });

  test("is restored with its pictures under any name", async () => {
    await backUp(place);
    const [name = ""] = databasesIn(place);
    place.change("mine.age", place.files().get(name));
    const env = { DATA_DIR: temporaryFolder() };
    const file = `${place.address.replace(/\/$/, "")}/mine.age`;
    const { code, json } = await runCommand(["restore", file, "--identity", identity, "--yes", "--json"], env);
    expect([code, json().pictures]).toEqual([0, { copied: 2, missing: 0 }]);
  });

  test("cannot be read there: neither list nor pictures, nor which pictures they are", async () => {
    await backUp(place);
    const record = await service.operator.findUser(user.credentials.username);
    const hashes = readdirSync(path.join(service.env.DATA_DIR, "pictures", record?.userId ?? ""));
    expect(hashes).toHaveLength(2);
    for (const [name, content] of place.files()) {
      if (name !== "deleted-users.txt" && !name.endsWith("Z.pictures")) {
        expect(String(content)).toMatch(/^age-encryption.org\/v1\n/);
      }
      // Short ones would be in random bytes by chance.
      const secrets = [user.credentials.username, pages.origin, "PNG\r\n", "SQLite format", ...hashes];
      expect(secrets.filter((secret) => `${name} ${content}`.includes(secret))).toEqual([]);
    }
  });

  test("that is damaged, missing, or for another key changes nothing", async () => {
    const { address } = await backUp(place);
    const [name = ""] = databasesIn(place);
    const whole = place.files().get(name) ?? Buffer.of();
    const DATA_DIR = temporaryFolder();
    const restore = (file: string, key: string) =>
      runCommand(["restore", file, "--identity", key, "--yes"], { DATA_DIR });
    const otherKey = path.join(temporaryFolder(), "key.txt");
    writeFileSync(otherKey, await generateX25519Identity());
    expect(await restore(address, otherKey)).toMatchObject({
      code: 1,
      err: expect.stringContaining("cannot be decrypted with this key"),
    });
    expect(await restore(address, path.join(DATA_DIR, "none"))).toMatchObject({
      code: 1,
      err: expect.stringContaining("cannot be read: the file or folder does not exist"),
    });
    writeFileSync(otherKey, "secret");
    expect((await restore(address, otherKey)).err).toContain("the --identity file must be written by age-keygen");
    const flipped = Buffer.from(whole);
    flipped.writeUInt8((whole.at(-100) ?? 0) ^ 1, whole.length - 100);
    for (const damaged of [flipped, whole.subarray(0, -5000)]) {
      place.change(name, damaged);
      expect(await restore(address, identity)).toMatchObject({ code: 1, err: expect.stringContaining("is damaged") });
    }
    place.change(name, undefined);
    expect(await restore(address, identity)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/the backup .* does not exist/),
    });
    expect(readdirSync(DATA_DIR)).toEqual([]);
  });

  test("restores without a picture that is missing or damaged, and says so", async () => {
    const { address } = await backUp(place);
    const [missing = "", damaged = ""] = picturesIn(place);
    place.change(missing, undefined);
    place.change(damaged, Buffer.from("other bytes"));
    const env = { DATA_DIR: temporaryFolder() };
    const { code, out } = await runCommand(["restore", address, "--identity", identity, "--yes"], env);
    expect([code, out]).toEqual([3, expect.stringContaining("0 pictures copied from beside it; 2 missing or damaged")]);
  });

  test("leaves out users who were deleted since, whose ids are beside it", async () => {
    const { address } = await backUpAt(place, -1);
    await user.ok("delete_account", { confirm: user.credentials.username });
    await backUp(place);
    const env = { DATA_DIR: temporaryFolder() };
    const restored = await runCommand(["restore", address, "--identity", identity, "--yes", "--json"], env);
    expect(restored.json()).toMatchObject({ leftOut: 1 });
  });

  test("is deleted by the rule, with pictures that no other has; files of an interrupted backup are deleted after a day", async () => {
    const at = (days: number) => backUpAt(place, days);
    const left = new Date(Date.now() - 60 * day * 1000).toISOString().replace(/\.\d+|:/g, "");
    await at(0);
    place.change(`${left}.pictures`, Buffer.from("pictures/none\n"));
    place.change("pictures/none", Buffer.from("of an interrupted backup"));
    place.change("notes.txt", Buffer.from("of the operator"));
    const pictures = picturesIn(place).filter((name) => name !== "pictures/none");
    expect(pictures).toHaveLength(2);
    await user.ok("send", { delete: JSON.stringify([{ url: `${pages.origin}/1` }]) });
    await user.ok("trash", { purge: "all" });
    // Within a day it may belong to a backup in progress.
    expect(await at(0.5)).toMatchObject({ deleted: 0 });
    expect(picturesIn(place)).toEqual(expect.arrayContaining(["pictures/none", ...pictures]));
    await at(2);
    expect([...place.files().keys()]).not.toContain(`${left}.pictures`);
    expect(picturesIn(place)).toEqual(pictures);
    expect(await at(40)).toMatchObject({ deleted: 2 });
    expect(databasesIn(place)).toHaveLength(2);
    expect(picturesIn(place)).toEqual([]);
    expect([...place.files().keys()]).toContain("notes.txt");
    expect(await listBackups(openDestination(place.address))).toHaveLength(2);
  });
});

describe("a restore of an encrypted backup is refused, and changes nothing,", () => {
  const place = inFolder;
  const DATA_DIR = () => path.join(temporaryFolder(), "new");
  const restore = (file: string, key: string, folder: string, ...more: string[]) =>
    runCommand(["restore", file, "--identity", key, "--yes", ...more], { DATA_DIR: folder });
  const ageKeyAlone = () => {
    const file = path.join(temporaryFolder(), "key.txt");
    writeFileSync(file, ageKey);
    return file;
  };
  const encrypt = async (content: Uint8Array) => {
    const encrypter = new Encrypter();
    encrypter.addRecipient(recipient);
    return Buffer.from(await encrypter.encrypt(content));
  };
  const decrypt = async (content: Uint8Array) => {
    const decrypter = new Decrypter();
    decrypter.addIdentity(/AGE-SECRET-KEY-\S+/.exec(ageKey)?.[0] ?? "");
    return Buffer.from(await decrypter.decrypt(content));
  };
  /** Refused without the flag that the refusal names, and accepted with it. */
  async function expectRefusal(file: string, reason: string, key = identity) {
    const folder = DATA_DIR();
    const refused = await restore(file, key, folder);
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining(reason)]);
    const [, flag = ""] = /add (--[\w-]+)/.exec(refused.err) ?? [];
    expect(existsSync(path.join(folder, "reading-list.db"))).toBe(false);
    expect((await restore(file, key, folder, flag)).out).toContain("Restored");
  }

  test("if it has no signature, although it was encrypted for the public key", async () => {
    const { address } = await backUp(place());
    const content = await decrypt(readFileSync(address));
    const database = content.subarray(content.indexOf("SQLite format 3"));
    writeFileSync(address, await encrypt(database));
    await expectRefusal(address, "is not signed");
  });

  test("if its database is another one than the signed one, or its signature does not match", async () => {
    const { address } = await backUp(place());
    const content = await decrypt(readFileSync(address));
    const text = content.toString("latin1");
    const put = async (changed: string) => writeFileSync(address, await encrypt(Buffer.from(changed, "latin1")));
    await put(text.replace("alert", "alarm").replaceAll("CREATE TABLE users", "CREATE TABLE Users"));
    expect((await restore(address, identity, DATA_DIR(), "--accept-unverified")).err).toContain("is damaged");
    await put(text.replace(/"time":\d/, '"time":9'));
    await expectRefusal(address, "has an invalid signature");
  });

  test("if its key is not given, in the file of the identity or by itself, with several of them", async () => {
    const { address } = await backUp(place());
    const verifyKey = deriveVerifyKey(secretIn(service.env.DATA_DIR));
    await expectRefusal(address, `is signed with ${verifyKey}`, ageKeyAlone());
    const keys = ["--verify-key", deriveVerifyKey("another"), verifyKey];
    const { out, err } = await restore(address, ageKeyAlone(), DATA_DIR(), ...keys);
    expect(out).toContain("Restored");
    expect(err).toMatch(
      new RegExp(`written 2.*: 1 user \\(${user.credentials.username}\\); operators: none; newest change: 2`),
    );
  });

  test("if its name has a different time than the signed one", async () => {
    const where = place();
    const { address } = await backUp(where);
    const later = path.join(where.address, "2096-12-01T000000Z.db.age");
    writeFileSync(later, readFileSync(address));
    await expectRefusal(later, "its name contains another time");
  });

  test("but not in the data folder that wrote it", async () => {
    const { address } = await backUp(place());
    const folder = temporaryFolder();
    writeFileSync(path.join(folder, "secret"), secretIn(service.env.DATA_DIR));
    expect((await restore(address, ageKeyAlone(), folder)).code).toBe(0);
  });
});

test("the verifying key is printed with the first backup of a data folder, and with the list of backups", async () => {
  const place = inFolder();
  const key = deriveVerifyKey(secretIn(service.env.DATA_DIR));
  expect((await run(place, "backup")).out).toContain(`The key that verifies these backups is ${key}.`);
  expect((await run(place, "backup")).out).not.toContain(key);
  expect((await run(place, "backups")).out).toContain(key);
});

test("a bucket that fails leaves the earlier backups and no new one", async () => {
  const place = await inBucket();
  await backUp(place);
  place.buckets.isBroken = true;
  expect(await run(place, "backup")).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^readinglist: the backups in s3:\/\/backups\/my\/list\/ cannot be reached: .*\n$/),
  });
  place.buckets.isBroken = false;
  expect(databasesIn(place)).toHaveLength(1);
  expect(readdirSync(service.env.DATA_DIR).filter((name) => name.startsWith("backup-"))).toEqual([]);
});

test("a folder that is missing, as of a disk that is not mounted, is not made", async () => {
  const place = { ...inFolder(), address: path.join(temporaryFolder(), "mounted") };
  expect(await run(place, "backup")).toMatchObject({ code: 1, err: expect.stringContaining("create it, or mount it") });
  expect(existsSync(place.address)).toBe(false);
});

test("the command line says which option is wrong", async () => {
  const place = inFolder();
  const wrong = async (message: string, ...args: string[]) =>
    expect(await run(place, ...args)).toMatchObject({ code: 2, err: expect.stringContaining(message) });
  await wrong("--without-pictures works only with a backup to a file", "backup", "--without-pictures");
  await wrong("with --identity", "restore", "x.db.age");
  await wrong("with --identity", "restore", "x.db", "--identity", identity);
  const { err } = await runCommand(["backup"], { DATA_DIR: service.env.DATA_DIR });
  expect(err).toContain("set BACKUP_TO and BACKUP_RECIPIENT, or name a file for readinglist backup");
  expect((await run({ ...place, address: temporaryFolder() }, "backups")).out).toMatch(/^No backup yet\.\n/);
});

test("kept are all backups of 14 days, the last of each week of 35 days, and the younger half", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 60 * day }), { maxLength: 80 }), (ages) => {
      const now = Math.floor(Date.now() / 1000);
      const times = [...new Set(ages)].map((age) => now - age);
      const expired = new Set(expiredTimes(times, now));
      const weekOf = (time: number) => Math.floor(time / (7 * day));
      for (const time of times) {
        const isRecent = now - time <= 14 * day;
        const isLast = !times.some((other) => weekOf(other) === weekOf(time) && other > time);
        const isOfOlderHalf = times.filter((other) => other <= time).length <= times.length / 2;
        expect(expired.has(time)).toBe(isOfOlderHalf && !isRecent && !(isLast && now - time <= 35 * day));
      }
    }),
  );
});

describe("of daily backups", () => {
  const start = Math.floor(Date.parse("2026-01-01T03:00:00Z") / 1000);
  /** The times that are left after a backup was written at each of some times. */
  const backUpDaily = (before: readonly number[], times: readonly number[]) => {
    let kept = [...before];
    for (const now of times) {
      kept.push(now);
      const expired = new Set(expiredTimes(kept, now));
      kept = kept.filter((time) => !expired.has(time));
    }
    return kept;
  };
  const daysFrom = (first: number, count: number) => Array.from({ length: count }, (_, index) => first + index * day);

  test("a backup written with the clock a year ahead leaves half of the others, and does not count when the clock is right", () => {
    const before = backUpDaily([], daysFrom(start, 100));
    const ahead = start + 465 * day;
    const after = backUpDaily(before, [ahead]);
    expect(after).toEqual([...before.slice(Math.floor((before.length + 1) / 2)), ahead]);
    expect(backUpDaily(after, [start + 100 * day])).toEqual(expect.arrayContaining(after));
    expect(expiredTimes([start, ahead], start + 40 * day)).toEqual([]);
  });

  test("none is older than 35 days, and after months without a backup none is from the fourth day on", () => {
    const ages = (days: number) =>
      backUpDaily([], daysFrom(start, days)).map((time) => start + (days - 1) * day - time);
    for (let days = 1; days < 120; days += 1) expect(Math.max(...ages(days))).toBeLessThanOrEqual(35 * day);
    const before = backUpDaily([], daysFrom(start, 100));
    const oldAfter = (days: number) =>
      backUpDaily(before, daysFrom(start + 200 * day, days)).filter((time) => time < start + 100 * day).length;
    expect([1, 2, 3, 4].map(oldAfter)).toEqual([9, 4, 1, 0]);
  });
});

describe("npm start", () => {
  /** The service on a copy of the data, because one process has a database. */
  const start = (place: Place, clock: FakeClock) => startTestService(variablesOf(place, temporaryFolder()), { clock });

  test("writes a backup on each day without one", async () => {
    const place = inFolder();
    const clock = new FakeClock();
    const first = await start(place, clock);
    await expect.poll(() => databasesIn(place)).toHaveLength(1);
    await first.stop();
    const second = await start(place, clock);
    await second.stop();
    clock.advance(day);
    await start(place, clock);
    await expect.poll(() => databasesIn(place)).toHaveLength(2);
    const times = (await listBackups(openDestination(place.address))).map(({ time }) => Math.floor(time / day));
    expect(new Set(times).size).toBe(2);
  });

  test("deletes none while the clock is a year ahead", async () => {
    const place = inFolder();
    const dataDir = temporaryFolder();
    const now = Math.floor(Date.now() / 1000);
    const run = async (days: number, count: number) => {
      const started = await startTestService(variablesOf(place, dataDir), { clock: new FakeClock(now + days * day) });
      await expect.poll(() => databasesIn(place)).toHaveLength(count);
      await started.stop();
    };
    for (let days = 0; days < 4; days++) await run(days, days + 1);
    const kept = databasesIn(place);
    await run(400, 5);
    expect(databasesIn(place)).toEqual(expect.arrayContaining(kept));
    await run(4, 6);
  });

  test("writes the backup of a day although there is one of the future", async () => {
    const place = inFolder();
    const ahead = await start(place, new FakeClock(Math.floor(Date.now() / 1000) + 400 * day));
    await expect.poll(() => databasesIn(place)).toHaveLength(1);
    await ahead.stop();
    await start(place, new FakeClock());
    await expect.poll(() => databasesIn(place)).toHaveLength(2);
  });

  test.each([
    [{ BACKUP_TO: "backups" }, "BACKUP_TO: must be the absolute path of a folder, or s3://BUCKET/PREFIX"],
    [{ BACKUP_RECIPIENT: "" }, "BACKUP_RECIPIENT: must be a public key of age, because BACKUP_TO is set"],
    [{ BACKUP_RECIPIENT: "AGE-SECRET-KEY-1" }, "BACKUP_RECIPIENT: must be the public key that age-keygen prints"],
    [{ BACKUP_RECIPIENT: "age1abc" }, "BACKUP_RECIPIENT: must be the public key that age-keygen prints"],
    [{ DATA_DIR: ":memory:" }, "BACKUP_TO: must not be set, because the database is not in a folder"],
    [{ DYNAMODB_ENDPOINT: "http://127.0.0.1:1" }, "BACKUP_TO: must not be set"],
  ])("does not start with %j", async (wrong, message) => {
    const env = { ...variablesOf(inFolder(), temporaryFolder()), ...wrong };
    await expect(startInProcess(env)).rejects.toThrow(message);
  });
});
