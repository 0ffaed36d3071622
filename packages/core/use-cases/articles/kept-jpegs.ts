// SPDX-License-Identifier: MIT

import { buffer } from "node:stream/consumers";
import type { Dependencies } from "../../ports/dependencies.ts";
import type { Turn } from "../../ports/pages.ts";
import type { User } from "../../ports/users.ts";
import { forEachInTime } from "../for-each.ts";

/** The ports of kept pictures for clients that show no WebP. */
export type JpegPorts = Pick<Dependencies, "pictures" | "pictureStore">;

/** A kept picture as JPEG for e-readers; undefined if it is gone or cannot be made now. */
export async function readKeptJpeg(
  { pictures, pictureStore }: JpegPorts,
  userId: string,
  hash: string,
  turn: Turn,
): Promise<Uint8Array | undefined> {
  const found = await pictureStore?.find(userId, hash);
  return found && pictures?.toJpeg(await buffer(found.open()), turn).catch(() => undefined);
}

/** Pictures that are made at once, and the milliseconds for all of them. */
const picturesAtOnce = 2;
const deadlineMs = 6000;

/** The kept pictures of some articles as JPEG, by address; no more once they have `maxBytes` in all. */
export async function listKeptJpegs(
  deps: JpegPorts,
  user: User,
  address: string,
  { itemIds, maxBytes }: { itemIds: readonly string[]; maxBytes: number },
): Promise<Map<string, Uint8Array>> {
  const jpegs = new Map<string, Uint8Array>();
  let bytes = 0;
  await forEachInTime(itemIds, 1, deadlineMs, async (itemId) => {
    const pictures = (await deps.pictureStore?.list(user, itemId)) ?? [];
    await forEachInTime(pictures, picturesAtOnce, deadlineMs, async ({ url, hash }) => {
      if (hash === undefined || bytes > maxBytes) return;
      const jpeg = await readKeptJpeg(deps, user.userId, hash, { address, user: user.userId });
      if (!jpeg) return;
      jpegs.set(url, jpeg);
      bytes += jpeg.length;
    });
  });
  return jpegs;
}
