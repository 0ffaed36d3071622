import { errorHeader } from "@reading-list/core/contract/headers.ts";
import type { Dependencies } from "@reading-list/core/ports.ts";
import { untouchedLimits } from "@reading-list/core/use-cases/admit-call.ts";
import { answerInWords, finishAnswer } from "./answer.ts";
import type { HttpAnswer } from "./call.ts";

/** Answers calls of paths and methods that no endpoint has: 404 with the headers of every other answer. */
export function createUnroutedHandler(deps: Pick<Dependencies, "clock" | "defaultLimits" | "windowSeconds">) {
  const message = "no such path or method; call the endpoints under /v2 with GET or POST";
  return async (): Promise<HttpAnswer> =>
    finishAnswer(answerInWords(404, { [errorHeader]: message }), untouchedLimits(deps));
}
