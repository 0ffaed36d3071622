// SPDX-License-Identifier: MIT

import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { useReader } from "../../../data/reader.ts";
import { formatBytes } from "../../../kit/format-bytes.ts";
import { Icon } from "../../../kit/icons.tsx";
import { dates, laterTexts } from "../../../kit/later-texts.ts";
import { formatNumber, say } from "../../../kit/texts.ts";
import { CreatedSecret } from "../created-secret.tsx";
import { parseDate, Section, type SectionProps, useAnswer } from "./section.tsx";

const text = laterTexts.operator;

/** Users of one page. */
const usersAtOnce = 50;
/** Milliseconds. */
const afterTyping = 300;

export function Users({ ask, attempt, onLink }: SectionProps & { onLink(): void }) {
  const { config } = useReader();
  const [page, setPage] = useState(1);
  const [search, setSearch] = useState("");
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const parameters = { count: String(usersAtOnce), page: String(page), search };
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
      <input
        type="search"
        aria-label={text.searchUsers}
        placeholder={text.searchUsers}
        maxlength={20}
        autocapitalize="none"
        onInput={({ currentTarget: { value } }) => {
          clearTimeout(timer.current);
          timer.current = setTimeout(() => {
            setSearch(value.trim().toLowerCase());
            setPage(1);
          }, afterTyping);
        }}
      />
      <table class="users">
        <thead>
          <tr>
            {[text.user, text.pagesOf, text.copiesOf, text.created].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
            <td />
          </tr>
        </thead>
        <tbody>
          {answer?.list.map(({ id = "", state, operator, ...user }) => (
            <tr key={id}>
              <th scope="row">
                <bdi>{id}</bdi>
                {operator === "1" && <small>{text.operator}</small>}
                {state !== "active" && <small>{text.states[state as "deleting" | "moving"]}</small>}
              </th>
              <td data-name={text.pagesOf}>{formatNumber(Number(user.count_unread) + Number(user.count_read))}</td>
              <td data-name={text.copiesOf}>{formatBytes(Number(user.article_bytes))}</td>
              <td data-name={text.created}>{dates.format(parseDate(user.time_created))}</td>
              <td>
                <RowMenu name={say(text.actionsFor, { name: id })}>
                  {state === "active" && (
                    <button
                      type="button"
                      class="plain"
                      aria-label={say(text.resetOf, { name: id })}
                      onClick={() => reset(id)}
                    >
                      {text.reset}
                    </button>
                  )}
                  <button
                    type="button"
                    class="plain danger"
                    aria-label={say(text.deleteOf, { name: id })}
                    onClick={() => remove(id)}
                  >
                    {text.delete}
                  </button>
                </RowMenu>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
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

/** Actions on a row, which stand below their button. */
function RowMenu({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y: a click on one of its buttons closes it, and so does the key of the button
    <details
      class="row-menu"
      name="row-menu"
      onClick={({ currentTarget, target }) => {
        if ((target as Element).closest("button")) currentTarget.open = false;
      }}
    >
      <summary aria-label={name} title={name}>
        <Icon name="more" />
      </summary>
      <div class="menu">{children}</div>
    </details>
  );
}
