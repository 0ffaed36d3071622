// SPDX-License-Identifier: MIT

import { Worker } from "node:worker_threads";
import { createSearchIndex } from "@reading-list/search/search-index.ts";
import { temporaryFolder } from "@reading-list/testing/temporary-folder.ts";
import { expect, onTestFinished, test, vi } from "vitest";

test("the thread of the indexes ends after a minute without a call, and the next call starts another one", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const terminate = vi.spyOn(Worker.prototype, "terminate");
  onTestFinished(() => terminate.mockRestore());
  const index = createSearchIndex(temporaryFolder());
  onTestFinished(() => index.close());
  const state = { username: "ann", asOf: 7, revision: 1, articles: "" };
  await index.setState("user", state);
  vi.advanceTimersByTime(59_999);
  expect(await index.state("user")).toEqual(state);
  vi.advanceTimersByTime(59_999);
  expect(terminate).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(terminate).toHaveBeenCalledOnce();
  expect(await index.state("user")).toEqual(state);
});
