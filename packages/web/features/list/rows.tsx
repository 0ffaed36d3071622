// SPDX-License-Identifier: MIT

import type { ComponentChildren } from "preact";
import type { Session } from "../../data/session.ts";
import type { Findings } from "../../data/use-findings.ts";
import type { VisibleItems } from "../../data/use-visible-items.ts";
import { useObservable } from "../../kit/observable.ts";
import { isFiltered, type Route } from "../../kit/router.ts";
import { firstTexts, say } from "../../kit/texts.ts";
import { ItemRow } from "./item-row.tsx";
import type { RowActions } from "./row-buttons.tsx";
import type { Current } from "./use-current.ts";
import type { Selection } from "./use-selection.ts";
import { Window } from "./window.tsx";

const text = firstTexts.list;

interface RowsProps {
  session: Session;
  visible: VisibleItems;
  later: typeof import("./later.ts") | undefined;
  route: Route;
  current: Current;
  selection: Selection;
  actions: RowActions;
  firstSteps: ComponentChildren;
}

/** The rows of the list, or the text of an empty list. */
export function Rows({ session, visible, route, current, selection, actions, later, firstSteps }: RowsProps) {
  const { all, shown, findings } = visible;
  const facts = useObservable(session.texts.facts);
  const notes = useObservable(session.marks.notes);
  const { lastSuccess } = useObservable(session.syncer.status);
  if (all === undefined || (all.length === 0 && !lastSuccess)) return <p class="empty">{text.loading}</p>;
  if (shown.length === 0)
    return findings && isIncomplete(findings) ? null : (
      <EmptyList route={route} firstSteps={all.length === 0 && firstSteps} />
    );
  const viewName = findings ? text.found : route.view === "archive" ? text.archive : text.unread;
  return (
    <Window
      items={shown}
      toKey={({ url }) => url}
      label={say(text.label, { view: viewName, number: shown.length })}
      current={current.index}
    >
      {(item, index) => (
        <ItemRow
          item={item}
          facts={facts.get(item.url)}
          note={notes.get(item.url)}
          snippet={findings?.findSnippet(item)}
          share={item.progress && item.progress.percent / 100}
          route={route}
          isCurrent={index === Math.max(0, current.index)}
          isSelecting={selection.items !== undefined}
          isSelected={selection.has(item.url)}
          actions={actions}
          followSwipes={later?.followSwipes}
        />
      )}
    </Window>
  );
}

/** There may be something that is not shown, or the search cannot be read: the bar says so. */
const isIncomplete = ({ state, fault }: Findings) => state === "asking" || state === "indexing" || fault !== undefined;

interface EmptyListProps {
  route: Route;
  /** Nothing if the list has pages elsewhere. */
  firstSteps: ComponentChildren;
}

function EmptyList({ route, firstSteps }: EmptyListProps) {
  const { view } = route;
  const finds = isFiltered(route) || route.search;
  return (
    <div class="empty">
      <p>{finds ? text.nothingFound : view === "archive" ? text.nothingArchived : text.nothing}</p>
      {!finds && view === "unread" && firstSteps}
    </div>
  );
}
