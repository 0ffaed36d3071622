import type { Change, LocalItem } from "@reading-list/client/main.ts";
import { starredTag } from "@reading-list/core/domain/tags.ts";
import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import type { Place } from "../../data/place.ts";
import { useReader } from "../../data/reader.ts";
import type { Session } from "../../data/session.ts";
import type { ChangeList } from "../../data/use-changes.ts";
import type { VisibleItems } from "../../data/use-visible-items.ts";
import { english } from "../../kit/english.ts";
import { noticeDuration } from "../../kit/notices.tsx";
import { useObservable } from "../../kit/observable.ts";
import { formatRoute, type Route } from "../../kit/router.ts";
import { useShortcuts } from "../../kit/shortcuts.ts";
import { useLoaded } from "../../kit/use-loaded.ts";
import type { SharedPage } from "../../kit/web-address.ts";
import { FilterLine, SideBar } from "./filter-menu.tsx";
import { ItemRow, type RowActions } from "./item-row.tsx";
import { SelectionBar, ViewBar } from "./list-bar.tsx";
import { ListHeader } from "./list-header.tsx";
import type { ItemDialog } from "./page-dialogs.tsx";
import { useCurrent } from "./use-current.ts";
import { Window } from "./window.tsx";

const text = english.list;
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
  onShortcuts(): void;
}

export function ListPage({ session, visible, change, place, shared, onSharedDone, tools, onShortcuts }: ListPageProps) {
  const { route: router, settings, notices } = useReader();
  const route = useObservable(router);
  const { order } = useObservable(settings);
  const facts = useObservable(session.texts.facts);
  const { lastSuccess } = useObservable(session.syncer.status);
  const [dialog, setDialog] = useState<ItemDialog | { kind: "add" }>();
  const [selected, setSelected] = useState<ReadonlySet<string>>();
  const dialogs = useLoaded(() => import("./page-dialogs.tsx"));
  const searchField = useRef<HTMLInputElement>(null);

  const { all, shown } = visible;
  const current = useCurrent(shown, place);
  const selectedItems = selected ? shown.filter(({ url }) => selected.has(url)) : [];
  const { mark, remove, star } = listActions(change, route.view);
  const toggle = ({ url }: LocalItem) => {
    const next = new Set(selected);
    if (!next.delete(url)) next.add(url);
    setSelected(next);
  };
  const actions: RowActions = {
    archive: (item) => mark([item]),
    delete: (item) => remove([item]),
    edit: (item) => setDialog({ kind: "edit", item }),
    star: (item) => star([item]),
    toggle,
    focus: current.set,
  };
  /** Acts on the selected items, or else on the current one. */
  const act = (on: (items: readonly LocalItem[]) => void) => () => {
    const { item } = current;
    const items = selected ? selectedItems : item ? [item] : [];
    if (items.length > 0) on(items);
    setSelected(undefined);
  };
  const show = (change: Partial<Route>) => {
    router.value = { ...route, ...change };
    scrollTo(0, 0);
  };
  const add = () => setDialog({ kind: "add" });
  const showAll: Partial<Route> = {
    ...{ tag: undefined, site: undefined, length: undefined, isUntagged: undefined, search: undefined },
  };

  useShortcuts({
    j: () => current.move(1),
    k: () => current.move(-1),
    ArrowDown: () => current.move(1),
    ArrowUp: () => current.move(-1),
    v: () => current.item && open(current.item.url, "_blank", "noreferrer"),
    e: act(mark),
    f: act(star),
    "#": act(remove),
    Delete: act(remove),
    r: () => current.item && actions.edit(current.item),
    x: () => current.item && toggle(current.item),
    z: () => notices.act(),
    "/": () => searchField.current?.select(),
    a: add,
    1: () => show({ view: "unread" }),
    2: () => show({ view: "archive" }),
    o: () => {
      settings.value = { ...settings.value, order: order === "newest" ? "oldest" : "newest" };
    },
    s: () => session.syncer.syncNow(),
    m: () => {
      location.hash = formatRoute({ view: route.view, isMarks: true });
    },
    "?": onShortcuts,
    Escape: () => (selected ? setSelected(undefined) : show(showAll)),
  });

  const bar = { visible, route, onShow: show };
  const isLoading = all === undefined || (all.length === 0 && !lastSuccess);
  const viewName = route.view === "archive" ? text.archive : text.unread;
  return (
    <>
      <ListHeader
        search={route.search}
        field={searchField}
        tools={tools}
        onSearch={(search) => show({ search })}
        onAdd={add}
      />
      <div class="columns">
        <SideBar {...bar} />
        <main class="list">
          {selected ? (
            <SelectionBar
              view={route.view}
              count={selectedItems.length}
              onAll={() => setSelected(new Set(shown.map(({ url }) => url)))}
              onMark={act(mark)}
              onTag={act((items) => setDialog({ kind: "tags", items }))}
              onDelete={act(remove)}
              onDone={() => setSelected(undefined)}
            />
          ) : (
            <ViewBar {...bar} onSelect={() => setSelected(new Set())} />
          )}
          <FilterLine route={route} onShow={show} onEditTag={(tag) => setDialog({ kind: "tag", tag })} />
          {isLoading ? (
            <p class="empty">{text.loading}</p>
          ) : shown.length === 0 ? (
            <EmptyList route={route} />
          ) : (
            <Window
              items={shown}
              keyOf={({ url }) => url}
              label={text.label(viewName, shown.length)}
              current={current.index}
            >
              {(item, index) => (
                <ItemRow
                  item={item}
                  facts={facts.get(item.url)}
                  share={item.progress && item.progress.percent / 100}
                  route={route}
                  isCurrent={index === Math.max(0, current.index)}
                  isSelecting={selected !== undefined}
                  isSelected={selected?.has(item.url) ?? false}
                  actions={actions}
                />
              )}
            </Window>
          )}
        </main>
      </div>
      {dialogs && (shared || dialog?.kind === "add") && (
        <dialogs.AddDialog
          shared={shared ?? noPage}
          tags={visible.tags}
          find={(url) => session.list.find(url)}
          onAdd={(changes, notice) => void change(changes, notice)}
          onClose={() => {
            setDialog(undefined);
            onSharedDone();
          }}
        />
      )}
      {dialogs && dialog && dialog.kind !== "add" && (
        <dialogs.ChangeDialog
          dialog={dialog}
          visible={visible}
          change={change}
          onShow={show}
          onClose={() => setDialog(undefined)}
        />
      )}
    </>
  );
}

/** The changes that buttons and keys make, each with its notice. */
function listActions(change: ChangeList, view: Route["view"]) {
  const all = (items: readonly LocalItem[], changeOf: (item: LocalItem) => Change) => items.map(changeOf);
  return {
    mark(items: readonly LocalItem[]) {
      const kind = view === "archive" ? "add" : "read";
      const notice = view === "archive" ? english.notices.unread : english.notices.archived;
      void change(
        all(items, ({ url }) => ({ kind, url })),
        notice(items.length),
      );
    },
    remove(items: readonly LocalItem[]) {
      const changes = all(items, ({ url }) => ({ kind: "delete", url }));
      void change(changes, english.notices.deleted(items.length), { hold: noticeDuration });
    },
    /** Gives all a star or, if all have one, takes it away. */
    star(items: readonly LocalItem[]) {
      const isStarred = items.every(({ tags }) => tags.includes(starredTag));
      const changes = all(items, ({ url, tags }) => {
        const others = tags.filter((tag) => tag !== starredTag);
        return { kind: "tags", url, tags: isStarred ? others : [...others, starredTag] };
      });
      void change(changes, english.notices.changed(items.length));
    },
  };
}

function EmptyList({ route: { view, tag, site, length, isUntagged, search } }: { route: Route }) {
  const isFiltered = tag || site || length || isUntagged || search;
  return (
    <div class="empty">
      <p>{isFiltered ? text.nothingFound : view === "archive" ? text.nothingArchived : text.nothing}</p>
      {!isFiltered && view === "unread" && <p class="hint">{text.nothingHint}</p>}
    </div>
  );
}
