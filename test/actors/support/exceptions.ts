import { Effect } from "effect"
import { ExceptionStore, type NewException } from "../../../actors/ports/exceptionStore.ts"
import { exceptionOfNobody, readException } from "../../../actors/seller/decisions/exceptionDocument.ts"
import type { ExceptionAct, ExceptionKind, ExceptionState } from "../../../schema/resources/exception.ts"
import type { Process } from "./process.ts"
import { startMillis } from "./store.ts"

/** All exceptions in a state, oldest first. */
export const exceptionsNow = (state?: ExceptionState) =>
  Effect.gen(function* () {
    const page = { state, kind: undefined, beforeId: undefined, limit: 1_000 }
    const found = yield* (yield* ExceptionStore).list(page)
    return found.map(readException).reverse()
  })

/** The only exception; dies where there are others or none. */
export const onlyException = Effect.flatMap(exceptionsNow(), (found) => {
  const [only] = found
  return only !== undefined && found.length === 1
    ? Effect.succeed(only)
    : Effect.die(new Error(`${found.length} exceptions: ${found.map(({ kind }) => kind).join(", ")}`))
})

/** Kinds and states of all exceptions, sorted: those of one millisecond are listed in any order. */
export const kindsNow = Effect.map(exceptionsNow(), (found) =>
  found.map(({ kind, state }) => `${kind} ${state}`).sort(),
)

export const first = "operator-1"
export const second = "operator-2"

interface ResolveOptions {
  readonly sellerId?: string
  readonly operatorId?: string
  readonly isWithoutBank?: boolean
}

/** Asks for an act, by default as the first operator. */
export const resolve = (
  process: Process,
  exceptionId: string,
  act: ExceptionAct,
  { sellerId, operatorId = first, isWithoutBank }: ResolveOptions = {},
) =>
  process.commands.resolveException({
    ...{ exceptionId, act, reason: `to ${act}`, sellerId, operatorId, isWithoutBank },
  })

/** Records an exception that is about nothing of ours, as a sweep does; answers its id. */
export const openUnknown = (
  kind: Extract<ExceptionKind, "payment_unknown" | "payout_unknown"> = "payment_unknown",
  amount = 500,
  partitions = 1,
) =>
  Effect.gen(function* () {
    const found = { kind, about: "E9", acquirer: "elsewhere", amount, details: { end_to_end_id: "E9" } }
    const exception: NewException = exceptionOfNobody(found, "elsewhere:1", partitions, startMillis)
    return (yield* (yield* ExceptionStore).open(exception)).id
  })
