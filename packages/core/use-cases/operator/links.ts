// SPDX-License-Identifier: MIT

import { randomBytes } from "node:crypto";
import { operatorLinks } from "../../contract/operator.ts";
import { createLinkSecret, daysOfLink, hashLinkSecret, writeLinkAddress } from "../../domain/operator-link.ts";
import { ServiceError } from "../../errors.ts";
import { unixTime } from "../../ports/clock.ts";
import type { AdministrationStore } from "../../ports/operator.ts";
import { defineOperatorEndpoint } from "./define.ts";

/** Creates a link; its address is known this once. Undefined if it is for a user who does not exist. */
export async function createLink(
  administration: AdministrationStore,
  publicUrl: string,
  { username, days = daysOfLink.default }: { username?: string | undefined; days?: number | undefined },
  now: number,
): Promise<{ id: string; url: string } | undefined> {
  const secret = createLinkSecret();
  const link = {
    id: randomBytes(5).toString("hex"),
    secretHash: hashLinkSecret(secret),
    username,
    createdAt: now,
    expiresAt: now + days * 86_400,
  };
  if (!(await administration.addLink(link))) return undefined;
  return { id: link.id, url: writeLinkAddress(publicUrl, secret, link) };
}

/** Creates, lists or revokes links (docs/api.md 13.2). */
export const endpoint = defineOperatorEndpoint(operatorLinks, async (deps, { create, user, days, revoke }) => {
  const { administration, publicUrl, clock } = deps;
  const now = unixTime(clock);
  if (create !== undefined) {
    if (publicUrl === undefined) throw new ServiceError("invalid", "operator/links: create needs the setting BASE_URL");
    const created = await createLink(administration, publicUrl, { username: user, days }, now);
    if (!created) throw new ServiceError("invalid", "operator/links: user must be the name of a user");
    return { fields: { status: "1", ...created } };
  }
  if (revoke !== undefined) {
    if (await administration.removeLink(revoke)) return undefined;
    throw new ServiceError("invalid", "operator/links: revoke must be the id of a listed link");
  }
  const list = (await administration.listLinks(now)).map(({ id, username, createdAt, expiresAt }) => ({
    id,
    kind: username === undefined ? "signup" : "password",
    username: username ?? "",
    time_created: String(createdAt),
    expires: String(expiresAt),
  }));
  return { fields: { status: "1" }, list: [list] };
});
