// SPDX-License-Identifier: MIT

import { operatorShares } from "../../contract/operator.ts";
import { ServiceError } from "../../errors.ts";
import { defineOperatorEndpoint } from "./define.ts";

/** Shares of one answer. */
const mostShares = 1000;

/** Lists or ends the shares of users (docs/api.md 13.8). */
export const endpoint = defineOperatorEndpoint(operatorShares, async (deps, { revoke, user }) => {
  const { administration, records } = deps;
  if (revoke !== undefined && user !== undefined) {
    const found = await records.findUser(user);
    if (found && (await records.shares.remove(found, revoke))) return undefined;
    throw new ServiceError("invalid", "operator/shares: revoke must be the id of a listed share of user");
  }
  const shares = await administration.listShares(mostShares);
  const urls = new Map<string, string>();
  for (const [username, ofUser] of Map.groupBy(shares, (each) => each.username)) {
    const ids = ofUser.flatMap(({ share: { target } }) => (target.kind === "item" ? target.itemId : []));
    const items = await records.items.find(username, [...new Set(ids)]);
    for (const [itemId, { url }] of items) urls.set(`${username} ${itemId}`, url);
  }
  const list = shares.map(({ username, share: { id, target, createdAt, expiresAt } }) => ({
    id,
    username,
    url: target.kind === "item" ? (urls.get(`${username} ${target.itemId}`) ?? "") : "",
    tag: target.kind === "tag" ? target.tag : "",
    time_created: String(createdAt),
    expires: String(expiresAt ?? 0),
  }));
  return { fields: { status: "1" }, list: [list] };
});
