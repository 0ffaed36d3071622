// SPDX-License-Identifier: MIT

import { auth } from "../../contract/auth.ts";
import { defineEndpoint, noOperation } from "../use-case.ts";

export const endpoint = defineEndpoint({ contract: auth, useCase: noOperation });
