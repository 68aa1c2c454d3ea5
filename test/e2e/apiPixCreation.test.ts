import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { txidOf } from "../../schema/ids.ts"
import type { Transaction } from "../../schema/resources/transaction.ts"
import type { PspFault } from "../support/psp.ts"
import {
  type ApiPixStage,
  auditVerify,
  noticeWhen,
  openApiPixStage,
  payCharge,
  readBrCode,
  received,
  soundBooks,
} from "./support/apiPix.ts"
import { allEvents, chargeBody, freshKey, postCharge } from "./support/charges.ts"
import { type Answer, type Client, type ErrorBody, eventually, type Page } from "./support/client.ts"
import { balanceOf, errorOf } from "./support/withdrawals.ts"

let stage: ApiPixStage
beforeAll(async () => {
  stage = await openApiPixStage()
})
afterAll(() => stage?.close())

let live: Client
let key: string
/** How many requests to create a charge the PSP had received before the test. */
let before: number
beforeEach(async () => {
  stage.psp.heal()
  live = (await stage.newSeller()).live
  key = freshKey()
  before = stage.psp.requestsOf("PUT /cob").length
})

const post = <T = Transaction>(underKey = key): Promise<Answer<T>> =>
  postCharge<T>(live, chargeBody(), underKey)

/** The txids under which the PSP was asked to create a charge in this test. */
const asked = (): ReadonlyArray<string> =>
  stage.psp
    .requestsOf("PUT /cob")
    .slice(before)
    .map(({ path }) => path.split("/").at(-1) ?? "")

const failing = (status: number, headers: Readonly<Record<string, string>> = {}): PspFault => ({
  kind: "answer",
  status,
  headers,
})

/** Expects a 502 that leaves nothing behind, and that the same request gets again from then on. */
const expectNoCharge = async (first: Answer<ErrorBody>, message: RegExp) => {
  expect(errorOf(first)).toMatchObject({ status: 502, type: "acquirer_error", code: "acquirer_error" })
  expect(first.body.error.message).toMatch(message)
  expect(first.headers.get("idempotent-replayed")).toBeNull()
  const puts = asked().length
  const again = await post<ErrorBody>()
  expect([again.status, again.text]).toEqual([502, first.text])
  expect(again.headers.get("idempotent-replayed")).toBe("true")
  expect(asked()).toHaveLength(puts)
  await expectNothing()
}

const expectNothing = async () => {
  expect((await live.get<Page<Transaction>>("/v1/transactions")).body.data).toEqual([])
  expect(await allEvents(live)).toEqual([])
}

/** Expects a charge under the only txid that the PSP saw, which the same request gets again from then on. */
const expectCharge = async (first: Answer<Transaction>) => {
  expect(first.status).toBe(201)
  const { id, pix } = first.body
  expect(new Set(asked())).toEqual(new Set([pix.txid]))
  expect(readBrCode(first.body).url).toBe(stage.psp.charge(pix.txid)?.location)
  const puts = asked().length
  const again = await post()
  expect([again.status, again.text, again.headers.get("idempotent-replayed")]).toEqual([
    201,
    first.text,
    "true",
  ])
  expect(asked()).toHaveLength(puts)
  const { data } = (await live.get<Page<Transaction>>("/v1/transactions")).body
  expect(data.map((charge) => charge.id)).toEqual([id])
}

const expectAnotherTry = async () => {
  const tried = asked()
  const next = await post(freshKey())
  expect(next.status).toBe(201)
  expect(tried).not.toContain(next.body.pix.txid)
}

// First, because it makes every look-up fail meanwhile: charges that were created are looked up after 30 s.
describe("a charge while the PSP answers neither its creation nor its look-up", () => {
  it("a charge that the PSP never confirms is answered 502, and a payment of it is credited to nobody", async () => {
    stage.psp.fail("PUT /cob", { kind: "silent" })
    stage.psp.fail("GET /cob", { kind: "silent" })
    const early = await post<ErrorBody>()
    // The answer is due at the very moment the request's own deadline ends, so either may come.
    expect(["acquirer_error", "service_unavailable"]).toContain(early.body.error.code)
    const first = await eventually("the answer to be saved", async () => {
      const answer = await post<ErrorBody>()
      return answer.status === 502 ? answer : undefined
    })
    expect(first.headers.get("idempotent-replayed")).toBe("true")
    expect(first.body.error.message).toMatch(/did not create the charge in time.*new Idempotency-Key/)
    await expectNothing()
    const [txid = ""] = asked()
    expect(asked()).toHaveLength(1)

    const endToEndId = stage.psp.pay(txid)
    expect(await stage.tell({ endToEndId })).toBe(received)
    expect(await noticeWhen(stage, `${endToEndId}:received`)).toMatchObject({
      error: "it names no charge or withdrawal of ours",
    })
    await expectNothing()
    expect(await balanceOf(live)).toMatchObject({ available: 0 })
    await expectAnotherTry()
  })
})

describe("a charge that the PSP refuses", () => {
  it.each([
    [400, { title: "CobOperacaoInvalida", detail: "O devedor é inválido." }, /O devedor é inválido/],
    [422, { nome: "valor_invalido", mensagem: "Valor acima do limite" }, /Valor acima do limite/],
    [403, {}, /answered 403/],
  ])(
    "a charge that the PSP refuses with %i is answered 502 with the reason, and so is a repeat",
    async (status, body, reason) => {
      stage.psp.fail("PUT /cob", { kind: "answer", status, body })
      await expectNoCharge(await post<ErrorBody>(), reason)
      expect(asked()).toHaveLength(1)
      await expectAnotherTry()
    },
  )
})

describe("a charge while the PSP is down", () => {
  it.each<{ readonly name: string; readonly fault: PspFault }>([
    { name: "answers 503", fault: failing(503) },
    { name: "answers 500", fault: failing(500) },
    { name: "answers 429", fault: failing(429) },
    { name: "cuts connections", fault: { kind: "cut" } },
  ])(
    "a charge is answered 502 when the PSP $name, and a new key creates it afterwards",
    async ({ fault }) => {
      // A call and both its retries.
      stage.psp.fail("PUT /cob", fault, 3)
      await expectNoCharge(await post<ErrorBody>(), /did not create the charge in time/)
      expect(asked()).toHaveLength(3)
      expect(new Set(asked()).size).toBe(1)
      await expectAnotherTry()
    },
  )

  it("a charge is answered 502 when the PSP issues no access token, and a new key creates it afterwards", async () => {
    stage.psp.revokeTokens()
    stage.psp.fail("POST /oauth/token", failing(503), 3 * 2)
    await expectNoCharge(await post<ErrorBody>(), /did not create the charge in time/)
    stage.psp.heal()
    await expectAnotherTry()
  })
})

describe("a charge that is created in the end", () => {
  it.each<{ readonly name: string; readonly fault: PspFault; readonly puts: number }>([
    { name: "answers 503 first", fault: failing(503), puts: 2 },
    { name: "asks for a retry after a second", fault: failing(429, { "retry-after": "1" }), puts: 2 },
    { name: "cuts the connection first", fault: { kind: "cut" }, puts: 2 },
    { name: "creates it and loses the answer", fault: { kind: "lost" }, puts: 2 },
    { name: "creates it and answers with no JSON", fault: { kind: "text", text: "made" }, puts: 1 },
    { name: "creates it and states another amount", fault: { kind: "wrongAmount" }, puts: 1 },
  ])("one charge is created when the PSP $name", async ({ fault, puts }) => {
    stage.psp.fail("PUT /cob", fault)
    await expectCharge(await post())
    expect(asked()).toHaveLength(puts)
  })

  it("one charge is created when the PSP is slow, and a repeat meanwhile gets 409", async () => {
    stage.psp.fail("PUT /cob", { kind: "slow", millis: 1_500 })
    const first = post()
    await eventually("the PSP to be asked", () => (asked().length > 0 ? true : undefined))
    const meanwhile = await post<ErrorBody>()
    expect(errorOf(meanwhile)).toMatchObject({ status: 409, code: "idempotency_in_progress" })
    expect(meanwhile.headers.get("retry-after")).toBe("1")
    await expectCharge(await first)
    expect(asked()).toHaveLength(1)
  })

  it("one charge is created, and can be paid, when the PSP creates it and never answers", async () => {
    stage.psp.fail("PUT /cob", { kind: "silent" })
    const first = await post()
    await expectCharge(first)
    expect(asked()).toEqual([txidOf(first.body.id)])
    const endToEndId = stage.psp.pay(first.body.pix.txid)
    await stage.tell({ endToEndId })
    await noticeWhen(stage, `${endToEndId}:received`)
    expect(await balanceOf(live)).toMatchObject({ available: 12_990 })
  })

  it("a charge is created with a fresh token when the PSP no longer accepts the old one", async () => {
    await payCharge(stage, live)
    stage.psp.revokeTokens()
    const first = await post()
    expect(first.status).toBe(201)
    expect(asked().filter((txid) => txid === first.body.pix.txid)).toHaveLength(2)
  })
})

describe("the books after these tests", () => {
  it("the audit finds every book in balance after these tests", async () => {
    expect(await auditVerify(stage)).toEqual(soundBooks)
  })
})
