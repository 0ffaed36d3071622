// SPDX-License-Identifier: MIT

import { createKeptPageStore } from "@reading-list/store-dynamodb/kept-pages.ts";
import { liveTable } from "./live.ts";

/** The records of kept pages of a deployed stage. */
export const createLiveKeptPages = () => createKeptPageStore(liveTable(), Date);
