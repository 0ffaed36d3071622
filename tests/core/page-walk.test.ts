import { beginWalk, sinceOfWalk } from "@reading-list/core/domain/page-walk.ts";
import { expect, test } from "vitest";

const first = { since: 10, startedAt: 1000 };
const second = { since: 20, startedAt: 4600 };

test("walks that begin within an hour share the entry of the first one", () => {
  expect(beginWalk(undefined, first)).toEqual({ latest: first });
  expect(beginWalk({ latest: first }, { since: 11, startedAt: 4599 })).toBeUndefined();
  expect(beginWalk({ latest: first }, second)).toEqual({ latest: second, earlier: first });
});

test("a later page gets the since of the oldest walk that began within two hours", () => {
  const walks = { latest: second, earlier: first };
  expect(sinceOfWalk(undefined, 5000, 7)).toBe(7);
  expect(sinceOfWalk({ latest: first }, 5000, 7)).toBe(10);
  expect(sinceOfWalk(walks, 8200, 7)).toBe(10);
  expect(sinceOfWalk(walks, 8201, 7)).toBe(20);
});
