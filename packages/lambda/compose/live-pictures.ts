// SPDX-License-Identifier: MIT

import { ServiceError } from "@reading-list/core/errors.ts";
import type { PictureReader } from "@reading-list/core/ports/pictures.ts";
import { liveSettings } from "./live.ts";
import { createLivePictureStore } from "./live-kept.ts";
import { createRemoteCalls } from "./remote-calls.ts";

const busy = (cause: unknown) =>
  new ServiceError("busy", "too many pictures are being read at once; try again", { retryAfter: 2, cause });

/** The kept pictures of the stage, and a reader of pictures: the imaging function, which has no right on the table. */
export function createLivePictures() {
  const call = createRemoteCalls<PictureReader>(liveSettings.imagingFunction, busy);
  const pictures: PictureReader = {
    jpeg: (...args) => call("jpeg", ...args),
    toJpeg: (...args) => call("toJpeg", ...args),
    webp: (...args) => call("webp", ...args),
    toWebp: (...args) => call("toWebp", ...args),
  };
  return { pictures, pictureStore: createLivePictureStore() };
}
