// SPDX-License-Identifier: MIT

import { fold } from "@reading-list/core/domain/fold.ts";
import { starredTag } from "@reading-list/core/domain/tags.ts";
import { useState } from "preact/hooks";
import { useReader } from "../../data/reader.ts";
import type { Session } from "../../data/session.ts";
import type { ChangeList } from "../../data/use-changes.ts";
import type { VisibleItems } from "../../data/use-visible-items.ts";
import { byName } from "../../data/visible-items.ts";
import { IconButton } from "../../kit/icons.tsx";
import { laterTexts } from "../../kit/later-texts.ts";
import { useObservable } from "../../kit/observable.ts";
import { formatRoute } from "../../kit/router.ts";
import { TopBar } from "../../kit/screen.tsx";
import { useShortcuts } from "../../kit/shortcuts.ts";
import { firstTexts, formatNumber, say } from "../../kit/texts.ts";
import { ChangeDialog } from "./change-dialog.tsx";

const text = laterTexts.tags;

interface TagsPageProps {
  session: Session;
  visible: VisibleItems;
  change: ChangeList;
  onClose(): void;
}

/** All tags by name, with the number of their pages; each can be renamed, merged with another one, and deleted. */
export function TagsPage({ session, visible, change, onClose }: TagsPageProps) {
  const { route: router, notices } = useReader();
  const route = useObservable(router);
  const [edited, setEdited] = useState<string>();
  const sought = fold(route.search?.trim() ?? "");
  const found = visible.tags.filter(([tag]) => tag !== starredTag && fold(tag).includes(sought)).toSorted(byName);
  useShortcuts({ Escape: onClose, z: () => notices.undo() });
  return (
    <main class="tags-page">
      <TopBar title={firstTexts.list.tags} onClose={onClose}>
        <input
          type="search"
          aria-label={text.search}
          placeholder={text.search}
          maxlength={200}
          dir="auto"
          value={route.search ?? ""}
          onInput={({ currentTarget: { value } }) => {
            router.value = { ...route, search: value || undefined };
          }}
        />
      </TopBar>
      {found.length === 0 ? (
        <p class="empty">{sought ? text.nothingFound : text.none}</p>
      ) : (
        <ul class="tags">
          {found.map(([tag, count]) => (
            <li key={tag}>
              <a href={formatRoute({ view: route.view, tag })}>
                <bdi>{tag}</bdi>
                <span class="count">{formatNumber(count)}</span>
              </a>
              <IconButton icon="edit" name={say(text.edit, { tag })} onClick={() => setEdited(tag)} />
            </li>
          ))}
        </ul>
      )}
      {edited !== undefined && (
        <ChangeDialog
          dialog={{ kind: "tag", tag: edited }}
          session={session}
          visible={visible}
          change={change}
          onClose={() => setEdited(undefined)}
        />
      )}
    </main>
  );
}
