import { Effect } from "effect"
import { Acquirers } from "../../ports/acquirer.ts"
import type { StoredException } from "../../ports/exceptionStore.ts"
import { pixCountsElsewhere } from "../decisions/exceptionActs.ts"
import { readException } from "../decisions/exceptionDocument.ts"
import { makeClaimPix } from "./claimPix.ts"

/**
 * Makes the program that claims the Pix of an exception before it is credited: 409 `invalid_state` where a charge or another exception
 * has it (docs/contract/exceptions.md#one-pix-one-use). A Pix that the acquirer did not name cannot be claimed.
 */
export const makeClaimForCredit = Effect.gen(function* () {
  const acquirers = yield* Acquirers
  const claimPix = yield* makeClaimPix

  return Effect.fnUntraced(function* (stored: StoredException) {
    const { end_to_end_id: endToEndId } = readException(stored).details
    if (stored.mode === "test" || typeof endToEndId !== "string") return
    const account = stored.account ?? acquirers.live.account
    const holder = yield* claimPix({ account, endToEndId }, stored.id)
    if (holder === stored.id) return
    return yield* pixCountsElsewhere(stored, "credited", holder)
  })
})
