// SPDX-License-Identifier: MIT

import { api } from "../../contract/api.ts";
import { defineEndpoint, noOperation } from "../use-case.ts";

export const endpoint = defineEndpoint({ contract: api, useCase: noOperation });
