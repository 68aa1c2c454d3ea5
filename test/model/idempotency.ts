import type { IdempotencyAnswer, IdempotencyScope } from "../../actors/values/idempotency.ts"
import type { AccessRefusal, Principal } from "../../actors/values/principal.ts"
import { limits } from "../../schema/limits.ts"
import { accessRefusal } from "./access.ts"
import type { IdempotencyRecord, MemoryState } from "./state.ts"

const recordName = (
  principal: Pick<Principal, "sellerId" | "mode">,
  { route, key }: Pick<IdempotencyScope, "route" | "key">,
): string => JSON.stringify([principal.sellerId, principal.mode, route, key])

/** The record under a key, if it has not expired. */
export const recordOf = (
  state: MemoryState,
  nowMillis: number,
  principal: Principal,
  scope: IdempotencyScope,
): IdempotencyRecord | undefined => {
  const name = recordName(principal, scope)
  const found = state.idempotency.get(name)
  if (found === undefined || found.expiresAtMillis > nowMillis) return found
  state.idempotency.delete(name)
  return undefined
}

/** Writes the record under a key; it is kept for a day. */
export const writeRecord = (
  state: MemoryState,
  nowMillis: number,
  principal: Principal,
  scope: IdempotencyScope,
  recordState: IdempotencyRecord["state"],
): void => {
  state.idempotency.set(recordName(principal, scope), {
    fingerprint: scope.fingerprint,
    executionId: scope.executionId,
    expiresAtMillis: nowMillis + limits.idempotencyRetentionMillis,
    state: recordState,
  })
}

/** Changes when a record expires. */
export const expireRecord = (
  state: MemoryState,
  owner: Pick<Principal, "sellerId" | "mode">,
  scope: Pick<IdempotencyScope, "route" | "key">,
  expiresAtMillis: number,
): void => {
  const name = recordName(owner, scope)
  const found = state.idempotency.get(name)
  if (found !== undefined) state.idempotency.set(name, { ...found, expiresAtMillis })
}

/** This execution has already written: only its reply was lost. */
export interface DoneByUs {
  readonly kind: "doneByUs"
  readonly status: number
  readonly body: string
}

/**
 * The checks of every write under a key, in order: API key, seller, then the record of the `Idempotency-Key`.
 * Undefined: go on.
 */
export const checkRequest = (
  state: MemoryState,
  nowMillis: number,
  principal: Principal,
  scope: IdempotencyScope,
): AccessRefusal | IdempotencyAnswer | DoneByUs | undefined => {
  const refusal = accessRefusal(state, nowMillis, principal)
  if (refusal !== undefined) return refusal
  const record = recordOf(state, nowMillis, principal, scope)
  if (record === undefined) return undefined
  if (record.fingerprint !== scope.fingerprint) return { kind: "mismatch" }
  const isOurs = record.executionId === scope.executionId
  if (record.state.kind === "done") {
    const { status, body } = record.state
    return { kind: isOurs ? "doneByUs" : "replay", status, body }
  }
  return isOurs || record.state.leaseUntilMillis <= nowMillis ? undefined : { kind: "inProgress" }
}
