// SPDX-License-Identifier: MIT

import type { SQLInputValue } from "node:sqlite";
import { toSql } from "@reading-list/core/domain/condition-sql.ts";
import type { SearchQuery } from "@reading-list/core/domain/search-query.ts";
import type { SearchOrder } from "@reading-list/core/ports/search.ts";
import { toWanted, writeMatch } from "./match.ts";

/** A statement of SQL, and its values by name. */
export interface Statement {
  sql: string;
  values: Record<string, SQLInputValue>;
}

/** The weights of the columns of `texts`. */
const rank = "bm25(texts, 10.0, 5.0, 3.0, 2.0, 3.0, 1.0)";

const columns = {
  state: "state",
  tags: "pages.tags",
  tagKeys: "tag_keys",
  site: "site",
  timeAdded: "time_added",
};

/** The statements of a search in an `IndexFile`: the number of all pages (`n`), and the ids (`item_id`) of those asked for. */
export function writeStatements(
  { terms, conditions: asked }: SearchQuery,
  { sort, skip, count }: SearchOrder,
): { counting: Statement; finding: Statement } {
  const match = writeMatch(terms.filter(({ isExcluded }) => !isExcluded).map(toWanted), "AND");
  const excluded = writeMatch(terms.filter(({ isExcluded }) => isExcluded).map(toWanted), "OR");
  const values: Record<string, SQLInputValue> = {};
  const conditions: string[] = [];
  if (match) {
    conditions.push("texts MATCH :match");
    values.match = match;
  }
  if (excluded) {
    conditions.push("pages.id NOT IN (SELECT rowid FROM texts WHERE texts MATCH :excluded)");
    values.excluded = excluded;
  }
  const bind = (value: string | number) => {
    const name = `value${Object.keys(values).length}`;
    values[name] = value;
    return `:${name}`;
  };
  for (const condition of asked) conditions.push(`(${toSql(condition, columns, bind)})`);
  const from = match ? "texts JOIN pages ON pages.id = texts.rowid" : "pages";
  const where = conditions.length > 0 ? `WHERE ${conditions.join(" AND ")}` : "";
  // Without filters counting needs no join, and only the pages that are asked for are joined.
  const needsTextsOnly = match !== undefined && conditions.length === 1;
  const isRanked = match !== undefined && sort === "best";
  const range = "LIMIT :count OFFSET :skip";
  const finding =
    needsTextsOnly && isRanked
      ? `SELECT item_id FROM (SELECT rowid AS id, ${rank} AS score FROM texts ${where} ORDER BY score ${range})
         JOIN pages USING (id) ORDER BY score`
      : `SELECT item_id FROM ${from} ${where} ORDER BY ${isRanked ? rank : "change_key DESC"} ${range}`;
  return {
    counting: { sql: `SELECT count(*) AS n FROM ${needsTextsOnly ? "texts" : from} ${where}`, values },
    finding: { sql: finding, values: { ...values, count, skip } },
  };
}
