// SPDX-License-Identifier: MIT

import type { LocalItem } from "@reading-list/client/main.ts";
import { fold } from "@reading-list/core/domain/fold.ts";
import { useMemo, useState } from "preact/hooks";
import { MarkDialog } from "../../data/mark-dialog.tsx";
import { MarkRows } from "../../data/mark-rows.tsx";
import type { Mark } from "../../data/marks.ts";
import { useReader } from "../../data/reader.ts";
import type { Session } from "../../data/session.ts";
import { useMarkActions } from "../../data/use-marks.ts";
import { laterTexts } from "../../kit/later-texts.ts";
import { useObservable } from "../../kit/observable.ts";
import { formatRoute } from "../../kit/router.ts";
import { TopBar } from "../../kit/screen.tsx";
import { useShortcuts } from "../../kit/shortcuts.ts";
import { findSite } from "../../kit/web-address.ts";

const text = laterTexts.marks;
/** Marks that are rendered at first, and more on demand. */
const shownAtOnce = 200;

interface MarksPageProps {
  session: Session;
  items: readonly LocalItem[];
  onClose(): void;
}

/** All marks by article, the newest first. */
export function MarksPage({ session, items, onClose }: MarksPageProps) {
  const { route: router, notices } = useReader();
  const route = useObservable(router);
  const known = useObservable(session.marks.all);
  const actions = useMarkActions(session.marks);
  const [edited, setEdited] = useState<Mark>();
  const [limit, setLimit] = useState(shownAtOnce);
  const titles = useMemo(() => new Map(items.map(({ url, title }) => [url, title])), [items]);
  // The marks of a deleted page are in the trash with it.
  const all = useMemo(() => known?.filter(({ url }) => titles.has(url)) ?? [], [known, titles]);
  const words = fold(route.search ?? "")
    .split(/\s+/)
    .filter(Boolean);
  const found = useMemo(
    () =>
      all.filter(({ url, quote, note }) => {
        const fields = fold(`${quote}\n${note}\n${titles.get(url) ?? ""}\n${url}`);
        return words.every((word) => fields.includes(word));
      }),
    [all, titles, route.search],
  );
  const shown = found.slice(0, limit);
  const articles = Map.groupBy(shown, ({ url }) => url);
  useShortcuts({ Escape: onClose, z: () => notices.undo() });
  return (
    <main class="marks-page">
      <TopBar title={text.title} onClose={onClose}>
        <input
          type="search"
          aria-label={text.search}
          placeholder={text.search}
          value={route.search ?? ""}
          onInput={({ currentTarget: { value } }) => {
            setLimit(shownAtOnce);
            router.value = { ...route, search: value || undefined };
          }}
        />
      </TopBar>
      {found.length === 0 && (
        <div class="empty">
          <p>{all.length === 0 ? text.none : text.nothingFound}</p>
          {all.length === 0 && <p class="hint">{text.noneHint}</p>}
        </div>
      )}
      {[...articles].map(([url, marks]) => (
        <section key={url} class="marks-of-page">
          <h2 dir="auto">
            <a href={formatRoute({ view: route.view, article: url })}>{titles.get(url) ?? url}</a>
            <small class="hint">{findSite(url)}</small>
          </h2>
          <MarkRows
            marks={marks}
            showQuote={({ id: mark, quote }) => (
              <a href={formatRoute({ view: route.view, article: url, mark })}>{quote}</a>
            )}
            showsTimes
            onEdit={setEdited}
          />
        </section>
      ))}
      {found.length > limit && (
        <p class="actions">
          <button type="button" onClick={() => setLimit(limit + shownAtOnce)}>
            {text.more}
          </button>
        </p>
      )}
      {edited && (
        <MarkDialog
          mark={edited}
          onSave={actions.change}
          onDelete={() => actions.remove(edited)}
          onClose={() => setEdited(undefined)}
        />
      )}
    </main>
  );
}
