// SPDX-License-Identifier: MIT

import type { Change } from "@reading-list/client/main.ts";
import { cutText, maxLengths } from "@reading-list/core/domain/page-fields.ts";
import { withoutTracking } from "@reading-list/core/domain/tracking-parameters.ts";
import type { Session } from "../../data/session.ts";
import { takeShared } from "../../data/shared-pages.ts";
import type { ChangeList } from "../../data/use-changes.ts";
import { laterTexts } from "../../kit/later-texts.ts";
import type { SharedPage } from "../../kit/shared-page.ts";
import { firstTexts, say } from "../../kit/texts.ts";

/**
 * Saves the page that another app has shared, and those that were kept for this user until the sign-in; shows "Undo" and,
 * for a single page, "Add tags". Returns a page that the user must confirm: a link of any site could name it.
 */
export async function saveShared(
  shared: SharedPage | undefined,
  { username, list }: Session,
  change: ChangeList,
  onTags: (url: string) => void,
): Promise<SharedPage | undefined> {
  const kept = await takeShared(username);
  const isSaved = shared?.isFromApp && shared.url.length <= maxLengths.url;
  const pages = (isSaved ? [...kept, shared] : kept).map(({ url, title }) => ({
    url: list.find(url)?.url ?? withoutTracking(url),
    title: cutText(title, maxLengths.title),
  }));
  const added = pages.filter(({ url }) => list.find(url)?.state !== "unread");
  const changes = added.map(({ url, title }): Change => ({ kind: "add", url, ...(!list.find(url) && { title }) }));
  const notice =
    added.length === 0
      ? firstTexts.notices.known
      : pages.length === 1
        ? laterTexts.shared.saved
        : say(firstTexts.notices.addedMany, { number: added.length });
  const [page] = pages;
  const action =
    page && pages.length === 1 ? { name: laterTexts.shared.addTags, run: () => onTags(page.url) } : undefined;
  if (pages.length > 0) await change(changes, notice, { action });
  return isSaved ? undefined : shared;
}
