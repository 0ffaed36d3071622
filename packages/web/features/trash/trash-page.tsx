// SPDX-License-Identifier: MIT

import { ApiError, type TrashedItem } from "@reading-list/client/main.ts";
import { trashKeptSeconds } from "@reading-list/core/domain/item.ts";
import { useEffect, useState } from "preact/hooks";
import { useReader } from "../../data/reader.ts";
import type { Session } from "../../data/session.ts";
import type { ChangeList } from "../../data/use-changes.ts";
import { explainFailure } from "../../kit/explain-failure.ts";
import { dates, laterTexts } from "../../kit/later-texts.ts";
import { useObservable } from "../../kit/observable.ts";
import { TopBar } from "../../kit/screen.tsx";
import { useShortcuts } from "../../kit/shortcuts.ts";
import { say } from "../../kit/texts.ts";
import { findSite } from "../../kit/web-address.ts";

const text = laterTexts.trash;
/** Items that are shown: each further group takes a request. */
const pageSize = 100;

const daysKept = trashKeptSeconds / 86_400;

/** Days for which a page is still in the trash: 1 to 30, even if the clock of this device is wrong. */
const daysLeft = ({ timeDeleted }: TrashedItem) =>
  Math.min(daysKept, Math.max(1, Math.ceil(daysKept - (Date.now() - timeDeleted.getTime()) / 86_400_000)));

interface TrashPageProps {
  session: Session;
  change: ChangeList;
  onClose(): void;
}

/** The deleted pages of the last 30 days, which can be restored or erased. It needs a connection. */
export function TrashPage({ session, change, onClose }: TrashPageProps) {
  const { notices } = useReader();
  const [items, setItems] = useState<readonly TrashedItem[]>();
  const [pages, setPages] = useState(1);
  const [isWhole, setWhole] = useState(false);
  const [failure, setFailure] = useState("");
  /** Counts erased pages, because an earlier request may still return them. */
  const [erasures, setErasures] = useState(0);

  async function attempt(task: () => Promise<void>) {
    setFailure("");
    try {
      await task();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setFailure(explainFailure(error));
    }
  }
  // It changes if pages are restored, or deleted again by "Undo".
  const listed = useObservable(session.list.items)?.length;
  useEffect(() => {
    let isOutdated = false;
    void attempt(async () => {
      // The service does not have unsent changes yet.
      await session.sendNow();
      const found: TrashedItem[] = [];
      for (let page = 1; page <= pages; page++) found.push(...(await session.client.trash({ count: pageSize, page })));
      if (isOutdated) return;
      setItems(found);
      setWhole(found.length < pages * pageSize);
    });
    return () => {
      isOutdated = true;
    };
  }, [pages, listed, session, erasures]);
  useShortcuts({ Escape: onClose, z: () => notices.undo() });

  const without = (urls: ReadonlySet<string>) => setItems((before) => before?.filter(({ url }) => !urls.has(url)));
  const restore = ({ url, title, tags, timeAdded, state }: TrashedItem) => {
    without(new Set([url]));
    void change(
      [{ kind: "restore", url, title, tags, timeAdded, isRead: state === "read" }],
      say(text.restored, { number: 1 }),
    );
  };
  const purge = (urls: readonly string[] | "all", question: string) =>
    attempt(async () => {
      if (!confirm(question)) return;
      await session.client.purge(urls);
      if (urls === "all") setItems([]);
      else without(new Set(urls));
      setErasures((before) => before + 1);
    });
  return (
    <main class="trash-page">
      <TopBar title={text.title} onClose={onClose}>
        <span class="space" />
        {items && items.length > 0 && (
          <button type="button" class="danger" onClick={() => purge("all", text.reallyPurgeAll)}>
            {text.purgeAll}
          </button>
        )}
      </TopBar>
      <div class="trash">
        <p class="hint">{text.hint}</p>
        {failure && (
          <p class="error" role="alert">
            {failure}
          </p>
        )}
        {!items && !failure && <p role="status">{text.loading}</p>}
        {items?.length === 0 && <p class="empty">{text.empty}</p>}
        <ul class="devices">
          {items?.map((item) => (
            <li key={item.itemId}>
              <span class="device" dir="auto">
                <strong>{item.title}</strong>
                <small>
                  {findSite(item.url)} · {say(text.deleted, { date: dates.format(item.timeDeleted) })} ·{" "}
                  {say(text.left, { number: daysLeft(item) })}
                </small>
              </span>
              <span class="buttons">
                <button
                  type="button"
                  aria-label={say(text.restoreOf, { title: item.title })}
                  onClick={() => restore(item)}
                >
                  {text.restore}
                </button>
                <button
                  type="button"
                  aria-label={say(text.purgeOf, { title: item.title })}
                  onClick={() => purge([item.url], say(text.reallyPurge, { title: item.title }))}
                >
                  {text.purge}
                </button>
              </span>
            </li>
          ))}
        </ul>
        {items && !isWhole && (
          <p class="actions">
            <button type="button" onClick={() => setPages(pages + 1)}>
              {text.more}
            </button>
          </p>
        )}
      </div>
    </main>
  );
}
