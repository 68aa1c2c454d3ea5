import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { makeApiPix } from "../../src/acquirers/apiPix/apiPix.ts"
import { bankProfiles, tokenForms } from "../../src/acquirers/apiPix/bankProfiles.ts"
import { type PspBankName, pspBankNames } from "../support/pspBanks.ts"
import { chargeOf, openApiPix, openPsp, optionsOf, queryOf, txid } from "../support/pspClient.ts"

const tokenRequests = "POST /oauth/token"
const refusedToken = { _tag: "AcquirerUnavailable", reason: "the token request was answered 401" }

/** The last two months, which no bank lists in one window of a month. */
const twoMonths = { fromMillis: 1_795_000_000_500 - 62 * 86_400_000, toMillis: 1_795_000_000_500 }

describe("the profile of a bank", () => {
  it.effect.each(pspBankNames)("a charge is made, asked about, removed and listed at %s", (bank) =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix({}, { bank })
      yield* acquirer.createCharge(chargeOf())
      expect(psp.charge(txid)?.status).toBe("ATIVA")
      expect((yield* acquirer.queryCharge(queryOf())).payments).toEqual([])
      yield* acquirer.cancelCharge(txid)
      expect(psp.charge(txid)?.status).toBe("REMOVIDA_PELO_USUARIO_RECEBEDOR")
      const endToEndId = psp.receive({ amount: 100, at: new Date(twoMonths.fromMillis + 1).toISOString() })
      const ids: Array<string> = []
      let next: string | undefined
      do {
        const page = yield* acquirer.books?.listReceived(twoMonths, next) ?? Effect.die("no books")
        ids.push(...page.items.map((item) => item.endToEndId))
        next = page.next
      } while (next !== undefined)
      expect(new Set(ids)).toEqual(new Set([endToEndId]))
      expect(psp.requestsOf(tokenRequests)).toHaveLength(1)
    }),
  )

  const strangers = pspBankNames.flatMap((bank) =>
    tokenForms.filter((form) => form !== bankProfiles[bank].tokenForm).map((form) => ({ bank, form })),
  )
  it.effect.each(strangers)("$bank gives no token to the form $form", ({ bank, form }) =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix(
        { bank: { ...bankProfiles[bank], tokenForm: form } },
        { bank },
      )
      expect(yield* Effect.flip(acquirer.queryCharge(queryOf()))).toMatchObject(refusedToken)
      expect(psp.requestsOf("GET /cob")).toEqual([])
    }),
  )

  it.effect.each(["inter", "bb", "sicoob"] as const)("%s gives no token without a scope", (bank) =>
    Effect.gen(function* () {
      const { acquirer } = yield* openApiPix({ bank: { ...bankProfiles[bank], scope: undefined } }, { bank })
      expect(yield* Effect.flip(acquirer.queryCharge(queryOf()))).toMatchObject(refusedToken)
    }),
  )

  it.effect.each(["efi", "bb", "generic"] as const)(
    "%s gives no token where the grant is written otherwise",
    (bank) =>
      Effect.gen(function* () {
        const basicGrant = bankProfiles[bank].basicGrant === "json" ? "form" : "json"
        const { acquirer } = yield* openApiPix({ bank: { ...bankProfiles[bank], basicGrant } }, { bank })
        expect(yield* Effect.flip(acquirer.queryCharge(queryOf()))).toMatchObject(refusedToken)
      }),
  )

  it.effect("a client secret that a bank has none of is not sent", () =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix({}, { bank: "sicoob" })
      yield* acquirer.createCharge(chargeOf())
      expect(psp.requestsOf(tokenRequests)[0]?.body).not.toContain("client_secret")
    }),
  )

  it.effect.each([
    { bank: "bb", without: { appKey: undefined } },
    { bank: "bb", without: { appKey: Redacted.make("another") } },
    { bank: "itau", without: { bank: { ...bankProfiles.itau, headers: {} } } },
  ] as const)("$bank answers no call that lacks what it wants with every call", ({ bank, without }) =>
    Effect.gen(function* () {
      const { psp, acquirer } = yield* openApiPix(without, { bank })
      const error = yield* Effect.flip(acquirer.createCharge(chargeOf()))
      expect(error).toMatchObject({ _tag: "AcquirerUnavailable", reason: "answered 401" })
      expect(psp.charge(txid)).toBeUndefined()
    }),
  )

  it.effect("headers of the settings go with every call, and not to the address of tokens", () =>
    Effect.gen(function* () {
      const headers = Redacted.make({ "x-conta-corrente": "123456", accept: "text/html" })
      const { psp, acquirer } = yield* openApiPix({ headers }, { bank: "inter" })
      yield* acquirer.createCharge(chargeOf())
      yield* acquirer.queryCharge(queryOf())
      const [token, ...calls] = psp.requests
      expect(token?.headers["x-conta-corrente"]).toBeUndefined()
      expect(calls.map((call) => call.headers["x-conta-corrente"])).toEqual(["123456", "123456"])
      expect(calls[0]?.headers.accept).toBe("application/json")
    }),
  )

  it.effect("no error of a call names the secrets that went with it", () =>
    Effect.gen(function* () {
      const headers = Redacted.make({ "x-key": "hunter2" })
      const changes = { headers, appKey: Redacted.make("hunter3") }
      const { psp, acquirer } = yield* openApiPix(changes, { bank: "inter" })
      psp.fail("PUT /cob", { kind: "answer", status: 403 })
      psp.fail("GET /cob", { kind: "answer", status: 403 })
      const error = yield* Effect.flip(acquirer.createCharge(chargeOf()))
      expect(JSON.stringify(error)).not.toMatch(/hunter/)
    }),
  )
})

describe("a token as gateways answer it", () => {
  it.effect.each([
    { seconds: "3600", usableMillis: 3_570_000 },
    { seconds: "40", usableMillis: 20_000 },
  ])(
    "a token that lives '$seconds', told as text, is used for $usableMillis ms",
    ({ seconds, usableMillis }) =>
      Effect.gen(function* () {
        const { psp, acquirer } = yield* openApiPix()
        psp.setTokenSeconds(seconds)
        yield* acquirer.queryCharge(queryOf())
        yield* TestClock.adjust(usableMillis - 1)
        yield* acquirer.queryCharge(queryOf())
        expect(psp.requestsOf(tokenRequests)).toHaveLength(1)
        yield* TestClock.adjust(1)
        yield* acquirer.queryCharge(queryOf())
        expect(psp.requestsOf(tokenRequests)).toHaveLength(2)
      }),
  )

  it.effect.each(["0", "-1", "3600.5", "1e3", "soon", "", 0, -1])(
    "a token that lives '%s' is malformed",
    (seconds) =>
      Effect.gen(function* () {
        const { psp, acquirer } = yield* openApiPix()
        psp.setTokenSeconds(seconds)
        expect(yield* Effect.flip(acquirer.queryCharge(queryOf()))).toMatchObject({
          reason: "the token response is malformed",
        })
      }),
  )

  it.effect("a token in an answer of 201 is used, and one of 202 is not", () =>
    Effect.gen(function* () {
      const psp = yield* openPsp()
      psp.setTokenStatus(201)
      yield* (yield* makeApiPix(optionsOf(psp))).createCharge(chargeOf())
      psp.setTokenStatus(202)
      const another = yield* makeApiPix(optionsOf(psp))
      expect(yield* Effect.flip(another.queryCharge(queryOf()))).toMatchObject({
        reason: "the token request was answered 202",
      })
    }),
  )
})

/** Every profile has a bank in the tests that speaks it. */
type Missing = Exclude<keyof typeof bankProfiles, PspBankName>
true satisfies [Missing] extends [never] ? true : false
