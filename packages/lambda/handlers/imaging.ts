// SPDX-License-Identifier: MIT

import { fileURLToPath } from "node:url";
import { createPictureReader } from "@reading-list/article/pictures/picture-reader.ts";
import { servePictures } from "@reading-list/article/pictures/serve-pictures.ts";
import { isWorker } from "@reading-list/article/processes/extraction-pool.ts";
import type { PictureReader } from "@reading-list/core/ports/pictures.ts";
import { liveSettings } from "../compose/live.ts";
import { serveRemoteCalls } from "../compose/remote-calls.ts";

/** Its bundle is its own worker: a deployed function is one file. */
const createReader = () =>
  createPictureReader({
    allowedOrigins: liveSettings.textAllowedOrigins,
    worker: { entry: new URL(import.meta.url), folders: [fileURLToPath(new URL(".", import.meta.url))] },
  });

/** Fetches and decodes pictures for the functions that have rights on users' records. */
export const handler = isWorker ? servePictures() : serveRemoteCalls<PictureReader>(createReader(), "imaging");
