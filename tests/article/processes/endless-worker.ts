// SPDX-License-Identifier: MIT

import type { SentJob } from "@reading-list/article/processes/extraction-pool.ts";

/** A worker that answers with an empty view; with a bug, or with too deep a page, for URLs that say so; never for "endless". */
process.on("message", (job: SentJob) => {
  if ("url" in job && job.url.endsWith("endless")) return;
  if ("url" in job && job.url.endsWith("bug")) return void process.send?.({ failure: "TypeError", isCostly: false });
  if ("url" in job && job.url.endsWith("deep")) return void process.send?.({ failure: "RangeError", isCostly: true });
  process.send?.({ result: { views: { less: { html: "" } } } });
});
process.send?.("ready");
