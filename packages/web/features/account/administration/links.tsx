// SPDX-License-Identifier: MIT

import { useState } from "preact/hooks";
import { laterTexts, times } from "../../../kit/later-texts.ts";
import { TaskForm } from "../../../kit/task-form.tsx";
import { say } from "../../../kit/texts.ts";
import { CreatedSecret } from "../created-secret.tsx";
import { Entry, parseDate, Section, type SectionProps, useAnswer } from "./section.tsx";

const text = laterTexts.operator;

export function Links({ ask, attempt, changes }: SectionProps & { changes: number }) {
  const { answer, failure, reload } = useAnswer(ask, "links", undefined, changes);
  const [link, setLink] = useState<string>();
  return (
    <Section title={text.links} failure={failure}>
      <p class="hint">{text.linksHint}</p>
      <ul class="devices">
        {answer?.list.map(({ id = "", kind, username = "", expires }) => {
          const name = kind === "password" ? say(text.resetFor, { username }) : text.invitation;
          return (
            <Entry key={id} name={name} facts={say(text.until, { time: times.format(parseDate(expires)) })}>
              <button
                type="button"
                aria-label={say(text.revokeOf, { name })}
                onClick={() => attempt(() => ask("links", { revoke: id })).then(reload)}
              >
                {text.revoke}
              </button>
            </Entry>
          );
        })}
      </ul>
      {link && <CreatedSecret hint={text.inviteHint} secret={link} />}
      <TaskForm
        name={text.invite}
        run={async (read) => {
          setLink((await ask("links", { create: "signup", days: read("days") })).fields.url);
          reload();
        }}
      >
        <label>
          {text.days}
          <input name="days" type="number" min={1} max={30} defaultValue="7" required />
        </label>
      </TaskForm>
    </Section>
  );
}
