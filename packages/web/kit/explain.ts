// SPDX-License-Identifier: MIT

import { firstTexts } from "./texts.ts";

/** The same as `explainFailure`, in code of the first load: it is loaded when something fails. */
export const explain = (failure: unknown): Promise<string> =>
  import("./explain-failure.ts").then(
    ({ explainFailure }) => explainFailure(failure),
    () => firstTexts.notices.failed,
  );
