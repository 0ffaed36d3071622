// SPDX-License-Identifier: MIT

import { spawn } from "node:child_process";
import { SettingsError, SetupError } from "@reading-list/core/errors.ts";
import { startService } from "./service.ts";
import { withSettings } from "./settings-file.ts";

// On Ctrl-C the signal comes twice: from the terminal, and from npm, which forwards it.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, stopOnce);

/** EX_CONFIG of sysexits: the unit does not start the service again then. */
const wrongSettings = 78;

let isStopping = false;
const starting = startWithFiles();

/** The variables of files, such as credentials of AWS, are for libraries, too. */
async function startWithFiles() {
  process.env = withSettings(process.env);
  return startService(process.env);
}

async function stopOnce(): Promise<void> {
  if (isStopping) return;
  isStopping = true;
  const { stop } = await starting;
  await stop();
  process.exit(0);
}

try {
  const { baseUrl, textUrl, readerUrl, metricsUrl, apiKey, isApiKeyShown, operatorLink, failure, stop } =
    await starting;
  const lines = [
    `reading list at ${baseUrl}`,
    `text view at ${textUrl}`,
    ...(isApiKeyShown ? [`API key ${apiKey}`] : []),
    ...(readerUrl ? [`web reader at ${readerUrl}`] : []),
    ...(metricsUrl ? [`metrics at ${metricsUrl}`] : []),
  ];
  console.log(lines.join("\n"));
  // Node has no datagrams to sockets of the file system.
  if (process.env.NOTIFY_SOCKET)
    spawn("systemd-notify", ["--ready"], { stdio: "ignore" }).on("error", ({ message }) => console.error(message));
  // On standard error, which is what systemd keeps.
  if (operatorLink) console.error(`No administrator yet. Open ${operatorLink} to create the first account.`);
  failure.then(async ({ message }) => {
    console.error(
      `the database could not be written to disk (${message}); stopping, so that the service can be restarted`,
    );
    await stop();
    process.exit(1);
  });
} catch (error) {
  console.error(error instanceof SetupError ? error.message : error);
  process.exit(error instanceof SettingsError ? wrongSettings : 1);
}
