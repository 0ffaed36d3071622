// SPDX-License-Identifier: MIT

import { laterTexts, times } from "../../../kit/later-texts.ts";
import { TaskForm } from "../../../kit/task-form.tsx";
import { say } from "../../../kit/texts.ts";
import { type Ask, Entry, parseDate, Section, useAnswer, useRepeated } from "./section.tsx";

const text = laterTexts.operator;

export function Checks({ ask }: { ask: Ask }) {
  const { answer, failure, setAnswer, reload } = useAnswer(ask, "checks");
  const { running, error, time_checked = "0" } = answer?.fields ?? {};
  useRepeated(running === "1", reload, answer);
  return (
    <Section title={text.checks} failure={failure || error || ""}>
      <p class="hint">{text.checksHint}</p>
      <p role="status">
        {running === "1"
          ? text.checksRunning
          : time_checked !== "0" && say(text.checked, { time: times.format(parseDate(time_checked)) })}
      </p>
      {running !== "1" && (
        <ul class="devices">
          {answer?.list.map(({ id = "", state, finding = "" }) => {
            const name = text.checkNames[id as keyof typeof text.checkNames] ?? id;
            return (
              <Entry key={id} name={state === "ok" ? name : `${text.fault}: ${name}`} facts={finding} lang="en">
                {null}
              </Entry>
            );
          })}
        </ul>
      )}
      <TaskForm name={text.runChecks} run={async () => setAnswer(await ask("checks", { run: "1" }))}>
        {null}
      </TaskForm>
    </Section>
  );
}
