// SPDX-License-Identifier: MIT

import type { z } from "zod";
import { share } from "../../contract/share.ts";
import { type Item, isInTrash } from "../../domain/item.ts";
import { toItemId } from "../../domain/item-id.ts";
import { belongsTo } from "../../domain/kept-article.ts";
import {
  confirmedAt,
  createShare,
  isConfirmed,
  isExpired,
  maxShares,
  type Share,
  type ShareTarget,
  showsSame,
} from "../../domain/share.ts";
import { ServiceError } from "../../errors.ts";
import { unixTime } from "../../ports/clock.ts";
import type { User } from "../../ports/users.ts";
import { findKept } from "../articles/keep-article.ts";
import type { GrantedPorts } from "../granted-ports.ts";
import { itemIn } from "../lists/change-item.ts";
import { type Caller, defineEndpoint, type ListEntry, type UseCase } from "../use-case.ts";

type Input = z.output<typeof share.input>;
type Ports = GrantedPorts<typeof share>;
type Result = { created: ListEntry } | { listed: ListEntry[] } | undefined;

const noSuchShare = (parameter: string) =>
  new ServiceError("invalid", `share: ${parameter} must be the id of one of the user's shares`);

/** Makes, lists and ends the shares of a user (docs/api.md 4.17). */
const manageShares: UseCase<Input, Result, Ports> = {
  begin:
    (deps, { create, revoke, reopen, move, tag }) =>
    async (caller) => {
      if (!deps.isSharingOn) {
        throw new ServiceError("sharingOff", "share: the administrator has not turned on sharing");
      }
      const { user } = caller;
      if (create) return { created: await startShare(deps, caller, create) };
      if (revoke !== undefined) {
        if (!(await deps.shares.remove(user, revoke))) throw noSuchShare("revoke");
        return undefined;
      }
      const shares = await listLive(deps, user);
      if (reopen === undefined && move === undefined)
        return { listed: shares.map((each) => writeEntry(deps, caller, each)) };
      const named = shares.filter(({ share: { id } }) => reopen === "all" || id === (reopen ?? move));
      if (named.length === 0 && reopen !== "all") throw noSuchShare(move === undefined ? "reopen" : "move");
      for (const { share: before } of named) {
        if (move !== undefined && before.target.kind !== "tag") {
          throw new ServiceError("invalid", "share: move must be the id of a shared tag, not of a shared page");
        }
        const changed =
          tag === undefined
            ? { confirmedAt: confirmedAt(user.clock, unixTime(deps.clock)) }
            : { target: { kind: "tag", tag } as const };
        await deps.shares.replace(user, { ...before, ...changed });
      }
      return undefined;
    },
};

/** Starts a share; a repeated call gets the share that it has started before. */
async function startShare(
  deps: Ports,
  caller: Caller,
  { url, tag, expires }: NonNullable<Input["create"]>,
): Promise<ListEntry> {
  const { user } = caller;
  const now = unixTime(deps.clock);
  if (expires !== undefined && expires <= now) {
    throw new ServiceError("invalid", "share: create.expires must be in the future, in Unix seconds");
  }
  const target = url === undefined ? ({ kind: "tag", tag: tag ?? "" } as const) : await findTarget(deps, user, url);
  const shares = await listLive(deps, user);
  const same = shares.find(
    ({ share, state }) => state === "open" && showsSame(share.target, target) && share.expiresAt === expires,
  );
  if (same) return writeEntry(deps, caller, same);
  const started = createShare(user.userId, target, user.clock, now, expires);
  if (!(await deps.shares.add(user, started))) {
    throw new ServiceError("invalid", `share: a user has at most ${maxShares} shares; revoke one first`);
  }
  return writeEntry(deps, caller, { share: started, url, state: "open" });
}

async function findTarget(deps: Ports, user: User, url: string): Promise<ShareTarget> {
  const item = await itemIn(deps.items, user, toItemId(url));
  if (!item) {
    throw new ServiceError("invalid", "share: create.url is not in the list; add it first", { code: "not_in_list" });
  }
  const article = await findKept(deps, user, item);
  if (!article) throw new ServiceError("invalid", "share: create.url has no saved copy; open its article first");
  return { kind: "item", itemId: item.itemId, timeAdded: article.timeAdded };
}

interface LiveShare {
  share: Share;
  url: string | undefined;
  state: "open" | "unconfirmed" | "expired" | "unavailable";
}

/** The shares of a user. Those whose page was purged are removed. */
async function listLive(deps: Ports, user: User): Promise<LiveShare[]> {
  const now = unixTime(deps.clock);
  const shares = await deps.shares.list(user);
  const ids = shares.flatMap(({ target }) => (target.kind === "item" ? target.itemId : []));
  const items = ids.length > 0 ? await deps.items.find(user.username, [...new Set(ids)]) : new Map<string, Item>();
  const live: LiveShare[] = [];
  for (const share of shares) {
    const { target } = share;
    const item = target.kind === "item" ? items.get(target.itemId) : undefined;
    const isThere =
      item && belongsTo(target as { timeAdded: number }, item) && (!item.isDeleted || isInTrash(item, now));
    if (target.kind === "item" && !isThere) await deps.shares.remove(user, share.id);
    else live.push({ share, url: item?.url, state: judgeShare(share, item, user, now) });
  }
  return live;
}

function judgeShare(share: Share, item: Item | undefined, { clock }: User, now: number): LiveShare["state"] {
  if (isExpired(share, now)) return "expired";
  if (!isConfirmed(share, clock)) return "unconfirmed";
  return item?.isDeleted ? "unavailable" : "open";
}

const writeEntry = (
  { textUrlFor }: Ports,
  { calledUrl }: Caller,
  { share: { id, token, target, createdAt, expiresAt }, url, state }: LiveShare,
): ListEntry => ({
  id,
  address: `${textUrlFor(calledUrl)}/s/${token}`,
  ...(target.kind === "tag" ? { tag: target.tag } : { url: url ?? "" }),
  state,
  expires: String(expiresAt ?? 0),
  time_created: String(createdAt),
});

export const endpoint = defineEndpoint({
  contract: share,
  useCase: manageShares,
  writeFields: (result) => {
    if (!result) return undefined;
    if ("listed" in result) return { fields: { status: "1" }, list: [result.listed] };
    const { id = "", address = "" } = result.created as Record<string, string>;
    return { fields: { status: "1", id, address } };
  },
});
