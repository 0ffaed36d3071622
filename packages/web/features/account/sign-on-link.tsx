// SPDX-License-Identifier: MIT

import { useEffect, useState } from "preact/hooks";
import { useReader } from "../../data/reader.ts";
import { beginLink, isLinked, unlink } from "../../data/sign-on.ts";
import { laterTexts } from "../../kit/later-texts.ts";
import { TaskForm } from "../../kit/task-form.tsx";
import { say } from "../../kit/texts.ts";

const text = laterTexts.manage;

/** Whether single sign-on finds the user, and the way to change that. */
export function SignOnLink({ username, password, name }: { username: string; password: string; name: string }) {
  const { config } = useReader();
  const [linked, setLinked] = useState<boolean>();
  useEffect(() => {
    isLinked(config, { username, password }).then(setLinked, () => {});
  }, []);
  if (linked === undefined) return null;
  return (
    <>
      <h2>{text.signOn}</h2>
      <p class="hint">{say(linked ? text.linked : text.notLinked, { name })}</p>
      <TaskForm
        key={String(linked)}
        name={linked ? text.unlink : say(text.link, { name })}
        run={async () => {
          if (!linked) return beginLink(config, { username, password });
          if (!confirm(text.reallyUnlink)) return;
          await unlink(config, { username, password });
          setLinked(false);
        }}
      >
        {null}
      </TaskForm>
    </>
  );
}
