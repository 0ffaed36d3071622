// SPDX-License-Identifier: MIT

import type { Job } from "../processes/extraction-pool.ts";
import { serveJobs } from "../processes/serve-jobs.ts";

/** Makes this process write pictures for `createPictureReader`. */
export const servePictures = (): Promise<void> =>
  serveJobs(async () => {
    const { writePicture } = await import("./write-picture.ts");
    return (job: Job) => {
      if (job.work !== "picture") throw new Error(`this worker has no job named ${job.work}`);
      return writePicture(job.body, job.format);
    };
  });
