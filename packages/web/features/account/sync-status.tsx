import { useState } from "preact/hooks";
import { useReader } from "../../data/reader.ts";
import type { Session } from "../../data/session.ts";
import { Dialog } from "../../kit/dialog.tsx";
import { english } from "../../kit/english.ts";
import { Icon } from "../../kit/icons.tsx";
import { useObservable } from "../../kit/observable.ts";
import { RenewPassword } from "./account-page.tsx";

const text = english.sync;

/** A button that says in a word whether the list is synced, and opens a dialog that says all. */
export function SyncButton({ session }: { session: Session }) {
  const { isSyncing, failure, lastSuccess } = useObservable(session.syncer.status);
  const unsent = useObservable(session.list.unsent);
  const [isOpen, setOpen] = useState(false);
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
        <span class="sync-text">{unsent > 0 ? text.unsent(unsent) : state}</span>
      </button>
      <span class="hidden" role="status">
        {failure ? state : ""}
      </span>
      {isOpen && <SyncDialog session={session} state={state} onClose={() => setOpen(false)} />}
    </>
  );
}

const time = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" });

function SyncDialog({ session, state, onClose }: { session: Session; state: string; onClose(): void }) {
  const { isSyncing, failure, lastSuccess } = useObservable(session.syncer.status);
  const unsent = useObservable(session.list.unsent);
  const { account } = useReader();
  return (
    <Dialog title={text.title} onClose={onClose}>
      <p>
        <strong>{state}</strong>
      </p>
      {failure && (
        <>
          {failure.message && <p class="error">{failure.message}</p>}
          <p>{text.remedies[failure.kind]}</p>
          {failure.retryAt && <p>{text.retry(time.format(failure.retryAt))}</p>}
        </>
      )}
      <p>{unsent > 0 ? text.unsent(unsent) : text.nothingUnsent}</p>
      <p>{lastSuccess ? text.lastSuccess(time.format(lastSuccess)) : text.never}</p>
      {failure?.kind === "unauthorized" ? (
        <RenewPassword account={account} username={session.username} />
      ) : (
        <button type="button" class="primary" disabled={isSyncing} onClick={() => session.syncer.syncNow()}>
          {text.now}
        </button>
      )}
    </Dialog>
  );
}
