// SPDX-License-Identifier: MIT

import type { ReadingListClient } from "@reading-list/client/main.ts";
import { useState } from "preact/hooks";
import { useReader } from "../../data/reader.ts";
import { laterTexts } from "../../kit/later-texts.ts";
import { limitLength } from "../../kit/length-limit.ts";
import { TaskForm } from "../../kit/task-form.tsx";

const text = laterTexts.manage;

interface KoboDeviceProps {
  client: ReadingListClient;
  onChange(): Promise<void>;
}

/** Makes a sign-in for a Kobo e-reader, and shows the lines for its file of settings. */
export function KoboDevice({ client, onChange }: KoboDeviceProps) {
  const { notices } = useReader();
  const [settings, setSettings] = useState<string>();

  async function create(read: (field: string) => string, form: HTMLFormElement) {
    setSettings((await client.addKobo(read("serial"))).settings);
    form.reset();
    await onChange();
  }

  return (
    <>
      <p class="hint">{text.koboHint}</p>
      {settings !== undefined && (
        <div class="created" role="status">
          <p>{text.koboCreated}</p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it */}
          <pre tabIndex={0}>{settings}</pre>
          <p class="actions">
            <button
              type="button"
              onClick={() => void navigator.clipboard.writeText(settings).then(() => notices.show(text.copied))}
            >
              {text.copy}
            </button>
          </p>
          <p class="hint">{text.koboShop}</p>
        </div>
      )}
      <TaskForm name={text.koboCreate} run={create}>
        <label>
          {text.serial}
          <input name="serial" required {...limitLength(40)} autocomplete="off" spellcheck={false} />
        </label>
      </TaskForm>
    </>
  );
}
