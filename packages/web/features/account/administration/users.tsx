// SPDX-License-Identifier: MIT

import { useState } from "preact/hooks";
import { useReader } from "../../../data/reader.ts";
import { formatBytes } from "../../../kit/format-bytes.ts";
import { dates, laterTexts } from "../../../kit/later-texts.ts";
import { say } from "../../../kit/texts.ts";
import { CreatedSecret } from "../created-secret.tsx";
import { dateOf, Entry, Section, type SectionProps, useAnswer } from "./section.tsx";

const text = laterTexts.operator;

/** Users of one page. */
const usersAtOnce = 50;

export function Users({ ask, attempt, onLink }: SectionProps & { onLink(): void }) {
  const { config } = useReader();
  const [page, setPage] = useState(1);
  const parameters = { count: String(usersAtOnce), page: String(page) };
  const { answer, failure, reload } = useAnswer(ask, "users", parameters);
  const [link, setLink] = useState<string>();
  const total = Number(answer?.fields.total ?? 0);
  const last = Math.max(1, Math.ceil(total / usersAtOnce));
  const reset = (user: string) =>
    attempt(async () => {
      setLink((await ask("links", { create: "password", user })).fields.url);
      onLink();
    });
  const remove = (user: string) => {
    const typed = prompt(say(text.reallyDelete, { name: user }));
    if (typed !== user) return;
    void attempt(() => ask("users", { delete: user, confirm: user })).then(reload);
  };
  return (
    <Section title={say(text.users, { number: total })} failure={failure}>
      <ul class="devices">
        {answer?.list.map(({ id = "", state, operator, ...user }) => (
          <Entry
            key={id}
            name={id}
            facts={[
              ...(operator === "1" ? [text.operator] : []),
              ...(state === "active" ? [] : [text.states[state as "deleting" | "moving"]]),
              say(text.pages, { number: Number(user.count_unread) + Number(user.count_read) }),
              say(text.kept, { bytes: formatBytes(Number(user.article_bytes)) }),
              say(text.since, { date: dates.format(dateOf(user.time_created)) }),
            ].join(" · ")}
          >
            {state === "active" && (
              <button type="button" aria-label={say(text.resetOf, { name: id })} onClick={() => reset(id)}>
                {text.reset}
              </button>
            )}
            <button
              type="button"
              class="danger"
              aria-label={say(text.deleteOf, { name: id })}
              onClick={() => remove(id)}
            >
              {text.delete}
            </button>
          </Entry>
        ))}
      </ul>
      {link && <CreatedSecret hint={text.resetHint} secret={link} />}
      {last > 1 && (
        <p class="actions">
          <button type="button" disabled={page === 1} onClick={() => setPage(page - 1)}>
            {text.previous}
          </button>
          <button type="button" disabled={page === last} onClick={() => setPage(page + 1)}>
            {text.next}
          </button>
        </p>
      )}
      <p class="hint">{config.isSignupOpen ? text.signupOpen : text.signupClosed}</p>
    </Section>
  );
}
