// SPDX-License-Identifier: MIT

import { mailLimits } from "@reading-list/core/domain/mail-limits.ts";
import { useState } from "preact/hooks";
import { useReader } from "../../data/reader.ts";
import { askForCode, confirmRecipient, readRecipients, sendBook, storeRecipients } from "../../data/recipients.ts";
import type { Session } from "../../data/session.ts";
import { Dialog } from "../../kit/dialog.tsx";
import { IconButton } from "../../kit/icons.tsx";
import { laterTexts } from "../../kit/later-texts.ts";
import { TaskForm } from "../../kit/task-form.tsx";
import { say } from "../../kit/texts.ts";

const text = laterTexts.sendTo;

interface SendDialogProps {
  url: string;
  session: Session;
  onClose(): void;
}

/** Mails an article to an e-reader whose address its owner has confirmed. */
export function SendDialog({ url, session, onClose }: SendDialogProps) {
  const { notices } = useReader();
  const [recipients, setRecipients] = useState(() => readRecipients(session));
  const [asked, setAsked] = useState<string>();
  const change = (changed: typeof recipients) => {
    storeRecipients(session, changed);
    setRecipients(changed);
  };
  return (
    <Dialog title={text.title} onClose={onClose}>
      {recipients.map((recipient) => (
        <div key={recipient.address} class="recipient">
          <TaskForm
            name={say(text.send, { address: recipient.address })}
            run={async () => {
              await sendBook(session, recipient, url);
              notices.show(say(text.sent, { address: recipient.address }));
              onClose();
            }}
          >
            {null}
          </TaskForm>
          <IconButton
            icon="delete"
            name={say(text.remove, { address: recipient.address })}
            onClick={() => change(recipients.filter((each) => each !== recipient))}
          />
        </div>
      ))}
      {asked === undefined ? (
        <TaskForm
          name={text.ask}
          run={async (read) => {
            await askForCode(session, read("address").trim());
            setAsked(read("address").trim());
          }}
        >
          <label>
            {text.address}
            <input name="address" type="email" required autocomplete="off" spellcheck={false} dir="ltr" />
          </label>
          <p class="hint">{text.hint}</p>
        </TaskForm>
      ) : (
        <TaskForm
          key={asked}
          name={text.confirm}
          run={async (read) => {
            const confirmed = await confirmRecipient(session, asked, read("code"));
            change([...recipients.filter(({ address }) => address !== asked), confirmed]);
            setAsked(undefined);
          }}
          other={{ name: text.otherAddress, run: async () => setAsked(undefined) }}
        >
          <p role="status">{say(text.asked, { address: asked })}</p>
          <label>
            {text.code}
            <input name="code" inputMode="numeric" autocomplete="one-time-code" dir="ltr" />
          </label>
        </TaskForm>
      )}
      <p class="hint">{say(text.limits, { mails: mailLimits.ofUser, codes: mailLimits.codesToRecipient })}</p>
    </Dialog>
  );
}
