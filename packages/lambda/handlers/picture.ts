// SPDX-License-Identifier: MIT

import { picture } from "@reading-list/core/contract/picture.ts";
import { createPictureHandler } from "@reading-list/http/picture.ts";
import { composeLiveHandler } from "../compose/live.ts";
import { createLivePictureStore } from "../compose/live-picture-store.ts";

export const handler = composeLiveHandler(picture, { pictureStore: createLivePictureStore() }, createPictureHandler);
