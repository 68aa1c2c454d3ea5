import { Clock, Duration, Effect, Fiber, Redacted } from "effect"
import { TestClock } from "effect/testing"
import type { ChargeQuery, ChargeRequest, PayoutRequest } from "../../actors/ports/acquirer.ts"
import { type ApiPixOptions, makeApiPix } from "../../src/acquirers/apiPix/apiPix.ts"
import { type BankName, bankProfiles } from "../../src/acquirers/apiPix/bankProfiles.ts"
import { type Psp, type PspOptions, startPsp } from "./psp.ts"

/** A PSP for the duration of the scope. */
export const openPsp = (options?: PspOptions) =>
  Effect.acquireRelease(
    Effect.promise(() => startPsp(options)),
    (psp) => Effect.promise(() => psp.close()),
  )

/** The options under which the adapter uses a PSP, by the profile of a bank. */
export const optionsOf = (psp: Psp, bankName: BankName = "efi"): ApiPixOptions => {
  const bank = bankProfiles[bankName]
  return {
    baseUrl: psp.baseUrl,
    tokenUrl: psp.tokenUrl,
    clientId: psp.clientId,
    clientSecret: bank.hasClientSecret ? Redacted.make(psp.clientSecret) : undefined,
    ...psp.pem,
    pixKey: psp.pixKey,
    bank,
    appKey: bank.hasAppKey ? Redacted.make(psp.appKey) : undefined,
    headers: undefined,
  }
}

/** A PSP and an adapter that uses it. */
export const openApiPix = (changes: Partial<ApiPixOptions> = {}, pspOptions?: PspOptions) =>
  Effect.gen(function* () {
    const psp = yield* openPsp(pspOptions)
    return { psp, acquirer: yield* makeApiPix({ ...optionsOf(psp, pspOptions?.bank), ...changes }) }
  })

/** Sleeps up to this are pauses between tries; longer ones are deadlines. */
const pauseMillisMax = 4_999

/**
 * Runs an effect under a clock that skips the pauses between tries and records them, and stands still for deadlines.
 * Returns the value and the pauses, in ms.
 */
export const skippingPauses = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  TestClock.testClockWith((testClock) => {
    const pauses: Array<number> = []
    const sleep: Clock.Clock["sleep"] = (duration) => {
      const millis = Duration.toMillis(duration)
      if (millis > pauseMillisMax) return testClock.sleep(duration)
      pauses.push(millis)
      return testClock.adjust(duration)
    }
    return effect.pipe(
      Effect.provideService(Clock.Clock, { ...testClock, sleep }),
      Effect.map((value) => ({ value, pauses })),
    )
  })

/** Runs an effect, and moves the clock by `millis` as soon as the PSP has `count` requests that begin with `beginning`. */
export const passing = <A, E, R>(
  psp: Psp,
  beginning: string,
  count: number,
  millis: number,
  effect: Effect.Effect<A, E, R>,
) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(effect)
    yield* Effect.promise(() => psp.waitFor(beginning, count))
    yield* TestClock.adjust(millis)
    return yield* Fiber.join(fiber)
  })

export const txid = "a1B2".repeat(8)

export const chargeOf = (changes: Partial<ChargeRequest> = {}): ChargeRequest => ({
  txid,
  amount: 12_990,
  expiresInSeconds: 3_600,
  customer: { name: "Ana Souza", document: "12345678909" },
  ...changes,
})

export const queryOf = (changes: Partial<ChargeQuery> = {}): ChargeQuery => ({
  txid,
  amount: 12_990,
  status: "pending",
  endToEndId: null,
  noticedEndToEndId: undefined,
  ageMillis: 60_000,
  ...changes,
})

export const payoutOf = (changes: Partial<PayoutRequest> = {}): PayoutRequest => ({
  payoutId: "01KB2N4Y8Q6ZJ5T7R9W3X1V0SD",
  amount: 5_000,
  pixKey: { type: "email", value: "ana@example.com" },
  description: "Saque de novembro",
  ...changes,
})
