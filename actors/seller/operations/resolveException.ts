import { Clock, Effect } from "effect"
import { resourceNotFound } from "../../../schema/errors.ts"
import { ExceptionStore, type StoredException } from "../../ports/exceptionStore.ts"
import type { ResolveRequest } from "../decisions/exceptionActs.ts"
import { operation, operationProgram, orUnavailable } from "../operation.ts"
import { makeResolveException } from "../programs/resolveException.ts"

/** POST /v1/admin/exceptions/{id}/resolve (docs/contract/exceptions.md#resolve). */
export interface ResolveExceptionRequest extends ResolveRequest {
  readonly exceptionId: string
}

interface Message {
  readonly exception: StoredException
  readonly sellerId: string
  readonly request: ResolveRequest
}

/** Resolves an exception as an operator asks. One that has no seller needs no actor: nobody else decides on it in order. */
export const resolveException = operation(
  "resolveException",
  Effect.gen(function* () {
    const exceptions = yield* ExceptionStore
    const resolve = yield* makeResolveException
    return operationProgram({
      sellerOf: ({ sellerId }: Message) => sellerId,
      lane: () => undefined,
      run: ({ exception, request }, seller) =>
        Effect.flatMap(seller.freshTimeOf(exception.mode), (time) =>
          resolve(exception.id, request, { settings: seller.settings, time }),
        ),
      call: ({ exceptionId, ...request }: ResolveExceptionRequest, { ask }) =>
        Effect.gen(function* () {
          const exception = yield* exceptions.load(exceptionId)
          if (exception === undefined) return yield* resourceNotFound("exception", exceptionId)
          const { sellerId } = exception
          if (sellerId !== undefined) return yield* orUnavailable(ask({ exception, sellerId, request }))
          const time = { nowMillis: yield* Clock.currentTimeMillis, offsetMillis: 0 }
          return yield* resolve(exceptionId, request, { settings: undefined, time })
        }),
    })
  }),
)
