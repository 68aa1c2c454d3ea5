import { Clock, Effect } from "effect"
import { resourceNotFound } from "../../../schema/errors.ts"
import { ExceptionStore, type StoredException } from "../../ports/exceptionStore.ts"
import { type ResolveRequest, resolveRefusal } from "../decisions/exceptionActs.ts"
import { operation, operationProgram, orUnavailable } from "../operation.ts"
import { makeAskBankFirst } from "../programs/askBankFirst.ts"
import { makeResolveException } from "../programs/resolveException.ts"

/** POST /v1/admin/exceptions/{id}/resolve (docs/contract/exceptions.md#resolve). */
export interface ResolveExceptionRequest extends ResolveRequest {
  readonly exceptionId: string
}

interface Message {
  readonly exception: StoredException
  readonly sellerId: string
  readonly request: ResolveRequest
  /** The acquirer's id of the money that left, where it was asked. */
  readonly bankReference: string | undefined
}

/** Resolves an exception as an operator asks. One that has no seller needs no actor: nobody else decides on it in order. */
export const resolveException = operation(
  "resolveException",
  Effect.gen(function* () {
    const exceptions = yield* ExceptionStore
    const resolve = yield* makeResolveException
    const askBankFirst = yield* makeAskBankFirst
    return operationProgram({
      sellerOf: ({ sellerId }: Message) => sellerId,
      lane: () => undefined,
      run: ({ exception, request, bankReference }, seller) =>
        Effect.flatMap(seller.freshTimeOf(exception.mode), (time) =>
          resolve(exception.id, request, { settings: seller.settings, time, bankReference }),
        ),
      call: ({ exceptionId, ...request }: ResolveExceptionRequest, { ask }) =>
        Effect.gen(function* () {
          const exception = yield* exceptions.load(exceptionId)
          if (exception === undefined) return yield* resourceNotFound("exception", exceptionId)
          const refused = resolveRefusal(exception, request)
          if (refused !== undefined) return yield* refused
          const bankReference = yield* askBankFirst(exception, request)
          const { sellerId } = exception
          if (sellerId !== undefined) {
            return yield* orUnavailable(ask({ exception, sellerId, request, bankReference }))
          }
          const time = { nowMillis: yield* Clock.currentTimeMillis, offsetMillis: 0 }
          return yield* resolve(exceptionId, request, { settings: undefined, time, bankReference })
        }),
    })
  }),
)
