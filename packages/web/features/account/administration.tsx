// SPDX-License-Identifier: MIT

import type { OperatorAnswer, OperatorEndpoint, ReadingListClient } from "@reading-list/client/main.ts";
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useReader } from "../../data/reader.ts";
import { Dialog } from "../../kit/dialog.tsx";
import { dates, laterTexts, times } from "../../kit/later-texts.ts";
import { say } from "../../kit/texts.ts";

const text = laterTexts.operator;

import { explainFailure } from "../../kit/explain-failure.ts";
import { formatBytes } from "../../kit/format-bytes.ts";
import { limitLength } from "../../kit/length-limit.ts";
import { TaskForm } from "../../kit/task-form.tsx";
import { CreatedSecret } from "./created-secret.tsx";

const dateOf = (seconds = "0") => new Date(Number(seconds) * 1000);

/** Users of one page. */
const usersAtOnce = 50;
/** Milliseconds after which a backup under way is asked about again. */
const askAgainMs = 2000;

type Ask = (endpoint: OperatorEndpoint, parameters?: Record<string, string>) => Promise<OperatorAnswer>;

/** What an operator does with users, apps and the service (docs/api.md 13); `client` has the account's own password. */
export function Administration({ client, onClose }: { client: ReadingListClient; onClose(): void }) {
  const { notices } = useReader();
  const [links, setLinks] = useState(0);
  const ask: Ask = (endpoint, parameters) => client.callOperator(endpoint, parameters);
  /** A step that a button begins. */
  const attempt = (task: () => Promise<unknown>) =>
    task().catch((failure) => {
      notices.show(explainFailure(failure));
    });
  return (
    <Dialog title={text.title} onClose={onClose}>
      <Users {...{ ask, attempt }} onLink={() => setLinks(links + 1)} />
      <Links {...{ ask, attempt }} changes={links} />
      <Keys {...{ ask, attempt }} />
      <Backups ask={ask} />
      <Maintenance ask={ask} />
      <State ask={ask} />
    </Dialog>
  );
}

interface SectionProps {
  ask: Ask;
  attempt(task: () => Promise<unknown>): Promise<unknown>;
}

/** The answer of an endpoint, and the way to ask for it anew, as if `changes` is another number. */
function useAnswer(ask: Ask, endpoint: OperatorEndpoint, parameters?: Record<string, string>, changes = 0) {
  const [answer, setAnswer] = useState<OperatorAnswer>();
  const [failure, setFailure] = useState("");
  const [turn, setTurn] = useState(0);
  const key = JSON.stringify(parameters);
  useEffect(() => {
    let isOutdated = false;
    ask(endpoint, parameters).then(
      (found) => isOutdated || setAnswer(found),
      (error) => isOutdated || setFailure(explainFailure(error)),
    );
    return () => {
      isOutdated = true;
    };
  }, [key, turn, changes]);
  return { answer, failure, setAnswer, reload: () => setTurn(turn + 1) };
}

function Section({ title, failure, children }: { title: string; failure: string; children: ComponentChildren }) {
  return (
    <section class="administered">
      <h3>{title}</h3>
      {failure && (
        <p class="error" role="alert">
          {failure}
        </p>
      )}
      {children}
    </section>
  );
}

/** An entry of a list, with its buttons. */
const Entry = ({ name, facts, children }: { name: string; facts: string; children: ComponentChildren }) => (
  <li>
    <span class="device">
      <strong>{name}</strong>
      <small>{facts}</small>
    </span>
    <span class="buttons">{children}</span>
  </li>
);

function Users({ ask, attempt, onLink }: SectionProps & { onLink(): void }) {
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

function Links({ ask, attempt, changes }: SectionProps & { changes: number }) {
  const { answer, failure, reload } = useAnswer(ask, "links", undefined, changes);
  const [link, setLink] = useState<string>();
  return (
    <Section title={text.links} failure={failure}>
      <p class="hint">{text.linksHint}</p>
      <ul class="devices">
        {answer?.list.map(({ id = "", kind, username = "", expires }) => {
          const name = kind === "password" ? say(text.resetFor, { username }) : text.invitation;
          return (
            <Entry key={id} name={name} facts={say(text.until, { time: times.format(dateOf(expires)) })}>
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

function Keys({ ask, attempt }: SectionProps) {
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
            say(text.since, { date: dates.format(dateOf(time_created)) }),
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

function Backups({ ask }: { ask: Ask }) {
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

function Maintenance({ ask }: { ask: Ask }) {
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

function State({ ask }: { ask: Ask }) {
  const { answer, failure } = useAnswer(ask, "state");
  const { version = "", node = "", items, articles, ...sizes } = answer?.fields ?? {};
  return (
    <Section title={text.service} failure={failure}>
      {answer && (
        <>
          <p>{say(text.versions, { version, node })}</p>
          <p>
            {say(text.stored, {
              items: Number(items),
              articles: Number(articles),
              bytes: formatBytes(Number(sizes.database_bytes)),
            })}
          </p>
          <p>
            {sizes.time_backup === "0"
              ? text.neverBackedUp
              : say(text.lastBackup, { time: times.format(dateOf(sizes.time_backup)) })}
          </p>
        </>
      )}
    </Section>
  );
}
