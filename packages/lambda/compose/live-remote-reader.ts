// SPDX-License-Identifier: MIT

import { createRemoteReader } from "@reading-list/store-dynamodb/remote-reader.ts";
import { liveSettings } from "./live.ts";

/** The page reader of a function with rights on users' records: the extraction function of the stage. */
export const createLiveRemoteReader = () => createRemoteReader(liveSettings.extractionFunction);
