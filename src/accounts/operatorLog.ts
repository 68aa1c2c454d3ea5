import { Context, type Effect, Layer } from "effect"
import { makeOperatorLogStore } from "../store/audit/operatorLogStore.ts"

/**
 * What operators did. An act is appended after its checks and before it is made: where the process dies in between, the
 * log names one act too many, and never one too few (`docs/decisions/0064-operator-acts-logged-first.md`).
 */
export class Audit extends Context.Service<Audit, Effect.Success<typeof makeOperatorLogStore>>()(
  "corrente/accounts/Audit",
) {}

export const AuditLive = Layer.effect(Audit, makeOperatorLogStore)
