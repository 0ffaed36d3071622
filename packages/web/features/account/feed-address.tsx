// SPDX-License-Identifier: MIT

import type { ReadingListClient } from "@reading-list/client/main.ts";
import { useState } from "preact/hooks";
import { useReader } from "../../data/reader.ts";
import { laterTexts } from "../../kit/later-texts.ts";
import { TaskForm } from "../../kit/task-form.tsx";
import { CreatedSecret } from "./created-secret.tsx";

const text = laterTexts.manage;

interface FeedAddressProps {
  client: ReadingListClient;
  username: string;
  onChange(): Promise<void>;
}

/** Makes the address of a feed. Its secret gives access to nothing else. */
export function FeedAddress({ client, username, onChange }: FeedAddressProps) {
  const { config } = useReader();
  const [address, setAddress] = useState<string>();

  async function create() {
    const { password } = await client.createAppPassword(text.feed, { scope: "feed" });
    setAddress(new URL(`feeds/${username}.${password}.atom`, config.baseUrl).href);
    await onChange();
  }

  return (
    <>
      <p class="hint">{text.feedHint}</p>
      {address !== undefined && <CreatedSecret hint={text.feedCreated} secret={address} />}
      <TaskForm name={text.createFeed} run={create}>
        {null}
      </TaskForm>
    </>
  );
}
