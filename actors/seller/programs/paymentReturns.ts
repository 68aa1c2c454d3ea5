import { Clock, Effect } from "effect"
import type { PaymentReport } from "../../ports/acquirer.ts"
import { ExceptionStore, type StoredException } from "../../ports/exceptionStore.ts"
import { exceptionBeside, factOf, readException } from "../decisions/exceptionDocument.ts"
import { makeEndAct } from "./exceptionProgress.ts"

/** Whether the Pix of an exception was credited or still may be: no operator has refunded or dismissed it. */
const mayBeCredited = (exception: StoredException): boolean =>
  exception.state === "open"
    ? !("claimed_by" in readException(exception).details)
    : readException(exception).act === "credit"

/**
 * Makes the program that records, once each, what the bank took back of a Pix that paid no charge and that an exception has credited,
 * or may credit (docs/contract/exceptions.md#kinds). What the exception's own refund sent back resolves it instead.
 */
export const makeOpenReturns = Effect.gen(function* () {
  const exceptions = yield* ExceptionStore
  const end = yield* makeEndAct

  return Effect.fnUntraced(function* (
    exception: StoredException,
    { endToEndId, refunds }: Pick<PaymentReport, "endToEndId" | "refunds">,
  ) {
    if (!mayBeCredited(exception)) return
    const ownIds = exception.id.slice("exc_".length)
    for (const { id, amount, status, kind, reason } of refunds) {
      if (status !== "done") continue
      if (id.startsWith(ownIds)) {
        if (yield* end.refundFound(exception.id, id)) return
        // A restored backup forgot that it was sent back, and an operator has credited it since.
        if (readException(exception).act !== "credit") continue
      }
      const about = `${endToEndId}:${id}`
      const found = {
        kind: "payment_returned" as const,
        about,
        acquirer: readException(exception).acquirer,
        amount,
        details: {
          end_to_end_id: endToEndId,
          return_id: id,
          return_kind: kind,
          exception_id: exception.id,
          ...(reason === undefined ? {} : { reason }),
        },
      }
      const opened = yield* exceptions.open(exceptionBeside(found, exception, yield* Clock.currentTimeMillis))
      if (opened.kind === "opened") {
        yield* Effect.logError(`exception ${opened.id}: ${factOf("payment_returned", about)}`)
      }
    }
  })
})
