// SPDX-License-Identifier: MIT

import { useEffect } from "preact/hooks";
import { english } from "./english.ts";
import { IconButton } from "./icons.tsx";
import { Observable, useObservable } from "./observable.ts";

export interface Notice {
  text: string;
  action?: { name: string; run(): unknown } | undefined;
}

/** Milliseconds for which a notice is shown, and a deletion is not sent. */
export const noticeDuration = 7000;

/** The newest notice; one is enough, because each is about the last action of the user. */
export class Notices {
  readonly current = new Observable<Notice | undefined>(undefined);
  /** Stays until the user acts on it, or closes it. */
  readonly lasting = new Observable<Notice | undefined>(undefined);

  show(text: string, action?: Notice["action"]): void {
    this.current.value = { text, action };
  }

  /** Runs the action of the current notice, such as "Undo". */
  async act(): Promise<void> {
    const { action } = this.current.value ?? {};
    this.current.value = undefined;
    await action?.run();
  }
}

/** Shows the current notice until it is old. A screen reader reads it. */
export function NoticeBar({ notices }: { notices: Notices }) {
  const notice = useObservable(notices.current);
  useEffect(() => {
    if (!notice) return;
    const timer = setTimeout(() => {
      notices.current.value = undefined;
    }, noticeDuration);
    return () => clearTimeout(timer);
  }, [notice, notices]);
  return (
    <div class="notices" role="status">
      <NoticeBox observable={notices.lasting} />
      <NoticeBox observable={notices.current} />
    </div>
  );
}

function NoticeBox({ observable }: { observable: Observable<Notice | undefined> }) {
  const notice = useObservable(observable);
  const close = () => {
    observable.value = undefined;
  };
  if (!notice) return null;
  return (
    <div class="notice">
      <span dir="auto">{notice.text}</span>
      {notice.action && (
        <button
          type="button"
          class="plain strong"
          onClick={() => {
            close();
            void notice.action?.run();
          }}
        >
          {notice.action.name}
        </button>
      )}
      <IconButton icon="close" name={english.close} onClick={close} />
    </div>
  );
}
