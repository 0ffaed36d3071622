// SPDX-License-Identifier: MIT

import { ApiError, type TrashedItem } from "@reading-list/client/main.ts";
import { useEffect, useState } from "preact/hooks";
import type { Session } from "../../data/session.ts";
import type { ChangeList } from "../../data/use-changes.ts";
import { Dialog } from "../../kit/dialog.tsx";
import { english } from "../../kit/english.ts";
import { englishLater } from "../../kit/english-later.ts";
import { siteOf } from "../../kit/site-of.ts";

const text = englishLater.trash;
const date = new Intl.DateTimeFormat("en", { dateStyle: "medium" });
/** Items that are shown: a request for each more of them. */
const pageSize = 100;

/** The deleted pages of the last 30 days, which can be restored or erased. It needs a connection. */
export function TrashDialog({ session, change, onClose }: { session: Session; change: ChangeList; onClose(): void }) {
  const [items, setItems] = useState<readonly TrashedItem[]>();
  const [page, setPage] = useState(1);
  const [isWhole, setWhole] = useState(false);
  const [failure, setFailure] = useState("");

  async function attempt(task: () => Promise<void>) {
    setFailure("");
    try {
      await task();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setFailure(error.message);
    }
  }
  useEffect(() => {
    void attempt(async () => {
      // A deletion that is held for "Undo" is not in the trash yet.
      if (page === 1) await session.sendNow();
      const more = await session.client.trash({ count: pageSize, page });
      setItems((before = []) => (page === 1 ? more : [...before, ...more]));
      setWhole(more.length < pageSize);
    });
  }, [page, session]);

  const without = (urls: ReadonlySet<string>) => setItems((before) => before?.filter(({ url }) => !urls.has(url)));
  const restore = ({ url, title, tags, timeAdded, state }: TrashedItem) => {
    without(new Set([url]));
    void change(
      [{ kind: "restore", url, title, tags, timeAdded, isRead: state === "read" }],
      english.notices.restored(1),
    );
  };
  const purge = (urls: readonly string[] | "all", question: string) =>
    attempt(async () => {
      if (!confirm(question)) return;
      await session.client.purge(urls);
      if (urls === "all") setItems([]);
      else without(new Set(urls));
    });
  return (
    <Dialog title={text.title} onClose={onClose}>
      <p class="hint">{text.hint}</p>
      {failure && (
        <p class="error" role="alert">
          {failure}
        </p>
      )}
      {!items && !failure && <p role="status">{text.loading}</p>}
      {items?.length === 0 && <p>{text.empty}</p>}
      <ul class="devices">
        {items?.map((item) => (
          <li key={item.itemId}>
            <span class="device" dir="auto">
              <strong>{item.title}</strong>
              <small>
                {siteOf(item.url)} · {text.deleted(date.format(item.timeDeleted))}
              </small>
            </span>
            <span class="buttons">
              <button type="button" aria-label={text.restoreOf(item.title)} onClick={() => restore(item)}>
                {text.restore}
              </button>
              <button
                type="button"
                aria-label={text.purgeOf(item.title)}
                onClick={() => purge([item.url], text.reallyPurge(item.title))}
              >
                {text.purge}
              </button>
            </span>
          </li>
        ))}
      </ul>
      {items && !isWhole && (
        <button type="button" onClick={() => setPage(page + 1)}>
          {text.more}
        </button>
      )}
      {items && items.length > 0 && (
        <button type="button" onClick={() => purge("all", text.reallyPurgeAll)}>
          {text.purgeAll}
        </button>
      )}
    </Dialog>
  );
}
