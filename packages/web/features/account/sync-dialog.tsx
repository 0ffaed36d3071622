// SPDX-License-Identifier: MIT

import type { Account } from "../../data/account.ts";
import { useReader } from "../../data/reader.ts";
import type { Session } from "../../data/session.ts";
import { Dialog } from "../../kit/dialog.tsx";
import { explainFailure } from "../../kit/explain-failure.ts";
import { laterTexts, times } from "../../kit/later-texts.ts";
import { useObservable } from "../../kit/observable.ts";
import { Password, TaskForm } from "../../kit/task-form.tsx";
import { firstTexts, say } from "../../kit/texts.ts";

const text = laterTexts.sync;

/** Everything about the sync: its state, why it failed and what to do, and the queued changes. */
export function SyncDialog({ session, state, onClose }: { session: Session; state: string; onClose(): void }) {
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
          {failure.error && <p class="error">{explainFailure(failure.error)}</p>}
          <p>{text.remedies[failure.kind]}</p>
          {failure.retryAt && <p>{say(text.retry, { time: times.format(failure.retryAt) })}</p>}
        </>
      )}
      <p>{unsent > 0 ? say(firstTexts.sync.unsent, { number: unsent }) : text.nothingUnsent}</p>
      <p>{lastSuccess ? say(text.lastSuccess, { time: times.format(lastSuccess) }) : firstTexts.sync.never}</p>
      {failure?.kind === "unauthorized" ? (
        <RenewPassword account={account} username={session.username} />
      ) : (
        <button type="button" class="primary" disabled={isSyncing} onClick={() => session.syncer.request()}>
          {text.now}
        </button>
      )}
    </Dialog>
  );
}

/** Asks for the password after another device has changed it. */
const RenewPassword = ({ account, username }: { account: Account; username: string }) => (
  <TaskForm name={laterTexts.manage.continue} run={(read) => account.renew(read("password"))}>
    <p>
      {text.refused} {text.refusedRemedy}
    </p>
    <input name="username" autocomplete="username" value={username} readOnly hidden />
    <Password name="password" label={text.newPassword} />
  </TaskForm>
);
