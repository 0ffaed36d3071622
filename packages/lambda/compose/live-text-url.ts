// SPDX-License-Identifier: MIT

import { liveSettings } from "./live.ts";

/** The address of the text host of a deployed stage. */
// bounded: a setting of the stage
const textUrl = (liveSettings.textHostUrl ?? "").replace(/\/+$/, "");

export const liveTextUrl = (): string => textUrl;
