// SPDX-License-Identifier: MIT

import type { Item } from "@reading-list/core/domain/item.ts";
import type { HttpAnswer } from "@reading-list/http/call.ts";

export const epubType = "application/epub+zip";

/** A feed of the catalogue, as both versions of OPDS write it. Paths are below the address of a version. */
export interface Feed {
  path: string;
  title: string;
  username: string;
  /** Unix seconds. */
  updatedAt: number;
  /** A part of all entries, which are folders or saved pages. */
  part: Part;
  folders?: readonly Folder[];
  pages?: readonly Item[];
}

interface Part {
  /** From 1. */
  number: number;
  /** Entries of all parts. */
  total: number;
}

/** Another feed of the catalogue. */
export interface Folder {
  path: string;
  title: string;
  holds: "folders" | "pages";
  /** Pages, or folders, in it; undefined if that is unknown. */
  count: number | undefined;
}

/** Entries of a part. */
export const entriesOfPart = 50;

export const skippedBefore = (part: number) => (part - 1) * entriesOfPart;

/** Where the links of a feed lead. */
export interface Addresses {
  /** The address of the catalog in this version of OPDS. */
  catalog: string;
  version: string;
  /** Another part of the same feed. */
  part: (number: number) => string;
}

/** Writes a feed in a version of OPDS. */
export type WriteFeed = (feed: Feed, addresses: Addresses) => HttpAnswer;

/** The relations of a feed with its other parts. */
export function partLinks({ part: { number, total } }: Feed, { part }: Addresses): { rel: string; href: string }[] {
  const last = Math.max(1, Math.ceil(total / entriesOfPart));
  return [
    { rel: "self", href: part(number) },
    { rel: "first", href: part(1) },
    ...(number > 1 ? [{ rel: "previous", href: part(Math.min(number - 1, last)) }] : []),
    ...(number < last ? [{ rel: "next", href: part(number + 1) }] : []),
  ];
}

/** The address of a page's book. */
export const bookUrl = ({ catalog }: Addresses, { itemId }: Item) => `${catalog}/books/${itemId}.epub`;
