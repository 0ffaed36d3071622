// SPDX-License-Identifier: MIT

import { picture } from "@reading-list/core/contract/text-host.ts";
import { createPictureHandler } from "@reading-list/http/picture.ts";
import { composeLiveHandler } from "../compose/live.ts";
import { createLivePictureStore } from "../compose/live-kept.ts";

export const handler = composeLiveHandler(picture, { pictureStore: createLivePictureStore() }, createPictureHandler);
