// SPDX-License-Identifier: MIT

import type { z } from "zod";
import type { EndpointContract } from "../../contract/endpoint.ts";
import { ServiceError } from "../../errors.ts";
import type { Dependencies, OperatorPorts } from "../../ports/dependencies.ts";
import type { AnswerFields, Caller, Endpoint } from "../use-case.ts";

/** The ports that the work of an operator has. */
export type WorkPorts = OperatorPorts & Pick<Dependencies, "clock" | "keyWindows" | "signatureKey">;

const notOperator = () => new ServiceError("notOperator", "only an administrator may do this");

/** An endpoint of operators. Nothing of its work begins before the caller is known as one. */
export function defineOperatorEndpoint<C extends EndpointContract>(
  contract: C,
  work: (deps: WorkPorts, input: z.output<C["input"]>, caller: Caller) => Promise<AnswerFields | undefined>,
): Endpoint<C & { caller: "user" }, AnswerFields | undefined, WorkPorts> {
  return {
    contract: { ...contract, caller: "user" },
    useCase: {
      begin: (deps, input) => async (caller) => {
        if (!(await deps.administration.isOperator(caller.user))) throw notOperator();
        return work(deps, input, caller);
      },
    },
    writeFields: (answer) => answer,
  };
}
