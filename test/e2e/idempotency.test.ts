import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Transaction } from "../../schema/resources/transaction.ts"
import { startMachineClock } from "../support/machineTime.ts"
import { allEvents, chargeBody, chargeWhen, freshKey, makeCharge, postCharge } from "./support/charges.ts"
import type { Answer, ErrorBody, Page } from "./support/client.ts"
import { openStage, type Seller, type Stage } from "./support/stage.ts"

const replayed = (answer: { readonly headers: Headers }) => answer.headers.get("idempotent-replayed")
const requestIdOf = (answer: { readonly headers: Headers }) => answer.headers.get("x-request-id")

/** How one of several requests under one key was answered. */
const kindOf = (answer: Answer<unknown>): string =>
  answer.status === 201 ? (replayed(answer) === "true" ? "replay" : "created") : String(answer.status)

/**
 * A local acquirer answers within the commit, a remote one (SIMULATOR_CHARGE_LATENCY_MS) between a claim and the commit:
 * callers must see the same.
 */
const remoteLatencyMillis = 800

describe.each([
  ["at once", 0],
  ["after a while", remoteLatencyMillis],
])("an Idempotency-Key, when the acquirer answers %s", (when, latencyMillis) => {
  let stage: Stage
  let seller: Seller

  beforeAll(async () => {
    stage = await openStage({ SIMULATOR_DELAY_MS: "100", SIMULATOR_CHARGE_LATENCY_MS: String(latencyMillis) })
    seller = await stage.newSeller()
  })
  afterAll(() => stage?.close())

  const chargesOf = async (one: Seller) => (await allEvents(one.test, "&types=transaction.created")).length

  it.concurrent(`a repeat gets the saved response byte for byte after the charge moved on (acquirer answers ${when})`, async () => {
    const key = freshKey()
    const first = await postCharge<Transaction>(seller.test, chargeBody(), key)
    expect(first.status).toBe(201)
    expect(replayed(first)).toBeNull()
    await chargeWhen(seller.test, first.body.id, "paid")
    const second = await postCharge<Transaction>(seller.test, chargeBody(), key)
    expect(second.status).toBe(201)
    expect(second.text).toBe(first.text)
    expect(replayed(second)).toBe("true")
    expect(second.headers.get("content-type")).toBe(first.headers.get("content-type"))
    expect(requestIdOf(second)).not.toBe(requestIdOf(first))
  })

  it.concurrent(`another body under a key is refused with 422, even one more space (acquirer answers ${when})`, async () => {
    const key = freshKey()
    const text = JSON.stringify(chargeBody())
    expect((await postCharge(seller.test, text, key)).status).toBe(201)
    for (const other of [JSON.stringify(chargeBody({ amount: 1 })), `${text} `]) {
      const answer = await postCharge(seller.test, other, key)
      expect(answer.status).toBe(422)
      expect(answer.body.error).toMatchObject({
        type: "idempotency_error",
        code: "idempotency_key_reused",
        param: "Idempotency-Key",
      })
      expect(replayed(answer)).toBeNull()
    }
    const again = await postCharge(seller.test, text, key)
    expect([again.status, replayed(again)]).toEqual([201, "true"])
  })

  it.concurrent(`an Idempotency-Key belongs to one seller and one mode (acquirer answers ${when})`, async () => {
    const key = freshKey()
    const other = await stage.newSeller()
    const charges = [
      await makeCharge(seller.test, {}, key),
      await makeCharge(seller.live, {}, key),
      await makeCharge(other.test, {}, key),
    ]
    expect(new Set(charges.map(({ id }) => id)).size).toBe(3)
  })

  it.concurrent(`an acquirer's refusal is saved with its request_id, and a new key tries again (acquirer answers ${when})`, async () => {
    const key = freshKey()
    const one = await stage.newSeller()
    const first = await postCharge(one.test, chargeBody({ amount: 1_003 }), key)
    expect(first.status).toBe(502)
    expect(first.body.error).toMatchObject({ type: "acquirer_error", code: "acquirer_error" })
    expect(first.body.error.request_id).toBe(requestIdOf(first))
    expect(replayed(first)).toBeNull()
    const second = await postCharge(one.test, chargeBody({ amount: 1_003 }), key)
    expect([second.status, replayed(second)]).toEqual([502, "true"])
    expect(second.text).toBe(first.text)
    expect(requestIdOf(second)).not.toBe(first.body.error.request_id)
    expect((await postCharge(one.test, chargeBody(), key)).status).toBe(422)
    const anew = await postCharge(one.test, chargeBody({ amount: 1_003 }))
    expect([anew.status, replayed(anew)]).toEqual([502, null])
    // A refused creation leaves no charge and no event.
    expect(await allEvents(one.test)).toEqual([])
    expect((await one.test.get<{ data: ReadonlyArray<unknown> }>("/v1/transactions")).body.data).toEqual([])
  })

  it.concurrent(`a validation error is not saved under the Idempotency-Key (acquirer answers ${when})`, async () => {
    const key = freshKey()
    expect((await postCharge(seller.test, chargeBody({ amount: 0 }), key)).status).toBe(400)
    const answer = await postCharge<Transaction>(seller.test, chargeBody(), key)
    expect([answer.status, replayed(answer)]).toEqual([201, null])
  })

  it.concurrent(`twenty simultaneous requests under one key create one charge (acquirer answers ${when})`, async () => {
    const key = freshKey()
    const one = await stage.newSeller()
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => postCharge<Transaction & ErrorBody>(one.test, chargeBody(), key)),
    )
    const kinds = answers.map(kindOf)
    expect(kinds.filter((kind) => kind === "created")).toHaveLength(1)
    expect(kinds.filter((kind) => !["created", "replay", "409"].includes(kind))).toEqual([])
    for (const answer of answers.filter(({ status }) => status === 409)) {
      expect(answer.body.error).toMatchObject({ type: "idempotency_error", code: "idempotency_in_progress" })
      expect(answer.headers.get("retry-after")).toBe("1")
    }
    expect(new Set(answers.flatMap(({ status, text }) => (status === 201 ? [text] : []))).size).toBe(1)
    expect(await chargesOf(one)).toBe(1)
  })

  it.concurrent(`two bodies sent at once under one key create one charge (acquirer answers ${when})`, async () => {
    const key = freshKey()
    const one = await stage.newSeller()
    const answers = await Promise.all([
      postCharge(one.test, chargeBody({ amount: 1_000 }), key),
      postCharge(one.test, chargeBody({ amount: 2_000 }), key),
    ])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 422])
    expect(await chargesOf(one)).toBe(1)
  })

  // A local acquirer's answer leaves no time in which a request is under way.
  if (latencyMillis === 0) return

  /** Two requests at once: the later of them is answered first, while the acquirer has the other. */
  const underWay = async (key: string) => {
    const both = [1, 2].map(() => postCharge<Transaction & ErrorBody>(seller.test, chargeBody(), key))
    const refused = await Promise.race(both)
    expect(refused.status).toBe(409)
    return { refused, both }
  }

  it.concurrent("a repeat while its request is under way gets 409 with Retry-After, and the saved answer afterwards", async () => {
    const key = freshKey()
    const { refused, both } = await underWay(key)
    expect(refused.body.error).toMatchObject({
      type: "idempotency_error",
      code: "idempotency_in_progress",
      param: "Idempotency-Key",
    })
    expect(refused.headers.get("retry-after")).toBe("1")
    const created = (await Promise.all(both)).find(({ status }) => status === 201)
    const again = await postCharge(seller.test, chargeBody(), key)
    expect([again.status, again.text, replayed(again)]).toEqual([201, created?.text, "true"])
  })

  it.concurrent("a charge of a slow acquirer is listed by the created_at that it shows", async () => {
    const { id, created_at } = await makeCharge(seller.test)
    const window = `from=${created_at}&to=${created_at}`
    const { body } = await seller.test.get<Page<Transaction>>(`/v1/transactions?${window}`)
    expect(body.data.map((item) => item.id)).toContain(id)
  })

  it.concurrent("ten requests of a seller wait for a slow acquirer side by side, not one after another", async () => {
    const clock = startMachineClock()
    const charges = await Promise.all(Array.from({ length: 10 }, () => makeCharge(seller.test)))
    const createdMillis = charges.map(({ created_at }) => Date.parse(created_at))
    // One after another, each would be created one acquirer's latency after the one before.
    expect(Math.max(...createdMillis) - Math.min(...createdMillis)).toBeLessThan(
      9 * latencyMillis + clock.withheldMillis(),
    )
  })

  it("a request under way is answered while the process drains, and replayed after a restart", async () => {
    const key = freshKey()
    const { both } = await underWay(key)
    const ending = stage.service.terminate()
    const created = (await Promise.all(both)).find(({ status }) => status === 201)
    expect(await ending).toEqual({ code: 0, signal: null })
    await stage.service.restart()
    const again = await postCharge(seller.test, chargeBody(), key)
    expect([again.status, again.text, replayed(again)]).toEqual([201, created?.text, "true"])
  })
})
