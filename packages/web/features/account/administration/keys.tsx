// SPDX-License-Identifier: MIT

import { useState } from "preact/hooks";
import { dates, laterTexts } from "../../../kit/later-texts.ts";
import { limitLength } from "../../../kit/length-limit.ts";
import { TaskForm } from "../../../kit/task-form.tsx";
import { say } from "../../../kit/texts.ts";
import { CreatedSecret } from "../created-secret.tsx";
import { Entry, parseDate, Section, type SectionProps, useAnswer } from "./section.tsx";

const text = laterTexts.operator;

export function Keys({ ask, attempt }: SectionProps) {
  const { answer, failure, reload } = useAnswer(ask, "keys");
  const [key, setKey] = useState<string>();
  return (
    <Section title={text.keys} failure={failure}>
      <p class="hint">{text.keysHint}</p>
      <ul class="devices">
        {answer?.list.map(({ id = "", name = "", state, calls, time_created }) => {
          const isEnabled = state === "enabled";
          const facts = [
            ...(isEnabled ? [] : [text.disabled]),
            say(text.calls, { number: Number(calls) }),
            say(text.since, { date: dates.format(parseDate(time_created)) }),
          ];
          return (
            <Entry key={id} name={name} facts={facts.join(" · ")}>
              {/* This page calls the service with it. */}
              {id !== "web" && (
                <button
                  type="button"
                  aria-label={say(isEnabled ? text.disableOf : text.enableOf, { name })}
                  onClick={() => {
                    if (isEnabled && !confirm(say(text.reallyDisable, { name }))) return;
                    void attempt(() => ask("keys", { [isEnabled ? "disable" : "enable"]: id })).then(reload);
                  }}
                >
                  {isEnabled ? text.disable : text.enable}
                </button>
              )}
            </Entry>
          );
        })}
      </ul>
      {key && <CreatedSecret hint={text.keyHint} secret={key} />}
      <TaskForm
        name={text.createKey}
        run={async (read, form) => {
          setKey((await ask("keys", { create: read("name") })).fields.key);
          form.reset();
          reload();
        }}
      >
        <label>
          {text.keyName}
          <input name="name" required {...limitLength(50)} autocomplete="off" placeholder={text.keyExample} />
        </label>
      </TaskForm>
    </Section>
  );
}
