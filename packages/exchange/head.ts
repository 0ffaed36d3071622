// SPDX-License-Identifier: MIT

import type { CsvHeader } from "./csv.ts";
import type { JsonShape } from "./json-shape.ts";

/** The beginning of a file, from which its format is detected. */
export interface Head {
  /** Without leading white space. */
  text: string;
  csv: CsvHeader;
  /** The fields of a JSON file. */
  json?: JsonShape | undefined;
  /** Whether rows are to have the texts of pages. */
  withTexts: boolean;
  /** Whether the sites of a list of feeds are to be pages. */
  withFeeds: boolean;
}
