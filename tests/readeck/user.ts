import { newName, TestUser } from "@reading-list/testing/client.ts";
import { ReadeckDevice } from "@reading-list/testing/readeck-device.ts";
import type { TestService } from "@reading-list/testing/test-service.ts";

/** A new user with a device that calls Readeck's API. */
export async function newReadeckUser(service: TestService): Promise<{ user: TestUser; device: ReadeckDevice }> {
  const user = new TestUser(service, newName(), "secret");
  await user.ok("signup");
  return {
    user,
    device: new ReadeckDevice(user, `${user.credentials.username}.secret`),
  };
}
