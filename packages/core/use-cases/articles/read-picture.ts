// SPDX-License-Identifier: MIT

import { type PictureAddress, readPictureAddress } from "../../domain/picture-address.ts";
import { ServiceError } from "../../errors.ts";
import { unixTime } from "../../ports/clock.ts";
import type { Dependencies } from "../../ports/dependencies.ts";
import type { StoredPicture } from "../../ports/pictures.ts";

/** The ports of reading kept pictures. */
export type ReadingPorts = Pick<Dependencies, "clock" | "signatureKey" | "pictureStore">;

/** A kept picture, for as many seconds as its address holds. */
export interface FoundPicture extends StoredPicture, Pick<PictureAddress, "hash"> {
  seconds: number;
}

/** The kept picture of an address. Throws `expired` if the address is not one of this service, or the picture is gone. */
export async function readPicture(
  { clock, signatureKey, pictureStore }: ReadingPorts,
  query: string,
): Promise<FoundPicture> {
  const now = unixTime(clock);
  const address = readPictureAddress(signatureKey("picture"), query, now);
  const found = address && (await pictureStore?.find(address.userId, address.hash));
  if (!found) {
    const message = "picture: the address is wrong or has expired, or the picture is gone; load the article again";
    throw new ServiceError("expired", message);
  }
  return { ...found, hash: address.hash, seconds: address.expires - now };
}
