// SPDX-License-Identifier: MIT

import { useEffect } from "preact/hooks";
import { explain } from "./explain.ts";
import { IconButton } from "./icons.tsx";
import { Observable, useObservable } from "./observable.ts";
import { firstTexts, say } from "./texts.ts";

export interface NoticeAction {
  name: string;
  run(): unknown;
}

export interface Notice {
  text: string;
  actions?: readonly (NoticeAction | undefined)[];
}

/** Milliseconds for which a notice is shown. */
const noticeDuration = 7000;

/** An action of the user that can be undone. */
interface Step {
  text: string;
  undo(): Promise<unknown>;
  /** Milliseconds. */
  doneAt: number;
}

/** Milliseconds for which a step can be undone, and the number of steps. */
const undoableFor = 600_000;
const maxSteps = 100;

function undoneText(step: string, before: string | undefined): string {
  const { undone, undoneOf } = firstTexts.notices;
  return before ? say(undoneOf, { step, before }) : say(undone, { step });
}

/** The newest notice; one is enough, because each is about the last action of the user. */
export class Notices {
  readonly current = new Observable<Notice | undefined>(undefined);
  /** Stays until the user acts on it, or closes it. */
  readonly lasting = new Observable<Notice | undefined>(undefined);
  #steps: Step[] = [];
  #undoing: Promise<unknown> = Promise.resolve();

  show(text: string, action?: NoticeAction): void {
    this.current.value = { text, actions: [action] };
  }

  /** Shows an action of the user, with "Undo" behind `action`. */
  done(text: string, undo: Step["undo"], action?: NoticeAction): void {
    this.#steps = [...this.#steps, { text, undo, doneAt: Date.now() }].slice(-maxSteps);
    this.#offerUndo(text, action);
  }

  /** The action that "Undo" would take back; undefined if the last minutes had no action. */
  get lastStep(): string | undefined {
    return this.#last()?.text;
  }

  #last(): Step | undefined {
    this.#steps = this.#steps.filter(({ doneAt }) => Date.now() - doneAt < undoableFor);
    return this.#steps.at(-1);
  }

  /** Undoes the last step; called again, the previous step. */
  undo(): Promise<void> {
    const undone = this.#undoing.then(() => this.#undoLast());
    this.#undoing = undone;
    return undone;
  }

  async #undoLast(): Promise<void> {
    const step = this.#last();
    if (!step) return this.show(firstTexts.notices.nothingToUndo);
    this.current.value = undefined;
    try {
      await step.undo();
      this.#steps = this.#steps.filter((each) => each !== step);
      this.#offerUndo(undoneText(step.text, this.lastStep));
    } catch (error) {
      this.show(await explain(error));
    }
  }

  #offerUndo(text: string, action?: NoticeAction): void {
    const undo = this.lastStep === undefined ? undefined : { name: firstTexts.undo, run: () => this.undo() };
    this.current.value = { text, actions: [action, undo] };
  }

  /** Forgets the steps, for example of a user who signs out. */
  forgetSteps(): void {
    this.#steps = [];
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
      {notice.actions?.map(
        (action) =>
          action && (
            <button
              type="button"
              class="plain strong"
              key={action.name}
              onClick={() => {
                close();
                void action.run();
              }}
            >
              {action.name}
            </button>
          ),
      )}
      <IconButton icon="close" name={firstTexts.close} onClick={close} />
    </div>
  );
}
