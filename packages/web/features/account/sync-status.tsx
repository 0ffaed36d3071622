// SPDX-License-Identifier: MIT

import { useState } from "preact/hooks";
import type { Session } from "../../data/session.ts";
import { Icon } from "../../kit/icons.tsx";
import { useObservable } from "../../kit/observable.ts";
import { firstTexts, say } from "../../kit/texts.ts";
import { useLoaded } from "../../kit/use-loaded.ts";

const text = firstTexts.sync;

/** A button that says in a word whether the list is synced, and opens a dialog that says all. */
export function SyncButton({ session }: { session: Session }) {
  const { isSyncing, failure, lastSuccess } = useObservable(session.syncer.status);
  const unsent = useObservable(session.list.unsent);
  const [isOpen, setOpen] = useState(false);
  const dialog = useLoaded(() => import("./sync-dialog.tsx"));
  const isOffline = failure?.kind === "noResponse";
  const state = isOffline
    ? text.offline
    : failure
      ? text.failed
      : isSyncing
        ? text.syncing
        : lastSuccess
          ? text.upToDate
          : text.never;
  return (
    <>
      <button
        type="button"
        class="plain sync"
        data-state={failure ? (isOffline ? "offline" : "failed") : isSyncing ? "syncing" : "done"}
        onClick={() => setOpen(true)}
      >
        <Icon name={isOffline ? "offline" : failure ? "warning" : isSyncing ? "sync" : "check"} />
        <span class="sync-text">{unsent > 0 ? say(text.unsent, { number: unsent }) : state}</span>
      </button>
      <span class="hidden" role="status">
        {failure ? state : ""}
      </span>
      {isOpen && dialog && <dialog.SyncDialog session={session} state={state} onClose={() => setOpen(false)} />}
    </>
  );
}
