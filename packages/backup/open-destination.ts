// SPDX-License-Identifier: MIT

import { openBucket } from "./bucket.ts";
import type { Destination } from "./destination.ts";
import { openFolder } from "./folder.ts";

const isBucket = (address: string) => address.startsWith("s3://");

/** A folder by its path, or `s3://BUCKET/PREFIX`. */
export const openDestination = (address: string): Destination =>
  isBucket(address) ? openBucket(address) : openFolder(address);

/** Divides the address of a file into its destination and its name. */
export function splitAddress(address: string): { destination: Destination; name: string } {
  const end = address.lastIndexOf("/");
  const name = address.slice(end + 1);
  return { destination: openDestination(end < 0 ? "." : address.slice(0, end) || "/"), name };
}
