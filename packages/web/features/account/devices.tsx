// SPDX-License-Identifier: MIT

import type { AppPassword, ReadingListClient } from "@reading-list/client/main.ts";
import { useState } from "preact/hooks";
import { useReader } from "../../data/reader.ts";
import { explainFailure } from "../../kit/explain-failure.ts";
import { dates, laterTexts } from "../../kit/later-texts.ts";
import { limitLength } from "../../kit/length-limit.ts";
import { TaskForm } from "../../kit/task-form.tsx";
import { language, say } from "../../kit/texts.ts";
import { CreatedSecret } from "./created-secret.tsx";

const text = laterTexts.manage;
/** Days of use are in UTC. */
const day = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeZone: "UTC" });

const showEnd = (end: Date) => say(+end > Date.now() ? text.expires : text.expired, { date: dates.format(end) });

interface DevicesProps {
  client: ReadingListClient;
  devices: readonly AppPassword[];
  onChange(): Promise<void>;
}

/** The sign-ins of a user, and the form that makes one. */
export function Devices({ client, devices, onChange }: DevicesProps) {
  const { account, notices } = useReader();
  const [created, setCreated] = useState<string>();

  async function create(read: (field: string) => string, form: HTMLFormElement) {
    const { password } = await client.createAppPassword(read("name"), read("reads") === "on" ? { scope: "read" } : {});
    setCreated(password);
    form.reset();
    await onChange();
  }
  async function revoke({ id, name }: AppPassword) {
    if (!confirm(say(text.reallyRevoke, { name }))) return;
    try {
      await client.revokeAppPassword(id);
      await onChange();
    } catch (failure) {
      notices.show(explainFailure(failure));
    }
  }

  return (
    <>
      <p class="hint">{text.devicesHint}</p>
      {devices.length === 0 && <p>{text.noDevices}</p>}
      <ul class="devices">
        {devices.map((device) => (
          <li key={device.id}>
            <span class="device">
              <strong>{device.name}</strong>
              {device.id === account.remembered.id && <em>{text.thisBrowser}</em>}
              <small>
                {say(text.created, { date: dates.format(device.createdAt) })}{" "}
                {device.usedAt ? say(text.used, { date: day.format(device.usedAt) }) : text.unused}
                {device.scope !== "full" && ` ${text.scopes[device.scope]}`}
                {device.expiresAt && ` ${showEnd(device.expiresAt)}`}
              </small>
            </span>
            <button type="button" aria-label={say(text.revokeOf, { name: device.name })} onClick={() => revoke(device)}>
              {text.revoke}
            </button>
          </li>
        ))}
      </ul>
      {created !== undefined && <CreatedSecret hint={text.createdHint} secret={created} />}
      <TaskForm name={text.create} run={create}>
        <label>
          {text.name}
          <input name="name" required {...limitLength(60)} autocomplete="off" placeholder={text.nameExample} />
        </label>
        <label class="check">
          <input type="checkbox" name="reads" />
          {text.onlyReads}
        </label>
      </TaskForm>
    </>
  );
}
