// SPDX-License-Identifier: MIT

import { type Condition, siteKey, tagKey } from "./condition.ts";
import { starredTag } from "./tags.ts";

/** SQL expressions for the facts that conditions check; see `PageFacts`. */
export interface FactColumns {
  state: string;
  /** Tags as `tagList` and as `keyLines` write them. */
  tags: string;
  tagKeys: string;
  site: string;
  timeAdded: string;
  applicationId?: string;
}

/** Tags in one text, each between commas, which no tag has. */
export const tagList = (tags: readonly string[]): string => `,${tags.join()},`;
/** The same of tags as conditions compare them, each between line breaks: a folded tag may have commas. */
export const keyLines = (tags: readonly string[]): string => `\n${tags.map(tagKey).join("\n")}\n`;

/** A condition in SQL. `bind` notes a value, and returns the name of its parameter. */
export function toSql(condition: Condition, columns: FactColumns, bind: (value: string | number) => string): string {
  const has = (column: string, part: string) => `instr(${column}, ${bind(part)}) > 0`;
  switch (condition.kind) {
    case "state":
      return `${columns.state} = ${bind(condition.state)}`;
    case "application":
      return `${columns.applicationId} = ${bind(condition.applicationId)}`;
    case "starred":
      return has(columns.tags, tagList([starredTag]));
    case "untagged":
      return `${columns.tags} IN (${bind(tagList([]))}, ${bind(tagList([starredTag]))})`;
    case "tag":
      return has(columns.tagKeys, keyLines([condition.tag]));
    case "exactTag":
      return has(columns.tags, tagList([condition.tag]));
    case "site": {
      const end = bind(siteKey(condition.site));
      return `substr('.' || ${columns.site}, -length(${end})) = ${end}`;
    }
    case "host":
      return `${columns.site} = ${bind(condition.host)}`;
    case "added":
      return `${columns.timeAdded} BETWEEN ${bind(condition.from)} AND ${bind(condition.to)}`;
    case "not":
      return `NOT (${toSql(condition.condition, columns, bind)})`;
    case "all":
    case "any": {
      const parts = condition.conditions.map((each) => `(${toSql(each, columns, bind)})`);
      return condition.kind === "all" ? parts.join(" AND ") || "TRUE" : parts.join(" OR ") || "FALSE";
    }
    default:
      throw new Error(`stores cannot evaluate ${condition.kind}`);
  }
}
