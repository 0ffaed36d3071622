// SPDX-License-Identifier: MIT

import { laterTexts } from "../../../kit/later-texts.ts";
import { TaskForm } from "../../../kit/task-form.tsx";
import { say } from "../../../kit/texts.ts";
import { type Ask, Section, useAnswer } from "./section.tsx";

const text = laterTexts.operator;

export function Maintenance({ ask }: { ask: Ask }) {
  const { answer, failure, setAnswer } = useAnswer(ask, "maintenance");
  const isOn = answer?.fields.maintenance === "1";
  return (
    <Section title={text.maintenance} failure={failure}>
      <p class="hint">{text.maintenanceHint}</p>
      {isOn && <p role="status">{say(text.inMaintenance, { text: answer.fields.text ?? "" })}</p>}
      {answer && (
        <TaskForm
          key={String(isOn)}
          name={isOn ? text.endMaintenance : text.beginMaintenance}
          isDangerous={!isOn}
          run={async (read) => setAnswer(await ask("maintenance", isOn ? { end: "1" } : { begin: read("text") }))}
        >
          {!isOn && (
            <label>
              {text.maintenanceText}
              <input name="text" required maxlength={200} autocomplete="off" placeholder={text.maintenanceExample} />
            </label>
          )}
        </TaskForm>
      )}
    </Section>
  );
}
