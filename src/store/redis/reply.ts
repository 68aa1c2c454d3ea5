import { Effect } from "effect"
import type { IdempotencyAnswer } from "../../../actors/values/idempotency.ts"
import type { AccessRefusal } from "../../../actors/values/principal.ts"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import { unexpectedReply } from "./functionLibrary.ts"
import type { LuaFunction } from "./luaFunction.ts"
import type { Reply } from "./redisClient.ts"

/** A function's reply as strings: the first word is the kind, the rest its data. */
export const words = (reply: Reply): ReadonlyArray<string> =>
  Array.isArray(reply) ? reply.map((word) => (word === null ? "" : String(word))) : [String(reply)]

/** HGETALL's reply as a record. */
export const readHash = (reply: unknown): Readonly<Record<string, string>> => {
  const values = (reply ?? []) as ReadonlyArray<string>
  const record: Record<string, string> = {}
  for (let i = 0; i + 1 < values.length; i += 2) record[values[i] ?? ""] = values[i + 1] ?? ""
  return record
}

/** The refusals that all writes under an API key and an Idempotency-Key share (`requests.check` of requests.lua). */
const requestRefusal = (reply: ReadonlyArray<string>): IdempotencyAnswer | AccessRefusal | undefined => {
  switch (reply[0]) {
    case "key_invalid":
      return { kind: "keyInvalid" }
    case "seller_not_allowed":
      return { kind: "sellerNotAllowed" }
    case "kyc_required":
      return { kind: "kycRequired" }
    case "mismatch":
      return { kind: "mismatch" }
    case "in_progress":
      return { kind: "inProgress" }
    case "replay":
      return { kind: "replay", status: Number(reply[1]), body: reply[2] ?? "" }
    default:
      return undefined
  }
}

/** Ms until something is due; undefined if the reply has -1 for never. */
export const dueIn = (word: string | undefined): number | undefined => {
  const millis = Number(word ?? -1)
  return millis < 0 ? undefined : millis
}

/** Reads a reply that is one of a few words; `kinds` maps Lua's words to ours. */
export const readKind =
  <K extends string>(called: LuaFunction, kinds: Readonly<Record<string, K>>) =>
  (reply: Reply): Effect.Effect<{ readonly kind: K }, StoreUnavailable> => {
    const kind = kinds[words(reply)[0] ?? ""]
    return kind === undefined ? Effect.fail(unexpectedReply(called, reply)) : Effect.succeed({ kind })
  }

/** Reads the reply of a write under an Idempotency-Key: what `success` makes of it, or a shared refusal. */
export const readAnswer =
  <A>(called: LuaFunction, success: (reply: ReadonlyArray<string>) => A | undefined) =>
  (reply: Reply): Effect.Effect<A | IdempotencyAnswer | AccessRefusal, StoreUnavailable> => {
    const answer = words(reply)
    const result = success(answer) ?? requestRefusal(answer)
    return result === undefined ? Effect.fail(unexpectedReply(called, reply)) : Effect.succeed(result)
  }

/** Reads the reply of a creation that is decided on stored state: `created`, `stale`, or a shared refusal. */
export const readCreation = (called: LuaFunction) =>
  readAnswer(called, ([word]) => {
    if (word === "created") return { kind: "created" } as const
    return word === "stale" ? ({ kind: "stale" } as const) : undefined
  })
