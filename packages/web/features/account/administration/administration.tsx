// SPDX-License-Identifier: MIT

import type { ReadingListClient } from "@reading-list/client/main.ts";
import { useState } from "preact/hooks";
import { useReader } from "../../../data/reader.ts";
import { explainFailure } from "../../../kit/explain-failure.ts";
import { laterTexts } from "../../../kit/later-texts.ts";
import { Screen } from "../../../kit/screen.tsx";
import { Backups } from "./backups.tsx";
import { Checks } from "./checks.tsx";
import { Keys } from "./keys.tsx";
import { Links } from "./links.tsx";
import { Mail } from "./mail.tsx";
import { Maintenance } from "./maintenance.tsx";
import type { SectionProps } from "./section.tsx";
import { Shares } from "./shares.tsx";
import { State } from "./state.tsx";
import { Users } from "./users.tsx";

/** The administration of users, apps and the service (docs/api.md 13). `client` has the account's own password. */
export function Administration({ client, onClose }: { client: ReadingListClient; onClose(): void }) {
  const { notices, config } = useReader();
  const [links, setLinks] = useState(0);
  const ask: SectionProps["ask"] = (endpoint, parameters) => client.callOperator(endpoint, parameters);
  const attempt: SectionProps["attempt"] = (task) =>
    task().catch((failure) => {
      notices.show(explainFailure(failure));
    });
  return (
    <Screen title={laterTexts.operator.title} onClose={onClose}>
      <State ask={ask} />
      <Users ask={ask} attempt={attempt} onLink={() => setLinks(links + 1)} />
      <Links ask={ask} attempt={attempt} changes={links} />
      <Keys ask={ask} attempt={attempt} />
      {config.canShare && <Shares ask={ask} attempt={attempt} />}
      <Backups ask={ask} attempt={attempt} />
      {config.sendsMail && <Mail ask={ask} />}
      <Checks ask={ask} />
      <Maintenance ask={ask} />
    </Screen>
  );
}
