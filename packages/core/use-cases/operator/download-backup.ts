// SPDX-License-Identifier: MIT

import * as z from "zod";
import { openSigned, signValue } from "../../domain/signed-text.ts";
import { ServiceError } from "../../errors.ts";
import { unixTime } from "../../ports/clock.ts";
import type { Dependencies, OperatorPorts } from "../../ports/dependencies.ts";
import type { BackupContent } from "../../ports/operator.ts";

/** The path of the main host at which a backup is downloaded. */
export const pathOfDownload = "/v2/operator/backup";

/** Seconds in which a browser begins to download. */
const linkSeconds = 60;

export type DownloadPorts = Pick<OperatorPorts, "backups"> & Pick<Dependencies, "clock" | "signatureKey">;

const link = z.object({ address: z.string(), at: z.number() });

const downloadKey = ({ signatureKey }: DownloadPorts) => signatureKey("download of a backup");

/** The address of a backup for a browser, which sends no password with it. It opens one encrypted file, for a minute. */
export const linkToBackup = (deps: DownloadPorts, serviceUrl: string, address: string): string =>
  `${serviceUrl}${pathOfDownload}?link=${signValue(downloadKey(deps), { address, at: unixTime(deps.clock) })}`;

/** The backup of such an address. Throws `linkExpired` for another one, `notFound` if the backup is gone. */
export async function openBackup(deps: DownloadPorts, query: string): Promise<BackupContent> {
  const { data } = link.safeParse(openSigned(downloadKey(deps), new URLSearchParams(query).get("link") ?? ""));
  if (!data || data.at < unixTime(deps.clock) - linkSeconds) {
    throw new ServiceError("unauthorized", "this link has expired; create another one", { code: "link_expired" });
  }
  const content = await deps.backups?.open(data.address);
  if (!content) throw new ServiceError("notFound", "the backup no longer exists");
  return content;
}
