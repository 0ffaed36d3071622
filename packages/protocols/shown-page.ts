// SPDX-License-Identifier: MIT

import { createHash } from "node:crypto";
import type { Item } from "@reading-list/core/domain/item.ts";

/** The fields of saved pages that catalogues and feeds show. */

/** Unix seconds as Atom and JSON have them: `2026-11-25T12:00:00Z`. */
export const writeTime = (seconds: number): string => `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`;

/** A tag URI (RFC 4151) of something of a user, without a host of the service: it stays the same if the service moves. */
export const toTagUri = (username: string, path: string): string => `tag:reading-list.invalid,2026:${username}/${path}`;

/** An empty title is shown by no app. */
export const shownTitle = ({ title, url }: Pick<Item, "title" | "url">): string => title.trim() || url;

/** The URL of a page without characters that a URI must not have. */
export const toUri = ({ url }: Pick<Item, "url">): string => URL.parse(url)?.href ?? url;

/** The id of a tag in APIs that have one: a hash of its name, because the list identifies tags only by name. */
export const toTagId = (label: string): number => createHash("sha256").update(label).digest().readUInt32BE() >>> 1 || 1;
