// SPDX-License-Identifier: MIT

import { useState } from "preact/hooks";
import { laterTexts } from "../../../kit/later-texts.ts";
import { limitLength } from "../../../kit/length-limit.ts";
import { TaskForm } from "../../../kit/task-form.tsx";
import { say } from "../../../kit/texts.ts";
import { type Ask, Section } from "./section.tsx";

const text = laterTexts.operator;

export function Mail({ ask }: { ask: Ask }) {
  const [failure, setFailure] = useState("");
  const [sent, setSent] = useState("");
  return (
    <Section title={text.mail} failure={failure}>
      <p class="hint">{text.mailHint}</p>
      <p role="status">{sent}</p>
      <TaskForm
        name={text.sendTestMail}
        run={async (read) => {
          setFailure("");
          setSent("");
          const to = read("to");
          const { error = "" } = (await ask("mail", { to })).fields;
          setFailure(error);
          if (!error) setSent(say(text.mailSent, { address: to }));
        }}
      >
        <label>
          {text.mailAddress}
          <input name="to" type="email" required {...limitLength(254)} autocomplete="email" />
        </label>
      </TaskForm>
    </Section>
  );
}
