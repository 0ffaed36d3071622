// SPDX-License-Identifier: MIT

import { formatBytes } from "../../../kit/format-bytes.ts";
import { laterTexts, times } from "../../../kit/later-texts.ts";
import { TaskForm } from "../../../kit/task-form.tsx";
import { say } from "../../../kit/texts.ts";
import { Entry, parseDate, Section, type SectionProps, useAnswer, useRepeated } from "./section.tsx";

const text = laterTexts.operator;

export function Backups({ ask, attempt }: SectionProps) {
  const { answer, failure, setAnswer, reload } = useAnswer(ask, "backups");
  const { configured, running, error } = answer?.fields ?? {};
  useRepeated(running === "1", reload, answer);
  const download = (id: string) =>
    attempt(async () => location.assign((await ask("backups", { download: id })).fields.url ?? ""));
  return (
    <Section title={text.backups} failure={failure || error || ""}>
      {configured === "0" && <p>{text.noBackups}</p>}
      {configured === "1" && (
        <>
          <p>
            {running === "1" ? text.backupRunning : say(text.numberOfBackups, { number: answer?.list.length ?? 0 })}
          </p>
          <ul class="devices">
            {answer?.list.slice(0, 5).map(({ id = "", time_created, bytes }) => {
              const time = times.format(parseDate(time_created));
              return (
                <Entry key={id} name={time} facts={`${formatBytes(Number(bytes))} · ${id}`}>
                  <button type="button" aria-label={say(text.downloadOf, { time })} onClick={() => download(id)}>
                    {text.download}
                  </button>
                </Entry>
              );
            })}
          </ul>
          <TaskForm name={text.backUp} run={async () => setAnswer(await ask("backups", { write: "1" }))}>
            {null}
          </TaskForm>
        </>
      )}
    </Section>
  );
}
