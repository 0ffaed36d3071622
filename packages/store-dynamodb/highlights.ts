// SPDX-License-Identifier: MIT

import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { TransactWriteCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterStep, type BatchStep } from "@reading-list/core/domain/batch-progress.ts";
import type { HighlightFields } from "@reading-list/core/domain/highlight-fields.ts";
import {
  countChange,
  type Highlight,
  type HighlightWrite,
  timeHighlights,
} from "@reading-list/core/domain/highlights.ts";
import { parseChangeTime } from "@reading-list/core/domain/item.ts";
import { splitList } from "@reading-list/core/domain/split-list.ts";
import { isSurelyVisible } from "@reading-list/core/domain/visible-second.ts";
import type { HighlightStore } from "@reading-list/core/ports/highlights.ts";
import { deletionsKeptSeconds, type WritableList, type WriteOutcome } from "@reading-list/core/ports/items.ts";
import type { ClosedUser } from "@reading-list/core/ports/users.ts";
import { readBatch, walkPartition } from "./batches.ts";
import type { Table } from "./client.ts";
import {
  changedHighlights,
  deletedPrefix,
  firstKeyAfter,
  highlightKey,
  highlightPrefix,
  itemHighlightsPrefix,
  itemKey,
  lastKeyUpTo,
  parseHighlightKey,
  userKey,
} from "./keys.ts";
import { assignNumbers, findByNumber } from "./numbers.ts";
import { isConditionFailed, retryConflicts } from "./optimistic-locking.ts";
import { type IndexRange, queryItems, queryRange } from "./query-items.ts";
import { lowerWalk, newestVisibleSecond } from "./read-list.ts";
import { tableDefinition } from "./table-definition.ts";
import { readUser, type StoredUser } from "./users.ts";

const { unread } = tableDefinition.indexes;

/** Maximum requests that one call makes at once. */
const requestsAtOnce = 8;

/** The record of a highlight: attributes for indexes, and one JSON text that is only returned. */
interface HighlightRecord {
  sk: string;
  /**
   * A previous version does not delete it with its user: the records of a former user with the same name are ignored.
   */
  userId: string;
  /** Sort key of the index `byTime`: the change key, after a prefix. */
  changed: string;
  /** Sort key of the index `unread`; absent from a tombstone. */
  unread?: string;
  item: string;
  /** A `StoredHighlight` as JSON. */
  mark: string;
  /** See `HighlightStore.assignNumbers`; absent until it is given. */
  markNumber?: number;
  /** Unix seconds at which DynamoDB removes a tombstone. */
  expires?: number;
}

/** A field whose value is the default is left out. */
type StoredHighlight = Partial<Omit<HighlightFields, "timeCreated">> & { created: number };

export function toHighlightRecord({ username, userId }: ClosedUser, highlight: Highlight) {
  const { id, itemId, isDeleted, timeUpdated, quote, prefix, suffix, position, color, note, timeCreated } = highlight;
  const { number } = highlight;
  const stored: StoredHighlight = { quote, prefix, suffix, position, color, note, created: timeCreated } as const;
  return {
    ...highlightKey(username, id),
    userId,
    changed: changedHighlights[isDeleted ? "deleted" : "live"] + highlight.changeKey,
    ...(!isDeleted && { unread: itemHighlightsPrefix(itemId) + id }),
    item: itemId,
    mark: JSON.stringify(isDeleted ? { created: timeCreated } : stored),
    ...(number !== undefined && { markNumber: number }),
    ...(isDeleted && { expires: timeUpdated + deletionsKeptSeconds }),
  };
}

function parseHighlight(record: object): Highlight {
  const { sk, changed, item, mark, markNumber } = record as HighlightRecord;
  const isDeleted = changed.startsWith(changedHighlights.deleted);
  const key = changed.slice(changedHighlights[isDeleted ? "deleted" : "live"].length);
  const { created, ...fields }: StoredHighlight = JSON.parse(mark);
  return {
    quote: "",
    prefix: "",
    suffix: "",
    position: undefined,
    color: "yellow",
    note: "",
    ...fields,
    id: parseHighlightKey(sk),
    itemId: item,
    timeCreated: created,
    isDeleted,
    number: markNumber,
    timeUpdated: parseChangeTime(key),
    changeKey: key,
  };
}

/** The highlights of a user, without those of a former user with the same name. */
const ownHighlights = ({ userId }: ClosedUser, records: readonly object[]): Highlight[] =>
  (records as HighlightRecord[]).filter((record) => record.userId === userId).map(parseHighlight);

/** All highlights and tombstones of a user in no order, some at a time. */
export async function* walkHighlights(table: Table, user: ClosedUser): AsyncGenerator<Highlight[]> {
  for await (const records of walkPartition(table, userKey(user.username).pk, highlightPrefix)) {
    yield ownHighlights(user, records);
  }
}

/** The range of an item's highlights in the index of unread items. */
const toItemRange = (itemId: string): IndexRange => ({
  index: unread,
  order: "oldestFirst",
  first: itemHighlightsPrefix(itemId),
  last: `${itemHighlightsPrefix(itemId)}~`,
});

/** The range of changes after a second, up to another one. */
const toChangeRange = (kind: keyof typeof changedHighlights, after: number, upTo: number): IndexRange => ({
  order: "newestFirst",
  first: changedHighlights[kind] + firstKeyAfter(after),
  last: changedHighlights[kind] + lastKeyUpTo(upTo),
});

/** The highlights' records and their places in the two indexes (docs/data.md 1.10). */
export function createHighlightStore(table: Table): HighlightStore {
  /** The number of records in a range. */
  async function countRange({ username }: Pick<ClosedUser, "username">, range: IndexRange) {
    let total = 0;
    for await (const { Count = 0 } of queryRange(table, username, range, { Select: "COUNT" })) total += Count;
    return total;
  }

  /** The newest second whose changes of highlights are all visible: see `newestVisibleSecond`. */
  async function newestVisible(user: StoredUser): Promise<number> {
    const { lastSince, highlightsAt } = user.clock;
    if (isSurelyVisible(user.clock, highlightsAt) || user.newestHighlights === 0) return lastSince;
    const [live, deleted] = await Promise.all([
      countRange(user, toChangeRange("live", highlightsAt - 1, highlightsAt)),
      countRange(user, toChangeRange("deleted", highlightsAt - 1, highlightsAt)),
    ]);
    return live + deleted >= user.newestHighlights ? lastSince : highlightsAt - 1;
  }

  async function find(user: ClosedUser, ids: readonly string[]) {
    const records = await readBatch(
      table,
      ids.map((id) => highlightKey(user.username, id)),
    );
    return new Map(ownHighlights(user, records).map((each) => [each.id, each]));
  }

  async function* walkRange(user: ClosedUser, range: IndexRange) {
    for await (const { Items = [] } of queryRange(table, user.username, range)) yield ownHighlights(user, Items);
  }

  return {
    find,

    async count(user, itemIds) {
      const counts = new Map<string, number>();
      for (const part of splitList(itemIds, requestsAtOnce)) {
        await Promise.all(part.map(async (itemId) => counts.set(itemId, await countRange(user, toItemRange(itemId)))));
      }
      return counts;
    },

    walk: (user, { kind, after = -1, upTo = Number.MAX_SAFE_INTEGER, atOnce }) =>
      walkRange(user, { ...toChangeRange(kind, after, upTo), pageSize: atOnce }),

    walkItem: (user, itemId) => walkRange(user, toItemRange(itemId)),

    async *walkItems(user, kind, { after, upTo }) {
      const { toldAt, deletedAt } = user as StoredUser;
      const query = { order: "newestFirst", highlightedOnly: true } as const;
      const first = firstKeyAfter(after);
      // An item that came back may have changed since.
      if (kind === "restored" && toldAt > after) {
        yield* queryItems(table, user.username, { ...query, first, last: lastKeyUpTo(Number.MAX_SAFE_INTEGER) });
      }
      if (kind === "deleted" && deletedAt > after) {
        const last = deletedPrefix + lastKeyUpTo(upTo);
        yield* queryItems(table, user.username, { ...query, first: deletedPrefix + first, last });
      }
    },

    async visibleUpTo(user, beginsWalk) {
      const stored = user as StoredUser;
      const visible = await Promise.all([newestVisible(stored), newestVisibleSecond(table, stored)]);
      const asOf = Math.min(...visible);
      if (beginsWalk && asOf < stored.clock.lastSince) await lowerWalk(table, stored, asOf);
      return asOf;
    },

    current: (user) => readUser(table, user),

    assignNumbers: (user, ids) => assignNumbers(table, user, "highlight", ids, (part) => find(user, part)),

    findByNumber: (user, number) => findByNumber(table, user.username, "highlight", number, (ids) => find(user, ids)),

    write: (list, writes, now, step) => writeHighlights(table, list, writes, now, step),
  };
}

async function writeHighlights(
  table: Table,
  list: WritableList,
  writes: readonly HighlightWrite[],
  now: number,
  step: BatchStep | undefined,
): Promise<WriteOutcome> {
  const { client, tableName: TableName } = table;
  const { username, userId, clock } = list;
  const firsts = new Set(writes.filter(({ isFirstOfItem }) => isFirstOfItem).map(({ after }) => after.itemId));
  // Before the highlights, for which a transaction may lack the room: an item without any that is marked does no harm.
  for (const part of splitList([...firsts], requestsAtOnce)) {
    await Promise.all(part.map((itemId) => markItem(table, username, itemId)));
  }
  const revision = list.revision + 1;
  const { time, highlights } = timeHighlights(writes, list, now);
  const isChange = highlights.length > 0;
  const isSameTime = time === clock.highlightsAt;
  const newest =
    highlights.length - (isSameTime ? writes.filter(({ before }) => before?.timeUpdated === time).length : 0);
  const unfinished = step ? afterStep(list.unfinished, step) : list.unfinished;
  const sets = [
    ...(isChange ? ["highlightsAt = :time"] : []),
    ...(isChange && !isSameTime ? ["newestHighlights = :newest"] : []),
    ...(step ? ["unfinished = :unfinished"] : []),
  ];
  const adds = ["revision :one", "highlights :change", ...(isChange && isSameTime ? ["newestHighlights :newest"] : [])];
  const Update = {
    TableName,
    Key: userKey(username),
    UpdateExpression: `${sets.length > 0 ? `SET ${sets.join(", ")}` : ""} ADD ${adds.join(", ")}`,
    ConditionExpression: [
      // A user without a password hash is being deleted.
      "attribute_exists(passwordHash) AND userId = :userId AND revision = :revision",
      ...(isChange ? ["lastSince < :time"] : []),
    ].join(" AND "),
    ExpressionAttributeValues: {
      ":userId": userId,
      ":revision": list.revision,
      ":one": 1,
      ":change": countChange(writes),
      ...(isChange && { ":time": time, ":newest": newest }),
      ...(step && { ":unfinished": unfinished }),
    },
  };
  // Every write of highlights increments the revision; only a number may come meanwhile, which the write would forget.
  const puts = highlights.map((each, position) => ({
    Put: {
      TableName,
      Item: toHighlightRecord(list, each),
      ...(writes[position]?.before &&
        each.number === undefined && { ConditionExpression: "attribute_not_exists(markNumber)" }),
    },
  }));
  return retryConflicts<WriteOutcome>(async () => {
    try {
      await client.send(new TransactWriteCommand({ TransactItems: [{ Update }, ...puts] }));
      const changed = { clock: isChange ? { ...clock, highlightsAt: time } : clock, revision, unfinished };
      return { kind: "written", list: { ...list, ...changed } };
    } catch (error) {
      if (!(error instanceof TransactionCanceledException) || !isConditionFailed(error)) throw error;
      return { kind: "stale", list };
    }
  });
}

/** Notes that an item has highlights, regardless of other writes to it. */
async function markItem({ client, tableName: TableName }: Table, username: string, itemId: string): Promise<void> {
  const update = {
    TableName,
    Key: itemKey(username, itemId),
    UpdateExpression: "SET marked = :true",
    ConditionExpression: "attribute_exists(pk)",
    ExpressionAttributeValues: { ":true": true },
  };
  await retryConflicts(() =>
    client.send(new UpdateCommand(update)).then(
      () => true,
      (error) => {
        if (error.name === "ConditionalCheckFailedException") return true;
        throw error;
      },
    ),
  );
}
