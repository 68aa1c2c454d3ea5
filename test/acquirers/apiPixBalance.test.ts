import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { bankProfiles } from "../../src/acquirers/apiPix/bankProfiles.ts"
import type { PspFault } from "../support/psp.ts"
import { openApiPix, payoutOf, skippingPauses } from "../support/pspClient.ts"

const answer = (body: unknown): PspFault => ({ kind: "answer", status: 200, body })
const interBank = { ...bankProfiles.inter, scope: `${bankProfiles.inter.scope} extrato.read` }

/** The balance of an adapter that tells it. */
const balanceOf = (acquirer: { readonly queryBalance?: Effect.Effect<number, unknown> | undefined }) =>
  acquirer.queryBalance ?? Effect.die("tells no balance")

describe("the balance at the bank", () => {
  it.effect("Efí tells what it holds, after payments, refunds and payouts", () =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix()
      expect(yield* balanceOf(acquirer)).toBe(0)
      psp.refundOf(psp.receive({ amount: 12_345 }), { amount: 45 })
      expect(yield* balanceOf(acquirer)).toBe(12_300)
      yield* acquirer.sendPayout(payoutOf({ amount: 12_400 }))
      psp.payoutResult(payoutOf().payoutId, "REALIZADO")
      expect(yield* balanceOf(acquirer)).toBe(-100)
      expect(psp.requestsOf("GET").map(({ path }) => path)).toEqual(Array(3).fill("/v2/gn/saldo"))
    }),
  )

  it.effect("Inter tells it where the token is asked for with the scope of statements, and only there", () =>
    Effect.gen(function* () {
      const { acquirer: without } = yield* openApiPix({}, { bank: "inter" })
      expect(without.queryBalance).toBeUndefined()
      const { psp, acquirer } = yield* openApiPix({ bank: interBank }, { bank: "inter" })
      psp.fail("POST /oauth/token", answer({ access_token: "t" }))
      psp.fail(
        "GET",
        answer({ disponivel: 0.29, bloqueadoCheque: null, bloqueadoJudicialmente: 10, limite: 5 }),
      )
      expect(yield* balanceOf(acquirer)).toBe(1_029)
      expect(psp.requests.map(({ path }) => path)).toEqual(["/oauth/token", "/banking/v2/saldo"])
    }),
  )

  it.effect.each(["bb", "santander", "sicoob", "itau", "generic"] as const)("%s tells none", (bank) =>
    Effect.gen(function* () {
      const { acquirer } = yield* openApiPix({}, { bank })
      expect(acquirer.queryBalance).toBeUndefined()
    }),
  )

  it.effect.each([
    { saldo: "0.00", centavos: 0 },
    { saldo: "-0.01", centavos: -1 },
    { saldo: "9999999999.99", centavos: 999_999_999_999 },
    { saldo: 9_999_999_999.99, centavos: 999_999_999_999 },
    { saldo: 1.1, centavos: 110 },
    { saldo: -57.89, centavos: -5_789 },
  ])("a balance of $saldo is $centavos centavos", ({ saldo, centavos }) =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix()
      psp.fail("GET /v2/gn/saldo", answer({ saldo }))
      expect(yield* balanceOf(acquirer)).toBe(centavos)
    }),
  )

  it.effect.each([
    { body: {} },
    { body: { saldo: null } },
    { body: { saldo: "1" } },
    { body: { saldo: "1.5" } },
    { body: { saldo: "1e3" } },
    { body: { saldo: 1.005 } },
    { body: { saldo: 1e10 } },
    { body: { saldo: "10000000000.00" } },
    { body: [] },
  ])("a balance that cannot be read is none: $body", ({ body }) =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix()
      psp.fail("GET /v2/gn/saldo", answer(body))
      expect(yield* Effect.flip(balanceOf(acquirer))).toMatchObject({
        ...{ _tag: "AcquirerUnavailable", operation: "queryBalance" },
        reason: "answered 200 with a body of an unexpected shape",
      })
    }),
  )

  it.effect("a bank that refuses to tell its balance, or is down, is unavailable", () =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix()
      psp.fail("GET /v2/gn/saldo", { kind: "answer", status: 403 })
      expect(yield* Effect.flip(balanceOf(acquirer))).toMatchObject({ reason: "answered 403" })
      psp.fail("GET /v2/gn/saldo", { kind: "answer", status: 503 }, 3)
      const { value } = yield* skippingPauses(Effect.flip(balanceOf(acquirer)))
      expect(value).toMatchObject({ reason: "answered 503" })
    }),
  )
})

describe("payouts by hand", () => {
  const manual = { ...bankProfiles.efi, payouts: "manual" } as const

  it.effect("an adapter whose payouts operators make sends and queries none, and says so", () =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix({ bank: manual })
      expect(acquirer.hasManualPayouts).toBe(true)
      const { payoutId, amount } = payoutOf()
      for (const call of [acquirer.sendPayout(payoutOf()), acquirer.queryPayout({ payoutId, amount })]) {
        expect(yield* Effect.flip(call)).toMatchObject({
          _tag: "AcquirerUnavailable",
          reason: "operators make payouts in the bank's own application",
        })
      }
      expect(psp.requests).toEqual([])
    }),
  )

  it.effect(
    "the list of what was sent is still read where the bank has one, and there is none where it has none",
    () =>
      Effect.gen(function* () {
        const { psp, acquirer } = yield* openApiPix({ bank: manual })
        const endToEndId = psp.payOut({ amount: 100 })
        const window = { fromMillis: Date.now() - 60_000, toMillis: Date.now() + 60_000 }
        const page = yield* acquirer.books?.listSent?.(window, undefined) ?? Effect.die("no list")
        expect(page.items).toMatchObject([{ endToEndId, amount: 100, status: "paid" }])

        const other = yield* openApiPix({}, { bank: "inter" })
        expect(other.acquirer.hasManualPayouts).toBe(true)
        expect(other.acquirer.books?.listSent).toBeUndefined()
        expect(other.psp.requests).toEqual([])
      }),
  )

  it.effect("an adapter that sends payouts says nothing of hands", () =>
    Effect.gen(function* () {
      const { acquirer } = yield* openApiPix()
      expect(acquirer.hasManualPayouts).toBeUndefined()
    }),
  )
})
