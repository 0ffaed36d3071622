// SPDX-License-Identifier: MIT

import { createPictureStore } from "@reading-list/store-dynamodb/pictures.ts";
import { liveTable } from "./live.ts";
import { liveObjects } from "./live-objects.ts";

/** The kept pictures of a deployed stage. */
export const createLivePictureStore = () => createPictureStore(liveTable(), liveObjects());
