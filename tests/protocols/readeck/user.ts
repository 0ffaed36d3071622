// SPDX-License-Identifier: MIT

import type { TestUser } from "@reading-list/testing/client.ts";
import { ReadeckDevice } from "@reading-list/testing/readeck-device.ts";
import type { TestService } from "@reading-list/testing/test-service.ts";

/** A new user, with a device that has signed in with the account's password. */
export async function newReadeckUser(service: TestService): Promise<{ user: TestUser; device: ReadeckDevice }> {
  const user = await service.newUser();
  return { user, device: await ReadeckDevice.signIn(user) };
}
