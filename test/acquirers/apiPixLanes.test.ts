import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { limits } from "../../schema/limits.ts"
import type { Psp } from "../support/psp.ts"
import { chargeOf, openApiPix, payoutOf, queryOf, txid } from "../support/pspClient.ts"

const txidOf = (number: number) => `c${String(number).padStart(31, "0")}`
const hangingCount = 320

/** A connection has seconds of real time: so many are made at once. */
const waveLength = 16

/**
 * Starts calls that the PSP does not answer, and returns once as many of them hang there as their lane has sockets for,
 * `hangingMax`; the others wait for a socket.
 */
const hang = <A, E>(
  psp: Psp,
  beginning: string,
  hangingMax: number,
  call: (index: number) => Effect.Effect<A, E>,
  count = hangingCount,
) =>
  Effect.forEach(
    Array.from({ length: count }, (_, index) => index),
    Effect.fn(function* (index) {
      const fiber = yield* Effect.forkChild(call(index))
      const started = index + 1
      if (started % waveLength === 0 || started === count) {
        yield* Effect.promise(() => psp.waitFor(beginning, Math.min(started, hangingMax)))
      }
      return fiber
    }),
  )

// The test clock stands still, so whatever waits for a hanging call waits forever.
describe("calls that hang at the PSP", () => {
  it.effect(`${hangingCount} hanging charge queries hold up neither payouts nor a new charge`, () =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix()
      psp.fail("GET /cob", { kind: "silent" }, Number.POSITIVE_INFINITY)
      const asking = yield* hang(psp, "GET /cob", limits.acquirerSocketsMax, (index) =>
        acquirer.queryCharge(queryOf({ txid: txidOf(index) })),
      )

      const { payoutId, amount } = payoutOf()
      expect(yield* acquirer.queryPayout({ payoutId, amount })).toEqual({ status: "unknown" })
      expect(yield* acquirer.sendPayout(payoutOf())).toMatchObject({ status: "processing" })
      expect(yield* acquirer.createCharge(chargeOf())).toMatchObject({ location: expect.any(String) })
      expect(psp.requestsOf("GET /cob")).toHaveLength(limits.acquirerSocketsMax)
      yield* Fiber.interruptAll(asking)
    }),
  )

  it.effect("hanging new charges hold up neither payouts nor charge queries", () =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix()
      psp.fail("PUT /cob", { kind: "silent" }, Number.POSITIVE_INFINITY)
      const creating = yield* hang(psp, "PUT /cob", limits.acquirerCreationSocketsMax, (index) =>
        acquirer.createCharge(chargeOf({ txid: txidOf(index) })),
      )

      expect(yield* acquirer.sendPayout(payoutOf())).toMatchObject({ status: "processing" })
      const query = queryOf({ txid: txidOf(hangingCount) })
      expect(yield* acquirer.queryCharge(query)).toMatchObject({ payments: [] })
      expect(yield* acquirer.queryCharge({ ...query, noticedEndToEndId: "E1" })).toMatchObject({
        payments: [],
      })
      yield* Fiber.interruptAll(creating)
    }),
  )

  it.effect("refund queries that hang hold up no new refund, and refunds that hang no payout", () =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix()
      const refundOf = (number: number) => ({ endToEndId: "E1", refundId: `r${number}`, amount: 1 })
      psp.fail("GET /pix/E1", { kind: "silent" }, Number.POSITIVE_INFINITY)
      const asking = yield* hang(psp, "GET /pix/E1", limits.acquirerSocketsMax, (index) =>
        acquirer.queryRefund(refundOf(index)),
      )
      yield* acquirer.createCharge(chargeOf())
      const paid = { endToEndId: psp.pay(txid), refundId: "r1", amount: 1 }
      expect(yield* acquirer.refund(paid)).toMatchObject({ status: "processing" })

      psp.fail("PUT /pix/E2", { kind: "silent" }, Number.POSITIVE_INFINITY)
      const sending = yield* hang(psp, "PUT /pix/E2", limits.acquirerSocketsMax, (index) =>
        acquirer.refund({ ...refundOf(index), endToEndId: "E2" }),
      )
      expect(yield* acquirer.sendPayout(payoutOf())).toMatchObject({ status: "processing" })
      yield* Fiber.interruptAll([...asking, ...sending])
    }),
  )

  it.effect("hanging charge queries do not hold up a new token", () =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix()
      psp.fail("GET /cob", { kind: "silent" }, Number.POSITIVE_INFINITY)
      const asking = yield* hang(psp, "GET /cob", limits.acquirerSocketsMax, (index) =>
        acquirer.queryCharge(queryOf({ txid: txidOf(index) })),
      )
      psp.revokeTokens()

      const { payoutId, amount } = payoutOf()
      expect(yield* acquirer.queryPayout({ payoutId, amount })).toEqual({ status: "unknown" })
      expect(psp.requestsOf("POST /oauth/token")).toHaveLength(2)
      yield* Fiber.interruptAll(asking)
    }),
  )

  it.effect("one seller's hanging new charges leave room for other sellers", () =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix()
      const seller = limits.acquirerCallsPerSellerMax
      psp.fail("PUT /cob", { kind: "silent" }, seller)
      const creating = yield* hang(
        psp,
        "PUT /cob",
        seller,
        (index) => acquirer.createCharge(chargeOf({ txid: txidOf(index) })),
        seller,
      )

      expect(yield* acquirer.createCharge(chargeOf())).toMatchObject({ location: expect.any(String) })
      yield* Fiber.interruptAll(creating)
    }),
  )
})
