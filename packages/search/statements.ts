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

/**
 * The statements of a search in an `IndexFile`: the number of all pages (`n`), and the ids (`item_id`) of those asked for.
 * If they are ranked, pages with all words in their titles come first. Usually these are enough, and then no other page is
 * ranked, which takes 0.5 µs for each: a beginning of a word may be in a tenth of all pages.
 */
export function writeStatements(
  { terms, conditions: asked }: SearchQuery,
  { sort, skip, count }: SearchOrder,
): { counting: Statement; finding: Statement } {
  const match = writeMatch(terms.filter(({ isExcluded }) => !isExcluded).map(toWanted), "AND");
  const excluded = writeMatch(terms.filter(({ isExcluded }) => isExcluded).map(toWanted), "OR");
  const values: Record<string, SQLInputValue> = {};
  const conditions: string[] = [];
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
  if (match) values.match = match;
  const joined = match ? "texts JOIN pages ON pages.id = texts.rowid" : "pages";
  // Without filters only the pages that are asked for are joined.
  const from = match && conditions.length === 0 ? "texts" : joined;
  const where = (...matches: string[]) => {
    const all = [...matches, ...conditions];
    return all.length > 0 ? `WHERE ${all.join(" AND ")}` : "";
  };
  const matching = match ? ["texts MATCH :match"] : [];
  const counting = { sql: `SELECT count(*) AS n FROM ${from} ${where(...matching)}`, values };
  if (!match || sort === "newest") {
    const sql = `SELECT item_id FROM ${joined} ${where(...matching)} ORDER BY change_key DESC LIMIT :count OFFSET :skip`;
    return { counting, finding: { sql, values: { ...values, count, skip } } };
  }
  const inTitle = "texts MATCH :titles";
  const elsewhere = [
    ...matching,
    `(SELECT count(*) FROM ${from} ${where(inTitle)}) < :skip + :count`,
    `texts.rowid NOT IN (SELECT rowid FROM texts WHERE ${inTitle})`,
  ];
  const sql = `
    SELECT item_id FROM (
      SELECT texts.rowid AS id, 1 AS part, ${rank} AS score FROM ${from} ${where(inTitle)}
      UNION ALL SELECT texts.rowid, 2, ${rank} FROM ${from} ${where(...elsewhere)}
      ORDER BY part, score LIMIT :count OFFSET :skip
    ) JOIN pages USING (id) ORDER BY part, score`;
  return { counting, finding: { sql, values: { ...values, titles: `{title} : (${match})`, count, skip } } };
}
