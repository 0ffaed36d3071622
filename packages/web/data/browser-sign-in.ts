// SPDX-License-Identifier: MIT

import { deviceName, type StoredPassword } from "@reading-list/client/device-password.ts";
import type { Credentials } from "./replicas.ts";

/** A sign-in that the service has made for this browser. `stays`: the user chose "Stay signed in". */
export type BrowserSignIn = Credentials & StoredPassword & { stays: boolean };

const secondsOfDay = 86_400;

/** The name and the end of a sign-in of this browser, as the service takes them. */
export const toBrowserFields = (stays: boolean): Record<string, string> => ({
  name: deviceName(stays ? "Web reader" : "Web reader tab"),
  ...(!stays && { seconds: String(secondsOfDay) }),
});
