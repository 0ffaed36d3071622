import { errorHeader } from "@reading-list/core/contract/headers.ts";
import type { Dependencies } from "@reading-list/core/ports.ts";
import { untouchedLimits } from "@reading-list/core/use-cases/admit-call.ts";
import { answerInWords, finishAnswer } from "./answer.ts";
import type { HttpAnswer, HttpRequest } from "./call.ts";

/**
 * Answers calls of paths and methods that no endpoint has: 404 with the headers of every other answer. A preflight that
 * the gateway hands on instead of answering it gets what the gateway adds its CORS headers to.
 */
export function createUnroutedHandler(deps: Pick<Dependencies, "clock" | "defaultLimits" | "windowSeconds">) {
  const message = "no such path or method; call the endpoints under /v2 with GET or POST";
  return async ({ headers, requestContext }: HttpRequest): Promise<HttpAnswer> =>
    requestContext.http.method === "OPTIONS" && headers["access-control-request-method"]
      ? { statusCode: 204, headers: {}, body: "" }
      : finishAnswer(answerInWords(404, { [errorHeader]: message }), untouchedLimits(deps));
}
