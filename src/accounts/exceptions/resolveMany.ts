import { Context, Effect, Layer } from "effect"
import { ExceptionStore, type StoredException } from "../../../actors/ports/exceptionStore.ts"
import { type ResolveRequest, readPending } from "../../../actors/seller/decisions/exceptionActs.ts"
import { readException } from "../../../actors/seller/decisions/exceptionDocument.ts"
import type { ErrorCode } from "../../../schema/errorCodes.ts"
import { type ApiError, validationFailed } from "../../../schema/errors.ts"
import { isId, makeId } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import { actsOfKind, type ExceptionKind } from "../../../schema/resources/exception.ts"
import { ResolveExceptions } from "./resolveExceptions.ts"

/** What became of the exceptions of a call; `awaiting`: a second operator is to make the same call. */
export interface ResolvedMany {
  readonly resolved: number
  readonly awaiting: ReadonlyArray<string>
  readonly failed: ReadonlyArray<{ readonly id: string; readonly code: ErrorCode }>
}

type Outcome = "resolved" | "awaiting" | ErrorCode

/** What a call says of all its exceptions. */
type Wanted = Pick<ResolveRequest, "act" | "reason" | "sellerId" | "operatorId">

/** A call for many exceptions: by their ids, or all of a kind that were created before a moment, in ms. */
export interface ResolveManyRequest extends Wanted {
  readonly ids: ReadonlyArray<string> | undefined
  readonly kind: ExceptionKind | undefined
  readonly createdBeforeMillis: number | undefined
}

/** Why a call names no exceptions, or names them twice: 400 `validation_failed`. */
const callRefusal = ({
  ids,
  kind,
  createdBeforeMillis,
  act,
  reason,
}: ResolveManyRequest): ApiError<"validation_failed"> | undefined => {
  if (reason.trim() === "") return validationFailed("reason", "Say why, for the books.")
  if (ids !== undefined) {
    if (kind === undefined && createdBeforeMillis === undefined) return undefined
    return validationFailed("ids", "Name the exceptions by ids, or by kind and created_before, not by both.")
  }
  if (kind === undefined) {
    return createdBeforeMillis === undefined
      ? validationFailed("ids", "Name the exceptions by ids, or by kind and created_before.")
      : validationFailed("kind", "Say which kind was created before then.")
  }
  if (createdBeforeMillis === undefined) {
    return validationFailed("created_before", "Say until when: exceptions created later are left out.")
  }
  const acts = actsOfKind[kind]
  if (acts.includes(act)) return undefined
  return validationFailed("act", `A ${kind} has no act '${act}', but ${acts.join(", ")}.`)
}

/** Whether the operator has done this act already, or it is under way: then a repeated call counts it as done. */
const isDoneBefore = (stored: StoredException, { act, reason, operatorId }: Wanted): boolean => {
  const pending = readPending(stored)
  if (pending?.stage === "going") {
    return pending.act === act && pending.reason === reason && pending.operator_ids.includes(operatorId)
  }
  const before = readException(stored)
  return (
    before.act === act &&
    before.reason === reason &&
    before.resolved_by?.split(",").includes(operatorId) === true
  )
}

const isUnderWay = (stored: StoredException): boolean => readPending(stored)?.stage === "going"

const makeResolveMany = Effect.gen(function* () {
  const exceptions = yield* ExceptionStore
  const { resolve } = yield* ResolveExceptions

  /** The newest open exceptions of a kind that were created before a moment, without those whose act is under way. */
  const openBefore = Effect.fnUntraced(function* (kind: ExceptionKind, beforeMillis: number) {
    const found: Array<string> = []
    let beforeId = makeId("exc_", beforeMillis, 0, new Uint8Array(14))
    while (found.length < limits.exceptionsPerCallMax) {
      const page = { state: "open", kind, beforeId, limit: limits.exceptionsPerCallMax } as const
      const stored = yield* exceptions.list(page)
      found.push(...stored.filter((one) => !isUnderWay(one)).map(({ id }) => id))
      if (stored.length < limits.exceptionsPerCallMax) break
      beforeId = stored.at(-1)?.id ?? beforeId
    }
    return found.slice(0, limits.exceptionsPerCallMax)
  })

  const idsOf = ({ ids, kind, createdBeforeMillis }: ResolveManyRequest) =>
    kind === undefined || createdBeforeMillis === undefined
      ? Effect.succeed([...new Set(ids)])
      : openBefore(kind, createdBeforeMillis)

  const resolveOne = Effect.fnUntraced(function* (exceptionId: string, wanted: Wanted) {
    const stored = isId("exc_", exceptionId) ? yield* exceptions.load(exceptionId) : undefined
    if (stored !== undefined && isDoneBefore(stored, wanted)) return "resolved"
    const answer = resolve({ ...wanted, exceptionId, isWithoutBank: undefined })
    return yield* Effect.matchEffect(answer, {
      onSuccess: ({ kind }) =>
        Effect.succeed<Outcome>(kind === "awaitingSecondOperator" ? "awaiting" : "resolved"),
      onFailure: (error) =>
        error._tag === "ApiError" ? Effect.succeed<Outcome>(error.code) : Effect.fail(error),
    })
  })

  /**
   * Does one act on many exceptions, each as by itself: what is refused of one leaves the others as they are. Where the process dies in
   * between, the same call does the rest (docs/contract/exceptions.md#many-at-once). 400 `validation_failed` where it names them wrongly.
   */
  const resolveMany = Effect.fnUntraced(function* (request: ResolveManyRequest) {
    const refused = callRefusal(request)
    if (refused !== undefined) return yield* refused
    const { act, reason, sellerId, operatorId } = request
    const wanted = { act, reason, sellerId, operatorId }
    const ids = yield* idsOf(request)
    // Where the bank does not answer about one, it is not asked about the rest.
    let isBankAway = false
    const outcomes = yield* Effect.forEach(
      ids,
      Effect.fnUntraced(function* (id) {
        const outcome: Outcome = isBankAway ? "service_unavailable" : yield* resolveOne(id, wanted)
        isBankAway ||= outcome === "service_unavailable"
        return { id, outcome }
      }),
      { concurrency: limits.exceptionsAtOnceMax },
    )
    const answer: ResolvedMany = {
      resolved: outcomes.filter(({ outcome }) => outcome === "resolved").length,
      awaiting: outcomes.flatMap(({ id, outcome }) => (outcome === "awaiting" ? [id] : [])),
      failed: outcomes.flatMap(({ id, outcome }) =>
        outcome === "resolved" || outcome === "awaiting" ? [] : [{ id, code: outcome }],
      ),
    }
    return answer
  })
  return { resolveMany }
})

/** What operators do about many exceptions at once (`docs/contract/exceptions.md#many-at-once`). */
export class ResolveMany extends Context.Service<ResolveMany, Effect.Success<typeof makeResolveMany>>()(
  "corrente/accounts/ResolveMany",
) {}

export const ResolveManyLive = Layer.effect(ResolveMany, makeResolveMany)
