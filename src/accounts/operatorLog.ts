import { Context, type Effect, Layer } from "effect"
import { makeOperatorLogStore } from "../store/operatorLog/operatorLogStore.ts"

/**
 * What operators did. An act is appended after its checks and before it is made: where the process dies in between, the
 * log names one act too many, and never one too few (`docs/decisions/0064-operator-acts-logged-first.md`).
 */
export class OperatorLog extends Context.Service<OperatorLog, Effect.Success<typeof makeOperatorLogStore>>()(
  "corrente/accounts/OperatorLog",
) {}

export const OperatorLogLive = Layer.effect(OperatorLog, makeOperatorLogStore)
