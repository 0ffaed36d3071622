// SPDX-License-Identifier: MIT

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { explainFailure } from "./explain-failure.ts";
import { laterTexts } from "./later-texts.ts";
import { limitLength } from "./length-limit.ts";

type Task = (read: (field: string) => string, form: HTMLFormElement) => Promise<void>;

/** A form with a button, which shows why its task has failed. */
export function TaskForm({
  name,
  isDangerous = false,
  run,
  other,
  children,
}: {
  name: string;
  isDangerous?: boolean;
  run: Task;
  /** A second button, with another task. */
  other?: { name: string; run: Task } | undefined;
  children: ComponentChildren;
}) {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState("");
  async function submit(event: SubmitEvent) {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const fields = new FormData(form);
    setBusy(true);
    setError("");
    try {
      const isOther = (event.submitter as HTMLButtonElement | null)?.value === "other";
      await (isOther && other ? other.run : run)((field) => String(fields.get(field) ?? ""), form);
    } catch (failure) {
      setError(explainFailure(failure, laterTexts.failures.offline));
    }
    setBusy(false);
  }
  return (
    <form class="task" onSubmit={submit} aria-busy={isBusy}>
      {children}
      <button type="submit" class={isDangerous ? "danger" : "primary"} disabled={isBusy}>
        {name}
      </button>
      {other && (
        <button type="submit" value="other" disabled={isBusy}>
          {other.name}
        </button>
      )}
      <p class="error" role="alert">
        {error}
      </p>
    </form>
  );
}

export const Password = ({ name, label, isNew }: { name: string; label: string; isNew?: boolean }) => (
  <label>
    {label}
    <input
      name={name}
      type="password"
      autocomplete={isNew ? "new-password" : "current-password"}
      required
      {...limitLength(20)}
    />
  </label>
);
