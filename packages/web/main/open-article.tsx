// SPDX-License-Identifier: MIT

import type { Change, LocalItem } from "@reading-list/client/main.ts";
import { useState } from "preact/hooks";
import type { Place } from "../data/place.ts";
import { useReader } from "../data/reader.ts";
import type { Session } from "../data/session.ts";
import type { ChangeList } from "../data/use-changes.ts";
import type { VisibleItems } from "../data/use-visible-items.ts";
import { ArticleView } from "../features/article/article-view.tsx";
import { useObservable } from "../kit/observable.ts";
import { firstTexts, say } from "../kit/texts.ts";

interface OpenArticleProps {
  item: LocalItem;
  session: Session;
  visible: VisibleItems;
  change: ChangeList;
  place: Place;
  ChangeDialog: typeof import("../features/list/change-dialog.tsx").ChangeDialog;
  onClose(): void;
}

/** An article of the list, and the form in which a person edits its item. */
export function OpenArticle({ item, session, visible, change, place, ChangeDialog, onClose }: OpenArticleProps) {
  const { route: router, settings } = useReader();
  const route = useObservable(router);
  const [isEditing, setEditing] = useState(false);
  return (
    <>
      <ArticleView
        key={item.url}
        item={item}
        session={session}
        jumpsTo={route.mark}
        settings={settings}
        {...findNeighbours(item, visible.shown, place)}
        onChange={(changes) => void change(changes, noticeFor(changes))}
        onEdit={() => setEditing(true)}
        onProgress={(progress, isLeaving) => session.setProgress(item.url, progress, isLeaving)}
        onOpen={({ url }) => {
          place.url = url;
          router.value = { ...route, article: url, mark: undefined };
        }}
        onClose={onClose}
      />
      {isEditing && (
        <ChangeDialog
          dialog={{ kind: "edit", item }}
          session={session}
          visible={visible}
          change={change}
          onClose={() => setEditing(false)}
        />
      )}
    </>
  );
}

/** The items before and after an open one. An item that has left the list was at the index of the place. */
function findNeighbours({ url }: LocalItem, shown: readonly LocalItem[], place: Place) {
  const found = shown.findIndex((item) => item.url === url);
  if (found >= 0) Object.assign(place, { url, index: found });
  const index = found >= 0 ? found : Math.max(0, place.index);
  return { previous: shown[index - 1], next: shown[found >= 0 ? index + 1 : index] };
}

function noticeFor(changes: readonly Change[]): string {
  const kinds = {
    read: "archived",
    add: "unread",
    restore: "unread",
    delete: "deleted",
    title: "changed",
    tags: "changed",
    progress: "changed",
  } as const;
  return say(firstTexts.notices[kinds[changes[0]?.kind ?? "title"]], { number: changes.length });
}
