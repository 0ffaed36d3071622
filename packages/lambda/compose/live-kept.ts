// SPDX-License-Identifier: MIT

import { createArticleStore } from "@reading-list/store-dynamodb/articles.ts";
import { createKeptBuckets, type ObjectStore } from "@reading-list/store-dynamodb/bucket.ts";
import { createIndexObjects } from "@reading-list/store-dynamodb/index-objects.ts";
import { createKeptPageStore } from "@reading-list/store-dynamodb/kept-pages.ts";
import { createPictureStore } from "@reading-list/store-dynamodb/pictures.ts";
import { liveSettings, liveTable } from "./live.ts";

let objects: ObjectStore | undefined;

/** The kept articles and pictures of a deployed stage: one client for all parts of this function. */
const liveObjects = (): ObjectStore => (objects ??= createKeptBuckets(liveSettings));

/** The kept articles of a deployed stage. */
export const createLiveArticles = () =>
  createArticleStore(
    liveTable(),
    liveObjects(),
    createIndexObjects(async () => liveSettings.searchBucket),
  );

/** The kept pictures of a deployed stage. */
export const createLivePictureStore = () => createPictureStore(liveTable(), liveObjects());

/** The records of kept pages of a deployed stage. */
export const createLiveKeptPages = () => createKeptPageStore(liveTable(), Date);
