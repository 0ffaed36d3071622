// SPDX-License-Identifier: MIT

import { ServiceError } from "@reading-list/core/errors.ts";

/** The error of a job whose worker cannot start, or has exited: a failure of the service, not of the page. */
export const workerFailed = () =>
  new ServiceError("unavailable", "the service failed; try again in a few seconds", { retryAfter: 5 });
