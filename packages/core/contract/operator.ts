// SPDX-License-Identifier: MIT

import { daysOfLink } from "../domain/operator-link.ts";
import * as answered from "./answered.ts";
import * as z from "./bounded.ts";
import { type EndpointContract, userFields } from "./endpoint.ts";
import * as fields from "./fields.ts";

/**
 * The endpoints of operators, on one machine only (docs/api.md 13): a user with the operator's flag calls them with the
 * account's password.
 */

const status = z.literal("1").meta({ description: "Always `1`." });
const text = (description: string) => answered.string().meta({ description });
/** Entries of texts by id. */
const listSchema = (names: readonly string[], description: string) =>
  answered
    .record(answered.string(), z.object(Object.fromEntries(["id", ...names].map((name) => [name, answered.string()]))))
    .optional()
    .meta({ description: `${description}: ${names.map((name) => `\`${name}\``).join(", ")}.` });

const common = {
  tag: "account",
  host: "main",
  caller: "user",
  account: "operator",
  methods: ["POST"],
  changes: true,
  adds: false,
  counted: true,
} as const;

const commonFields = { ...userFields, format: fields.format };

const otherUser = fields.username.optional();

export const operatorUsers = {
  ...common,
  name: "operator/users",
  section: "13.1",
  summary: "List or delete users",
  description:
    "With `delete`, the service deletes a user and all the user's data for good; without it, the answer lists users.",
  answer: {
    kind: "fields",
    fields: z.object({
      status,
      total: answered.string().optional().meta({ description: "Number of users; with `search`, of matching users." }),
      list: listSchema(
        ["time_created", "count_unread", "count_read", "articles", "article_bytes", "operator", "state"],
        "Users by name, in alphabetical order; `operator` is `0` or `1`, `state` `active`, `deleting` or `moving`",
      ),
    }),
    orStatus: true,
  },
  input: z
    .object({
      ...commonFields,
      count: fields.count,
      page: fields.page,
      search: z.string(20).optional().meta({ description: "Only users whose names contain this." }),
      delete: otherUser.meta({ description: "The user to delete." }),
      confirm: otherUser.meta({ description: "With `delete`: the username again." }),
    })
    .refine(({ delete: name, confirm }) => name === confirm, {
      path: ["confirm"],
      error: "must be the username of delete",
    }),
  example: {
    parameters: {},
    mistake: { change: { delete: "bob" }, error: "confirm must be the username of delete" },
  },
} as const satisfies EndpointContract;

export const operatorLinks = {
  ...common,
  name: "operator/links",
  adds: ["create"],
  section: "13.2",
  summary: "Create, list or revoke links for people",
  description:
    "A link works once and until it expires. With it, a person can create an account, even if sign-up is closed, or replace a forgotten password. Links need the setting `BASE_URL`.",
  answer: {
    kind: "fields",
    fields: z.object({
      status,
      id: answered.string().optional().meta({ description: "With `create`: its id." }),
      url: answered.string().optional().meta({ description: "With `create`: the link, only this once." }),
      list: listSchema(
        ["kind", "username", "time_created", "expires"],
        "Unused links by id, oldest first; `kind` is `signup` or `password`",
      ),
    }),
    orStatus: true,
  },
  input: z
    .object({
      ...commonFields,
      create: fields.oneOf(["signup", "password"]).optional().meta({ description: "`signup` or `password`." }),
      user: otherUser.meta({ description: "With `create=password`: the user whose password it replaces." }),
      days: fields
        .days(daysOfLink.most)
        .optional()
        .meta({
          description: `With \`create\`: days until it expires, ${daysOfLink.default} by default, up to ${daysOfLink.most}.`,
        }),
      revoke: fields.signInId.meta({ description: "Id of the link to revoke." }),
    })
    .refine(({ create, user }) => (create === "password") === (user !== undefined), {
      path: ["user"],
      error: "and create=password must be sent together",
    }),
  example: {
    parameters: {},
    mistake: { change: { create: "link" }, error: "create must be signup or password" },
  },
} as const satisfies EndpointContract;

export const operatorKeys = {
  ...common,
  name: "operator/keys",
  adds: ["create"],
  section: "13.3",
  summary: "Create, list, disable or enable the keys of applications",
  description: "A disabled key stops working within 5 seconds.",
  answer: {
    kind: "fields",
    fields: z.object({
      status,
      id: answered.string().optional().meta({ description: "With `create`: the application's id." }),
      key: answered.string().optional().meta({ description: "With `create`: the API key, only this once." }),
      list: listSchema(
        ["name", "state", "time_created", "calls"],
        "Applications by id, oldest first; `state` is `enabled` or `disabled`, `calls` is the number of calls in the newest window",
      ),
    }),
    orStatus: true,
  },
  input: z.object({
    ...commonFields,
    create: fields.applicationName.meta({ description: "Name of a new application." }),
    disable: fields.applicationId.meta({ description: "Id of the application to disable." }),
    enable: fields.applicationId.meta({ description: "Id of the application to enable again." }),
  }),
  example: {
    parameters: {},
    mistake: {
      change: { create: " " },
      error: "create must be 1-50 visible characters, with spaces only inside",
    },
  },
} as const satisfies EndpointContract;

export const operatorMaintenance = {
  ...common,
  name: "operator/maintenance",
  section: "13.4",
  summary: "Start or end maintenance",
  description: "During maintenance, every other call is answered with 503 and your text.",
  answer: {
    kind: "fields",
    fields: z.object({
      status,
      maintenance: answered.string().meta({ description: "`1` during maintenance, otherwise `0`." }),
      text: answered.string().meta({ description: "The text for users." }),
    }),
  },
  input: z.object({
    ...commonFields,
    begin: fields.maintenanceText.meta({
      description: "Start maintenance with this text for users, up to 200 characters of ASCII.",
    }),
    end: fields.flag("`1`: end maintenance."),
  }),
  example: {
    parameters: {},
    mistake: { change: { begin: "ü" }, error: "begin must be 1-200 printable ASCII characters in one line" },
  },
} as const satisfies EndpointContract;

export const operatorBackups = {
  ...common,
  name: "operator/backups",
  adds: ["write"],
  section: "13.5",
  summary: "List, write or download encrypted backups",
  description: "The backups at `BACKUP_TO`. A new one is written in the background.",
  answer: {
    kind: "fields",
    fields: z.object({
      status,
      configured: answered.string().meta({ description: "`1` if `BACKUP_TO` is set, otherwise `0`." }),
      running: answered.string().meta({ description: "`1` while a backup is being written, otherwise `0`." }),
      error: answered.string().meta({ description: "Why the last backup failed; empty if it succeeded." }),
      url: answered.string().optional().meta({ description: "With `download`: URL of the file, valid for a minute." }),
      list: listSchema(["time_created", "bytes"], "Backups by address, newest first"),
    }),
  },
  input: z.object({
    ...commonFields,
    write: fields.flag("`1`: write a backup now."),
    download: z.string(1000).optional().meta({ description: "Address of the backup to download." }),
  }),
  example: { parameters: {}, mistake: { change: { write: "now" }, error: "write must be 0 or 1" } },
} as const satisfies EndpointContract;

export const operatorState = {
  ...common,
  name: "operator/state",
  section: "13.6",
  summary: "Show versions and sizes",
  description: "The versions that the service runs, and how much it stores.",
  answer: {
    kind: "fields",
    fields: z.object({
      status,
      version: text("Version of the service."),
      node: text("Version of Node."),
      users: text("Number of users."),
      items: text("Number of items in all lists."),
      articles: text("Number of saved copies."),
      article_bytes: text("Their bytes as stored."),
      database_bytes: text("Bytes of the database."),
      log_bytes: text("Bytes of the database's write-ahead log."),
      disk_free_bytes: text("Free bytes on the disk of the database."),
      disk_full: text("`1` if free space is below the reserve and nothing can be added, otherwise `0`."),
      time_backup: text("Unix time of the last backup; `0` if no backup exists."),
      signup: text("`open` or `closed`."),
    }),
  },
  input: z.object(commonFields),
  example: { parameters: {}, mistake: { change: { format: "yaml" }, error: "format must be json or xml" } },
} as const satisfies EndpointContract;

export const operatorChecks = {
  ...common,
  name: "operator/checks",
  section: "13.7",
  summary: "Check the data",
  description: "The checks of `readinglist doctor`, in the background.",
  answer: {
    kind: "fields",
    fields: z.object({
      status,
      running: answered.string().meta({ description: "`1` while checks are running, otherwise `0`." }),
      error: answered.string().meta({ description: "Why the last checks failed to run; empty if they ran." }),
      time_checked: text("Unix time at which the last checks ended; `0` if no checks have run."),
      list: listSchema(["state", "finding"], "Checks by name; `state` is `ok` or `fault`"),
    }),
  },
  input: z.object({ ...commonFields, run: fields.flag("`1`: run the checks now.") }),
  example: { parameters: {}, mistake: { change: { run: "now" }, error: "run must be 0 or 1" } },
} as const satisfies EndpointContract;

export const operatorShares = {
  ...common,
  name: "operator/shares",
  section: "13.8",
  summary: "List or end the shares of users",
  description: "The public links (4.17) of all users. The answer does not contain the addresses.",
  answer: {
    kind: "fields",
    fields: z.object({
      status,
      list: listSchema(
        ["username", "url", "tag", "time_created", "expires"],
        "The newest 1,000 shares by id; `url` is empty for a tag and for a deleted page, `tag` is empty for a page, `expires` is `0` for never",
      ),
    }),
    orStatus: true,
  },
  input: z
    .object({
      ...commonFields,
      revoke: fields.signInId.meta({ description: "Id of the share to end." }),
      user: otherUser.meta({ description: "With `revoke`: the user whose share it is." }),
    })
    .refine(...fields.sentTogether("user", "revoke")),
  example: {
    parameters: {},
    mistake: { change: { user: "bob" }, error: "user and revoke must be sent together" },
  },
} as const satisfies EndpointContract;

export const operatorMail = {
  ...common,
  name: "operator/mail",
  section: "13.9",
  summary: "Send a test mail",
  description: "A test mail goes through `SMTP_URL`, and counts like the other mails of the service.",
  answer: {
    kind: "fields",
    fields: z.object({
      status,
      configured: answered.string().meta({ description: "`1` if `SMTP_URL` is set, otherwise `0`." }),
      error: answered.string().meta({
        description: "With `to`: why the mail server did not accept the mail; empty if it did.",
      }),
    }),
  },
  input: z.object({
    ...commonFields,
    to: fields.emailAddress.optional().meta({ description: "The e-mail address for a test mail." }),
  }),
  example: {
    parameters: {},
    mistake: { change: { to: "nobody" }, error: "to must be an e-mail address" },
  },
} as const satisfies EndpointContract;

/** The list of the endpoints of operators, in the order of docs/api.md 13. */
export const operatorEndpoints = [
  operatorUsers,
  operatorLinks,
  operatorKeys,
  operatorMaintenance,
  operatorBackups,
  operatorState,
  operatorChecks,
  operatorShares,
  operatorMail,
] as const;
