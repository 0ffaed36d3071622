// SPDX-License-Identifier: MIT

import * as fields from "@reading-list/core/contract/fields.ts";
import {
  type ApiKeyHolder,
  createApiKey,
  createApplication,
  currentKeys,
  groupByApplication,
  isNameTaken,
} from "@reading-list/core/domain/applications.ts";
import type { Application } from "@reading-list/core/ports/applications.ts";
import type { ApiKeyChange, ListedApiKey, OperatorStore } from "@reading-list/core/ports/operator.ts";
import type { Command } from "commander";
import { findApplication } from "../applications.ts";
import { CommandError, UsageError } from "../failures.ts";
import { parseLimit, parseLimitOrDefault } from "../parse-options.ts";
import { alignColumns, alignPairs, type Report, showCount, showNumber, showTime } from "../report.ts";
import type { Run } from "../run-command.ts";
import { confirm, readSecret, type Terminal } from "../terminal.ts";

/** Keys that old applications have compiled in. A blank at an end is a copying mistake. */
const keyRule = /^[!-~][ -~]{6,126}[!-~]$/;

interface Limits {
  userLimit?: number;
  keyLimit?: number;
}

interface NewKeyOptions extends Limits {
  keyFromStdin?: boolean;
  public?: boolean;
}

const publicMeaning = "for a key that anyone can read, such as a web page's: limit calls by address";

/** `readinglist keys …` */
export function addKeysCommands(program: Command, run: Run): void {
  const keys = program.command("keys").description("create and manage the API keys of applications");
  addCreate(keys, run);
  addList(keys, run);
  addShow(keys, run);
  addDisable(keys, run);
  addEnable(keys, run);
  addLimits(keys, run);
  addRotate(keys, run);
}

function addCreate(keys: Command, run: Run): void {
  keys
    .command("create")
    .description("create a key for a new application and show it once, or register an existing key")
    .argument("<name>", "name of the application")
    .option("--user-limit <calls>", "calls each user can make in a window, instead of the default", parseLimit)
    .option("--key-limit <calls>", "calls the application can make in a window, instead of the default", parseLimit)
    .option("--public", publicMeaning)
    .option(
      "--key-from-stdin",
      "register an existing key of 8-128 printable ASCII characters, typed or read from standard input",
    )
    .addHelpText(
      "after",
      '\nExamples:\n  readinglist keys create "Reader for Android" --key-limit 50000\n  readinglist keys create "Old reader" --key-from-stdin <key-file',
    )
    .action((name: string, { keyFromStdin = false, public: isPublic, ...limits }: NewKeyOptions) =>
      run(async ({ store, now, terminal }) => {
        const { error } = fields.applicationName.safeParse(name);
        if (error) throw new UsageError(`a name ${error.issues[0]?.message}`);
        const holders = groupByApplication(await store.listApiKeys());
        if (isNameTaken(holders, name)) {
          throw new CommandError(
            "an application with this name already has a key; choose another name, or use keys rotate",
          );
        }
        const given = keyFromStdin ? await readApiKey(terminal) : undefined;
        const { apiKey, record } = createApplication(name, now, given);
        if (!(await store.createApiKey(apiKey, { ...record, ...limits, ...(isPublic && { isPublic }) }))) {
          throw new CommandError("this key already exists (see keys list); nothing was changed");
        }
        const { created: _, ...application } = record;
        if (!keyFromStdin) return reportNewKey({ ...application, apiKey }, []);
        return { data: application, text: `Registered the given key for ${name} (${application.applicationId}).` };
      }),
    );
}

function addList(keys: Command, run: Run): void {
  keys
    .command("list")
    .description("list all applications and their keys")
    .action(() =>
      run(async ({ store }) => {
        const holders = groupByApplication(await store.listApiKeys());
        const rows = holders.flatMap((holder) => holder.keys.map((key) => keyRow(holder, key)));
        const text = alignColumns(heads, rows, "There are no keys; create one with keys create.");
        return { data: holders.map(holderData), text };
      }),
    );
}

function addShow(keys: Command, run: Run): void {
  keys
    .command("show")
    .description("show the keys and limits of one application")
    .argument("<name>", "name or application id")
    .action((name: string) => run(async ({ store }) => reportHolder(await findApplication(store, name))));
}

function addDisable(keys: Command, run: Run): void {
  keys
    .command("disable")
    .description("refuse calls with an application's keys; takes effect within 5 seconds")
    .argument("<name>", "name or application id")
    .option("--old", "disable only the old keys that keys rotate --keep-old left enabled")
    .addHelpText("after", '\nExample:\n  readinglist keys disable "Reader for Android" --old')
    .action((name: string, { old: onlyOld = false }: { old?: boolean }) =>
      run(async ({ store, isAgreed, terminal }) => {
        const holder = await findApplication(store, name);
        const meant = holder.keys.filter((key) => !onlyOld || key.replaced !== undefined);
        const enabled = meant.filter((key) => key.status === "enabled");
        if (enabled.length > 0) {
          await confirm(
            terminal,
            `Refuse all calls with ${showCount(enabled.length, "key")} of ${holder.name}?`,
            isAgreed,
          );
        }
        return changeAndReport(store, holder, enabled, { status: "disabled" });
      }),
    );
}

function addEnable(keys: Command, run: Run): void {
  keys
    .command("enable")
    .description("allow calls with an application's current key again, but not with replaced keys")
    .argument("<name>", "name or application id")
    .action((name: string) =>
      run(async ({ store }) => {
        const holder = await findApplication(store, name);
        return changeAndReport(store, holder, currentKeys(holder), { status: "enabled" });
      }),
    );
}

type LimitOptions = Partial<Record<keyof Limits, number | "default">> & { public?: boolean };

function addLimits(keys: Command, run: Run): void {
  keys
    .command("limits")
    .description("change the limits of an application; takes effect within 5 seconds")
    .argument("<name>", "name or application id")
    .option("--user-limit <calls>", "calls each of its users can make in a window, or default", parseLimitOrDefault)
    .option("--key-limit <calls>", "calls the application can make in a window, or default", parseLimitOrDefault)
    .option("--public", publicMeaning)
    .option("--no-public", "undo --public")
    .addHelpText(
      "after",
      '\nExamples:\n  readinglist keys limits "Reader for Android" --key-limit 50000\n  readinglist keys limits "Reader for Android" --key-limit default',
    )
    .action((name: string, { public: isPublic, ...limits }: LimitOptions) =>
      run(async ({ store }) => {
        const change = Object.fromEntries<number | boolean | undefined>(
          Object.entries(limits).map(([limit, value]) => [limit, value === "default" ? undefined : value]),
        );
        if (isPublic !== undefined) change.isPublic = isPublic;
        if (Object.keys(change).length === 0)
          throw new UsageError("give --user-limit, --key-limit, --public or --no-public");
        const holder = await findApplication(store, name);
        return changeAndReport(store, holder, holder.keys, change);
      }),
    );
}

function addRotate(keys: Command, run: Run): void {
  keys
    .command("rotate")
    .description(
      "replace the key of an application and disable the old key; the application keeps its id, limits and items",
    )
    .argument("<name>", "name or application id")
    .option("--keep-old", "leave the old key enabled until keys disable --old")
    .addHelpText(
      "after",
      '\nExamples:\n  readinglist keys rotate "Reader for Android"\n  readinglist keys rotate "Reader for Android" --keep-old',
    )
    .action((name: string, { keepOld = false }: { keepOld?: boolean }) =>
      run(async ({ store, now, isAgreed, terminal }) => {
        const holder = await findApplication(store, name);
        const { applicationId, status, userLimit, keyLimit, isPublic } = holder;
        if (!keepOld)
          await confirm(terminal, `Replace the key of ${holder.name} and refuse calls with the old one?`, isAgreed);
        const apiKey = createApiKey();
        const record = {
          applicationId,
          name: holder.name,
          status,
          created: now,
          ...(userLimit !== undefined && { userLimit }),
          ...(keyLimit !== undefined && { keyLimit }),
          ...(isPublic && { isPublic }),
        };
        const old = holder.keys.filter((key) => key.replaced === undefined || (!keepOld && key.status === "enabled"));
        const changes = old.map(({ keyHash, replaced = now }): [string, ApiKeyChange] => [
          keyHash,
          { replaced, ...(!keepOld && { status: "disabled" }) },
        ]);
        await store.createApiKey(apiKey, record, changes);
        const notes = [
          keepOld
            ? "The old key works until keys disable --old."
            : "Calls with the old key are refused within 5 seconds.",
          ...(status === "disabled"
            ? ["The application is disabled, so this key is disabled, too: see keys enable."]
            : []),
        ];
        return reportNewKey({ applicationId, name: holder.name, apiKey, status }, notes);
      }),
    );
}

async function readApiKey(terminal: Terminal): Promise<string> {
  const apiKey = await readSecret(terminal, "API key");
  if (!keyRule.test(apiKey)) {
    throw new CommandError(
      "the key must be 8-128 printable ASCII characters without a space at either end; nothing was changed",
    );
  }
  return apiKey;
}

/** Changes keys of an application, and reports all its keys. */
async function changeAndReport(
  store: OperatorStore,
  holder: ApiKeyHolder,
  keys: readonly ListedApiKey[],
  change: ApiKeyChange,
) {
  await store.changeApiKeys(keys.map(({ keyHash }) => [keyHash, change]));
  return reportHolder(await findApplication(store, holder.applicationId));
}

interface NewKey extends Pick<Application, "name" | "status"> {
  applicationId: string;
  apiKey: string;
}

function reportNewKey(made: NewKey, notes: readonly string[]): Report {
  const pairs = alignPairs([
    ["Application", made.name],
    ["Application id", made.applicationId],
    ["API key", made.apiKey],
  ]);
  return { data: made, text: [pairs, "", "Keep the key now: it is not shown again.", ...notes].join("\n") };
}

const heads = ["NAME", "APPLICATION ID", "KEY", "STATUS", "CALLS PER USER", "CALLS PER KEY", "CREATED", "REPLACED"];

/** The first digits of a key's hash, which identify it for people. */
const shortenHash = ({ keyHash }: ListedApiKey) => keyHash.slice(0, 8);
const showLimit = (limit: number | undefined) => (limit === undefined ? "default" : showNumber(limit));

const keyRow = ({ name, applicationId }: ApiKeyHolder, key: ListedApiKey): string[] => [
  name,
  applicationId,
  shortenHash(key),
  key.isPublic ? `${key.status}, public` : key.status,
  showLimit(key.userLimit),
  showLimit(key.keyLimit),
  showTime(key.created),
  key.replaced === undefined ? "" : showTime(key.replaced),
];

const holderData = ({ applicationId, name, status, userLimit, keyLimit, isPublic, keys }: ApiKeyHolder) => ({
  applicationId,
  name,
  status,
  userLimit: userLimit ?? null,
  keyLimit: keyLimit ?? null,
  isPublic,
  keys: keys.map((key) => ({
    key: shortenHash(key),
    status: key.status,
    created: key.created,
    replaced: key.replaced ?? null,
  })),
});

const reportHolder = (holder: ApiKeyHolder): Report => ({
  data: holderData(holder),
  text: alignColumns(
    heads,
    holder.keys.map((key) => keyRow(holder, key)),
  ),
});
