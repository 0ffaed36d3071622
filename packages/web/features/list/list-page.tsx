// SPDX-License-Identifier: MIT

import type { Change, LocalItem } from "@reading-list/client/main.ts";
import { starredTag } from "@reading-list/core/domain/tags.ts";
import type { ComponentChildren } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";
import type { Place } from "../../data/place.ts";
import { useReader } from "../../data/reader.ts";
import type { Session } from "../../data/session.ts";
import type { ChangeList } from "../../data/use-changes.ts";
import type { Findings } from "../../data/use-findings.ts";
import type { VisibleItems } from "../../data/use-visible-items.ts";
import { IconButton } from "../../kit/icons.tsx";
import { useObservable } from "../../kit/observable.ts";
import { formatRoute, isFiltered, type Route } from "../../kit/router.ts";
import { useShortcuts } from "../../kit/shortcuts.ts";
import { firstTexts, say } from "../../kit/texts.ts";
import type { SharedPage } from "../../kit/web-address.ts";
import { FilterLine, FilterMenu, SideBar } from "./filter-menu.tsx";
import { ItemRow, type RowActions } from "./item-row.tsx";
import { ViewBar } from "./list-bar.tsx";
import { ListHeader } from "./list-header.tsx";
import type { ItemDialog } from "./page-dialogs.tsx";
import { type Current, useCurrent } from "./use-current.ts";
import { Window } from "./window.tsx";

const text = firstTexts.list;
const noPage: SharedPage = { url: "", title: "" };

export interface ListPageProps {
  session: Session;
  visible: VisibleItems;
  change: ChangeList;
  place: Place;
  /** A page that the address of the reader asked to save. */
  shared: SharedPage | undefined;
  onSharedDone(): void;
  /** Stand at the end of the header. */
  tools: ComponentChildren;
  /** Returns the first steps, which an empty list shows; they call `add` to open the form. */
  firstSteps(add: () => void): ComponentChildren;
  onShortcuts(): void;
  /** Undefined until they are loaded. */
  later: Later | undefined;
}

export function ListPage({
  session,
  visible,
  change,
  place,
  shared,
  onSharedDone,
  tools: headerTools,
  firstSteps,
  onShortcuts,
  later,
}: ListPageProps) {
  const { route: router, notices } = useReader();
  const route = useObservable(router);
  const [dialog, setDialog] = useState<OpenDialog>();
  const searchField = useRef<HTMLInputElement>(null);

  const current = useCurrent(visible.shown, place);
  const selection = useSelection(visible.shown);
  const list = listActions(change);
  const actions = useStable({
    archive: (item) => list.mark([item]),
    delete: (item) => list.remove([item]),
    edit: (item) => setDialog({ kind: "edit", item }),
    star: (item) => list.star([item]),
    toggle: selection.toggle,
    focus: current.set,
  });
  /** Acts on the selected items, or else on the current one. */
  const act = (on: (items: readonly LocalItem[]) => void) => () => {
    const { item } = current;
    const items = selection.items ?? (item ? [item] : []);
    if (items.length > 0) on(items);
    selection.end();
  };
  const show = (change: Partial<Route>) => {
    router.value = { ...route, ...change };
    scrollTo(0, 0);
  };
  const add = () => setDialog({ kind: "add" });

  useListKeys(current, actions, {
    e: act(list.mark),
    f: act(list.star),
    "#": act(list.remove),
    Delete: act(list.remove),
    "/": () => searchField.current?.select(),
    a: add,
    1: () => show({ view: "unread" }),
    2: () => show({ view: "archive" }),
    s: () => session.syncer.request(),
    m: () => {
      location.hash = formatRoute({ view: route.view, page: "marks" });
    },
    "?": onShortcuts,
    Escape: () => (selection.items ? selection.end() : show(showAll)),
  });

  const saved = session.savedFilters;
  const bar = { visible, route, saved, onShow: show };
  const tools = (
    <>
      <FilterMenu {...bar} Filters={later?.Filters} />
      <IconButton icon="select" name={text.select} onClick={selection.begin} />
    </>
  );
  return (
    <>
      <ListHeader
        search={route.search}
        field={searchField}
        tools={headerTools}
        onSearch={(search) => show({ search })}
        onDown={() => current.move(1)}
        onAdd={add}
      />
      <div class="columns">
        <SideBar {...bar} />
        <main class={visible.findings ? "list searching" : "list"}>
          {selection.items && later ? (
            <later.SelectionBar
              isRead={areRead(selection.items, route)}
              count={selection.items.length}
              onAll={selection.selectAll}
              onMark={act(list.mark)}
              onTag={act((items) => setDialog({ kind: "tags", items }))}
              onDownload={(format) => act((items) => void later.downloadPages(format, session, items, notices))()}
              onDelete={act(list.remove)}
              onDone={selection.end}
            />
          ) : visible.findings && later ? (
            <later.SearchBar route={route} saved={saved} findings={visible.findings}>
              {tools}
            </later.SearchBar>
          ) : (
            <ViewBar visible={visible} route={route}>
              {tools}
            </ViewBar>
          )}
          <FilterLine route={route} onShow={show} onEditTag={(tag) => setDialog({ kind: "tag", tag })} />
          <Rows {...{ session, visible, route, current, selection, actions, later }} firstSteps={firstSteps(add)} />
          {later && visible.findings && (
            <later.MoreButton findings={visible.findings} onMore={() => session.search.more()} />
          )}
        </main>
      </div>
      <Dialogs
        dialog={shared ? { kind: "add" } : dialog}
        {...{ session, visible, change, shared, later }}
        onShow={show}
        onClose={() => {
          setDialog(undefined);
          if (shared) onSharedDone();
        }}
      />
    </>
  );
}

type Later = typeof import("./later.ts");
type OpenDialog = ItemDialog | { kind: "add" };

const showAll: Partial<Route> = {
  ...{ tag: undefined, site: undefined, length: undefined, isUntagged: undefined, search: undefined },
};

/** The same functions at each rendering, which call those of the last one: so that rows need not be rendered again. */
function useStable(functions: RowActions): RowActions {
  const latest = useRef(functions);
  latest.current = functions;
  return useMemo(() => {
    const names = Object.keys(functions) as (keyof RowActions)[];
    const stable = names.map((name) => [name, (item: LocalItem) => latest.current[name](item)]);
    return Object.fromEntries(stable) as RowActions;
  }, []);
}

/** The items that the user has selected; `items` is undefined if none can be selected. */
function useSelection(shown: readonly LocalItem[]) {
  const [urls, setUrls] = useState<ReadonlySet<string>>();
  return {
    items: urls && shown.filter(({ url }) => urls.has(url)),
    has: (url: string) => urls?.has(url) ?? false,
    begin: () => setUrls(new Set()),
    end: () => setUrls(undefined),
    selectAll: () => setUrls(new Set(shown.map(({ url }) => url))),
    toggle({ url }: LocalItem) {
      const next = new Set(urls);
      if (!next.delete(url)) next.add(url);
      setUrls(next);
    },
  };
}

/** The keys of the list: `keys`, and those that move between its items and act on the current one. */
function useListKeys(current: Current, actions: RowActions, keys: Record<string, () => void>): void {
  const { settings, notices } = useReader();
  useShortcuts({
    ...keys,
    j: () => current.move(1),
    k: () => current.move(-1),
    ArrowDown: () => current.move(1),
    ArrowUp: () => current.move(-1),
    v: () => current.item && open(current.item.url, "_blank", "noreferrer"),
    r: () => current.item && actions.edit(current.item),
    x: () => current.item && actions.toggle(current.item),
    z: () => notices.undo(),
    o: () => {
      const { order } = settings.value;
      settings.value = { ...settings.value, order: order === "newest" ? "oldest" : "newest" };
    },
  });
}

interface RowsProps extends Pick<ListPageProps, "session" | "visible" | "later"> {
  route: Route;
  current: Current;
  selection: ReturnType<typeof useSelection>;
  actions: RowActions;
  firstSteps: ComponentChildren;
}

function Rows({ session, visible, route, current, selection, actions, later, firstSteps }: RowsProps) {
  const { all, shown, findings } = visible;
  const facts = useObservable(session.texts.facts);
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
      keyOf={({ url }) => url}
      label={say(text.label, { view: viewName, number: shown.length })}
      current={current.index}
    >
      {(item, index) => (
        <ItemRow
          item={item}
          facts={facts.get(item.url)}
          snippet={findings?.snippetOf(item)}
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

interface DialogsProps extends Pick<ListPageProps, "session" | "visible" | "change" | "shared" | "later"> {
  dialog: OpenDialog | undefined;
  onShow(change: Partial<Route>): void;
  onClose(): void;
}

function Dialogs({ session, visible, change, shared, dialog, later, onShow, onClose }: DialogsProps) {
  if (!later || !dialog) return null;
  return dialog.kind === "add" ? (
    <later.AddDialog
      shared={shared ?? noPage}
      tags={visible.tags}
      find={(url) => session.list.find(url)}
      onAdd={(changes, notice) => void change(changes, notice)}
      onClose={onClose}
    />
  ) : (
    <later.ChangeDialog {...{ dialog, visible, change, onShow, onClose }} />
  );
}

/** Whether all of some items are archived; if there are none, whether the archive is shown. */
const areRead = (items: readonly LocalItem[], { view }: Route) =>
  items.length === 0 ? view === "archive" : items.every(({ state }) => state === "read");

/** The changes that buttons and keys make, each with its notice. */
function listActions(change: ChangeList) {
  const all = (items: readonly LocalItem[], changeOf: (item: LocalItem) => Change) => items.map(changeOf);
  return {
    /** Archives those that are unread or, if none is, marks all unread. */
    mark(items: readonly LocalItem[]) {
      const unread = items.filter(({ state }) => state === "unread");
      const marked = unread.length > 0 ? unread : items;
      const kind = unread.length > 0 ? "read" : "add";
      const notice = unread.length > 0 ? firstTexts.notices.archived : firstTexts.notices.unread;
      void change(
        all(marked, ({ url }) => ({ kind, url })),
        say(notice, { number: marked.length }),
      );
    },
    remove(items: readonly LocalItem[]) {
      const changes = all(items, ({ url }) => ({ kind: "delete", url }));
      void change(changes, say(firstTexts.notices.deleted, { number: items.length }));
    },
    /** Gives all a star or, if all have one, takes it away. */
    star(items: readonly LocalItem[]) {
      const isStarred = items.every(({ tags }) => tags.includes(starredTag));
      const changes = all(items, ({ url, tags }) => {
        const others = tags.filter((tag) => tag !== starredTag);
        return { kind: "tags", url, tags: isStarred ? others : [...others, starredTag] };
      });
      void change(changes, say(firstTexts.notices.changed, { number: items.length }));
    },
  };
}

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
