import { Effect } from "effect"
import type { Mode } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import type { Acquirers } from "../../ports/acquirer.ts"
import { type DueTimer, TimerQueue } from "../../ports/timerQueue.ts"

/** What is stored of the partner account with a new charge or withdrawal: in test no partner is ever asked of it. */
export const accountFor = (mode: Mode, acquirers: Acquirers["Service"]): { readonly account?: string } =>
  mode === "live" ? { account: acquirers.live.account } : {}

/** What is stored of a charge or withdrawal, as far as its partner account goes. */
interface OfAccount {
  readonly id: string
  readonly mode: Mode
  readonly account?: string
}

/**
 * Why nothing of a charge or withdrawal may be asked of the configured partner, or sent to it: it was made with another
 * account. Undefined where it may; one from before accounts were stored is taken for the configured one's.
 */
export const otherAccountReason = (
  stored: OfAccount,
  acquirers: Acquirers["Service"],
): string | undefined => {
  const configured = acquirers[stored.mode].account
  if (stored.account === undefined || stored.account === configured) return undefined
  return `${stored.id} was made with the partner account ${stored.account}, and ${configured} is configured`
}

/** Makes the program that lets the timer of such a charge or withdrawal wait, and says so in the log. */
export const makeWaitForAccount = Effect.gen(function* () {
  const timers = yield* TimerQueue
  return (timer: DueTimer, reason: string) =>
    Effect.andThen(
      Effect.logError(`${reason}: nothing of it is asked or sent until that account is configured again`),
      Effect.asVoid(timers.postpone(timer, limits.otherAccountWaitMillis)),
    )
})
