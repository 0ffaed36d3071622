// SPDX-License-Identifier: MIT

import { createKeptBuckets } from "@reading-list/store-dynamodb/bucket.ts";
import type { ObjectStore } from "@reading-list/store-dynamodb/objects.ts";
import { liveSettings } from "./live.ts";

let objects: ObjectStore | undefined;

/** The kept articles and pictures of a deployed stage: one client for all parts of this function. */
export const liveObjects = (): ObjectStore => (objects ??= createKeptBuckets(liveSettings));
