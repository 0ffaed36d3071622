// SPDX-License-Identifier: MIT

import { deriveProbeAccount } from "@reading-list/core/domain/probe-account.ts";
import { apiKeyKey, keyListing, userKey } from "./keys.ts";
import type { leadingKeys } from "./table-definition.ts";

/** Actions on the records of some kinds. IAM checks each action of a transaction. */
export type Grant = readonly [actions: readonly string[], partitions: readonly (keyof typeof leadingKeys)[]];

/** A picture that is deleted stays if another article has it, with one use less. */
const deletionOfPictures = ["Query", "BatchGetItem", "PutItem", "UpdateItem", "DeleteItem"];
const keepingOfPictures: Grant[] = [
  [["GetItem", ...deletionOfPictures], ["pictures"]],
  [["ConditionCheckItem"], ["users"]],
];

/**
 * The rights on the table that the ports of this package need, by port and use. The stacks grant them. If a port needs
 * another action or another kind of record, add it here.
 */
export const grants = {
  apiKeysAndSettings: [[["GetItem"], ["apiKeys", "settings"]]],
  keyWindows: {
    /** Calls that do not count show the count, and so do calls of users with a public key. */
    read: [[["GetItem"], ["windows"]]],
    count: [[["UpdateItem"], ["windows"]]],
  },
  users: {
    countCall: [[["UpdateItem"], ["users", "logins"]]],
    /** By a secret that nobody guesses: wrong ones are not counted. */
    countCallBySecret: [[["UpdateItem"], ["users"]]],
    create: [[["GetItem", "PutItem"], ["users"]]],
    changePassword: [[["Query", "BatchWriteItem"], ["users"]]],
  },
  signIns: [[["Query", "GetItem", "PutItem", "DeleteItem"], ["users"]]],
  passkeys: [
    [["GetItem", "PutItem", "UpdateItem"], ["users"]],
    [["ConditionCheckItem"], ["settings"]],
  ],
  authorizations: [[["GetItem", "PutItem"], ["authorizations"]]],
  identities: [[["GetItem", "PutItem", "DeleteItem"], ["identities"]]],
  deletion: [
    [["Query"], ["users", "logins"]],
    [["ConditionCheckItem", "GetItem"], ["users"]],
    [["BatchWriteItem"], ["logins", "trash", "keeping"]],
    [["PutItem", "DeleteItem"], ["deletions"]],
    [["PutItem"], ["deleted"]],
    [["DeleteItem"], ["identities", "shares"]],
  ],
  items: {
    /** A later page of a list is checked against the user's record as it is after the read, and a poll reads it first. */
    list: [[["GetItem"], ["users"]]],
    write: [[["BatchGetItem", "PutItem"], ["users"]]],
    delete: [[["PutItem"], ["trash"]]],
    search: [[["BatchGetItem", "Query"], ["users"]]],
  },
  /** A purge of the trash erases highlights. */
  highlightsAndTrash: [[["BatchGetItem", "GetItem", "PutItem"], ["users"]]],
  keptPages: [[["BatchGetItem", "GetItem", "Query", "PutItem"], ["users"]]],
  /** A change that gives the keeper work adds the user to the keeper's list. */
  keeper: [[["PutItem"], ["keeping"]]],
  shares: {
    find: [[["GetItem"], ["shares"]]],
    change: [
      [["Query", "BatchGetItem", "GetItem", "ConditionCheckItem", "PutItem", "DeleteItem"], ["users"]],
      [["PutItem", "DeleteItem"], ["shares"]],
    ],
  },
  articles: { delete: [[["DeleteItem"], ["users"]]] },
  pictures: {
    keep: keepingOfPictures,
    address: keepingOfPictures,
    show: [[["GetItem", ...deletionOfPictures], ["pictures"]]],
    count: [[["GetItem"], ["pictures"]]],
    delete: [[deletionOfPictures, ["pictures"]]],
    deleteAll: [[["Query", "BatchWriteItem"], ["pictures"]]],
  },
} satisfies Record<string, Grant[] | Record<string, Grant[]>>;

/** The rights on the objects of kept articles and of their pictures, by use. */
export const objectActions = {
  read: ["GetObject"],
  write: ["GetObject", "PutObject"],
  keep: ["GetObject", "PutObject", "DeleteObject"],
  show: ["GetObject", "DeleteObject"],
  store: ["PutObject", "DeleteObject"],
  delete: ["DeleteObject"],
  deleteAll: ["DeleteObject"],
};

/** The partitions of the synthetic user of a stage, by its secret: the user's, the API key's, and the list of keys. */
export function listProbePartitions(secret: string): Record<"user" | "key" | "keys", string> {
  const { username, apiKey } = deriveProbeAccount(secret);
  return { user: userKey(username).pk, key: apiKeyKey(apiKey).pk, keys: keyListing };
}
