// SPDX-License-Identifier: MIT

import type { Writer } from "./exported-item.ts";
import { writeBookmarks } from "./write-bookmarks.ts";
import { writeClippings } from "./write-clippings.ts";
import { writeCsv, writePocketCsv, writeReadwise } from "./write-csv.ts";
import { writeJsonLines } from "./write-json-lines.ts";
import { writeKarakeep } from "./write-karakeep.ts";
import { writeWallabag } from "./write-wallabag.ts";

/** The writer of each format that can be exported. */
export const writers = {
  jsonl: writeJsonLines,
  html: writeBookmarks,
  csv: writeCsv,
  pocket: writePocketCsv,
  karakeep: writeKarakeep,
  wallabag: writeWallabag,
  readwise: writeReadwise,
  kindle: writeClippings,
} satisfies Record<string, Writer>;
