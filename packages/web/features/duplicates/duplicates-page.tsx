// SPDX-License-Identifier: MIT

import type { LocalItem } from "@reading-list/client/main.ts";
import { starredTag } from "@reading-list/core/domain/tags.ts";
import { useEffect, useId, useMemo, useState } from "preact/hooks";
import { useReader } from "../../data/reader.ts";
import type { Session } from "../../data/session.ts";
import type { ChangeList } from "../../data/use-changes.ts";
import { dates, laterTexts } from "../../kit/later-texts.ts";
import { useObservable } from "../../kit/observable.ts";
import { formatRoute } from "../../kit/router.ts";
import { TopBar } from "../../kit/screen.tsx";
import { useShortcuts } from "../../kit/shortcuts.ts";
import { firstTexts, say } from "../../kit/texts.ts";
import { DismissedGroups } from "./dismissed-groups.ts";
import { type Duplicates, findDuplicates, mergeInto } from "./find-duplicates.ts";

const text = laterTexts.duplicates;
/** Groups that are rendered at first, and more on demand. */
const shownAtOnce = 50;

interface DuplicatesPageProps {
  session: Session;
  items: readonly LocalItem[];
  change: ChangeList;
  onClose(): void;
}

/** Pages that may be in the list twice. One of each group is kept, and the others are moved to the trash. */
export function DuplicatesPage({ session, items, change, onClose }: DuplicatesPageProps) {
  const { notices } = useReader();
  const marks = useObservable(session.marks.all);
  const markCounts = useMemo(() => {
    const counts = new Map<string, number>();
    for (const { url } of marks ?? []) counts.set(url, (counts.get(url) ?? 0) + 1);
    return counts;
  }, [marks]);
  const dismissed = useMemo(() => DismissedGroups.of(session.username), [session]);
  const hidden = useObservable(dismissed.all);
  const [all, setFound] = useState<readonly Duplicates[]>();
  const found = useMemo(() => all?.filter(({ key }) => !hidden.has(key)), [all, hidden]);
  const [limit, setLimit] = useState(shownAtOnce);
  useEffect(() => {
    const end = new AbortController();
    void findDuplicates(items, new Set(markCounts.keys()), end.signal).then((groups) => groups && setFound(groups));
    return () => end.abort();
  }, [items, markCounts]);
  useShortcuts({ Escape: onClose, z: () => notices.undo() });

  /** Removes the groups at once: the list is searched again for the next state. */
  const merge = (merged: readonly Duplicates[], keptOf = ({ pages }: Duplicates) => pages[0]) => {
    const changes = merged.flatMap((group) => {
      const kept = keptOf(group);
      return kept ? mergeInto(kept, group) : [];
    });
    setFound((before) => before?.filter((group) => !merged.includes(group)));
    const number = changes.filter(({ kind }) => kind === "delete").length;
    void change(changes, say(text.moved, { number }));
  };
  const dismiss = (group: Duplicates) => {
    const restore = dismissed.add(group);
    notices.done(text.dismissed, async () => restore());
  };
  /** Nobody has to look at these: none that goes to the trash has highlights. */
  const sure = useMemo(() => {
    const isMarked = ({ url }: LocalItem) => markCounts.has(url);
    return found?.filter((group) => group.hasSameAddress && group.canMerge && !group.pages.slice(1).some(isMarked));
  }, [found, markCounts]);
  return (
    <main class="duplicates-page">
      <TopBar title={text.title} onClose={onClose} />
      <div class="screen">
        <p class="hint">{text.hint}</p>
        {!found && <p role="status">{text.loading}</p>}
        {found?.length === 0 && <p class="empty">{text.none}</p>}
        {sure && sure.length > 1 && (
          <p class="actions">
            <button type="button" onClick={() => merge(sure)}>
              {say(text.mergeSure, { number: sure.length })}
            </button>
          </p>
        )}
        {found?.slice(0, limit).map((group) => (
          <Group
            key={group.key}
            group={group}
            markCounts={markCounts}
            onMerge={(kept) => merge([group], () => kept)}
            onDismiss={() => dismiss(group)}
          />
        ))}
        {found && found.length > limit && (
          <p class="actions">
            <button type="button" onClick={() => setLimit(limit + shownAtOnce)}>
              {laterTexts.trash.more}
            </button>
          </p>
        )}
      </div>
    </main>
  );
}

interface GroupProps {
  group: Duplicates;
  markCounts: ReadonlyMap<string, number>;
  onMerge(kept: LocalItem): void;
  onDismiss(): void;
}

function Group({ group, markCounts, onMerge, onDismiss }: GroupProps) {
  const { pages, hasSameAddress, canMerge } = group;
  const [first] = pages;
  const [chosen, setChosen] = useState(first?.url);
  const kept = pages.find(({ url }) => url === chosen) ?? first;
  const name = useId();
  if (!kept) return null;
  return (
    <fieldset class="duplicates">
      <legend>
        <bdi>{kept.title}</bdi>
      </legend>
      <p class="hint">{hasSameAddress ? text.sameAddress : text.sameTitle}</p>
      {pages.map((page) => (
        <label key={page.url}>
          <input type="radio" name={name} checked={page === kept} onChange={() => setChosen(page.url)} />
          <span class="device">
            <a href={formatRoute({ view: "unread", article: page.url })} dir="ltr" class="address">
              {page.url}
            </a>
            <small>{writeFacts(page, markCounts.get(page.url))}</small>
          </span>
        </label>
      ))}
      {!canMerge && <p class="hint">{text.tooManyTags}</p>}
      <p class="actions">
        {canMerge && (
          <button type="button" onClick={() => onMerge(kept)}>
            {say(text.merge, { number: pages.length - 1 })}
          </button>
        )}
        <button type="button" onClick={onDismiss}>
          {text.dismiss}
        </button>
      </p>
    </fieldset>
  );
}

const writeFacts = ({ timeAdded, state, tags }: LocalItem, marks: number | undefined): string =>
  [
    say(text.added, { date: dates.format(timeAdded) }),
    state === "read" && firstTexts.list.archived,
    marks && say(laterTexts.marks.number, { number: marks }),
    ...tags.map((tag) => (tag === starredTag ? firstTexts.list.starred : tag)),
  ]
    .filter(Boolean)
    .join(" · ");
