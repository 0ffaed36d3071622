// SPDX-License-Identifier: MIT

import { changeTags } from "@reading-list/client/change.ts";
import type { Change, LocalItem } from "@reading-list/client/main.ts";
import { starredTag } from "@reading-list/core/domain/tags.ts";

/** The change that gives an item a star, or takes it away; none if that is so already. */
export const starItem = (item: LocalItem, isStarred: boolean): Change[] =>
  changeTags(item, [...item.tags.filter((tag) => tag !== starredTag), ...(isStarred ? [starredTag] : [])]);
