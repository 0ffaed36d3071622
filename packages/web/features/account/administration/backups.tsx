// SPDX-License-Identifier: MIT

import { useEffect } from "preact/hooks";
import { formatBytes } from "../../../kit/format-bytes.ts";
import { laterTexts, times } from "../../../kit/later-texts.ts";
import { TaskForm } from "../../../kit/task-form.tsx";
import { say } from "../../../kit/texts.ts";
import { type Ask, dateOf, Entry, Section, useAnswer } from "./section.tsx";

const text = laterTexts.operator;

/** Milliseconds after which a backup under way is asked about again. */
const askAgainMs = 2000;

export function Backups({ ask }: { ask: Ask }) {
  const { answer, failure, setAnswer, reload } = useAnswer(ask, "backups");
  const { configured, running, error } = answer?.fields ?? {};
  useEffect(() => {
    if (running !== "1") return;
    const timer = setTimeout(reload, askAgainMs);
    return () => clearTimeout(timer);
  }, [answer]);
  return (
    <Section title={text.backups} failure={failure || error || ""}>
      {configured === "0" && <p>{text.noBackups}</p>}
      {configured === "1" && (
        <>
          <p>
            {running === "1" ? text.backupRunning : say(text.numberOfBackups, { number: answer?.list.length ?? 0 })}
          </p>
          <ul class="devices">
            {answer?.list.slice(0, 5).map(({ id = "", time_created, bytes }) => (
              <Entry key={id} name={times.format(dateOf(time_created))} facts={`${formatBytes(Number(bytes))} · ${id}`}>
                {null}
              </Entry>
            ))}
          </ul>
          <TaskForm name={text.backUp} run={async () => setAnswer(await ask("backups", { write: "1" }))}>
            {null}
          </TaskForm>
        </>
      )}
    </Section>
  );
}
