// SPDX-License-Identifier: MIT

import { servePictures } from "./serve-pictures.ts";

await servePictures();
