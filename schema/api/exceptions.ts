import { Schema } from "effect"
import { HttpApiGroup, OpenApi } from "effect/http-api"
import {
  Exception,
  exceptionKinds,
  exceptionStates,
  ResolvedExceptions,
  ResolveException,
  ResolveManyExceptions,
} from "../resources/exception.ts"
import { idParams, pageOf, pageQuery } from "./common.ts"
import { AwaitingSecondOperator, operatorDecision, operatorErrors } from "./operatorDecision.ts"
import { route } from "./route.ts"
import { OperatorAuth } from "./security.ts"

const decision = operatorDecision(ResolveException, [Exception, AwaitingSecondOperator])

/** Operators see and resolve what acquirers' books say differently from ours. */
export const exceptionsGroup = HttpApiGroup.make("exceptions")
  .add(
    route.get("listExceptions", "/v1/admin/exceptions", {
      summary: "Exceptions of all sellers and of none, newest first; by default those of every state",
      query: {
        ...pageQuery,
        state: Schema.optionalKey(Schema.Literals(exceptionStates)).annotateKey({
          description: "Only those in this state.",
        }),
        kind: Schema.optionalKey(Schema.Literals(exceptionKinds)).annotateKey({
          description: "Only those of this kind.",
        }),
      },
      success: pageOf(Exception),
      errors: ["validation_failed", "invalid_cursor", ...operatorErrors],
    }),
    route.get("getException", "/v1/admin/exceptions/:id", {
      summary: "An exception as it is now",
      params: idParams,
      success: Exception,
      errors: ["validation_failed", ...operatorErrors, "resource_not_found"],
    }),
    route.post("resolveException", "/v1/admin/exceptions/:id/resolve", {
      ...decision,
      summary: "Resolve an exception by one of its kind's acts",
    }),
    route.post("resolveManyExceptions", "/v1/admin/exceptions/resolve", {
      payload: ResolveManyExceptions,
      success: [ResolvedExceptions, AwaitingSecondOperator],
      errors: decision.errors.filter((code) => code !== "resource_not_found" && code !== "invalid_state"),
      summary: "Resolve up to 500 exceptions by one act, each as by itself",
    }),
  )
  .middleware(OperatorAuth)
  .annotate(
    OpenApi.Description,
    "What an acquirer's books say differently from ours, and what operators do about it.",
  )
