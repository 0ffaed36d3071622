// SPDX-License-Identifier: MIT

import { liveSettings } from "./live.ts";

/** The address of the text host of a deployed stage; undefined if the function does not name it. */
// bounded: a setting of the stage
export const liveTextUrl: string | undefined = liveSettings.textHostUrl?.replace(/\/+$/, "");
