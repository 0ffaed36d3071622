import { expect, test } from "vitest";
import { parseDuration } from "../../tools/soak/duration.ts";

test.each([
  ["60s", 60],
  ["10m", 600],
  ["2h", 7200],
  ["1.5m", 90],
])("a soak of %s takes %i seconds", (text, seconds) => expect(parseDuration(text)).toBe(seconds));

test.each(["60", "", "m", "0s", "-5m", "10 m", "1d"])("a duration without a unit is refused: %j", (text) => {
  expect(() => parseDuration(text)).toThrow(/needs a unit .* such as 60s, 10m or 2h/);
});
