import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Transaction } from "../../schema/resources/transaction.ts"
import { startMachineClock } from "../support/machineTime.ts"
import { allEvents, chargeBody, chargeWhen, freshKey, makeCharge, postCharge } from "./support/charges.ts"
import type { Answer, ErrorBody, Page } from "./support/client.ts"
import { openStage, type Seller, type Stage } from "./support/stage.ts"

const replayed = (answer: { readonly headers: Headers }) => answer.headers.get("idempotent-replayed")
const requestIdOf = (answer: { readonly headers: Headers }) => answer.headers.get("x-request-id")

/** What one of several requests under one key was answered. */
const kindOf = (answer: Answer<unknown>): string =>
  answer.status === 201 ? (replayed(answer) === "true" ? "replay" : "created") : String(answer.status)

/**
 * A local partner answers within the commit, a remote one (SIMULATOR_CHARGE_LATENCY_MS) between a claim and the commit:
 * what a caller sees must be the same.
 */
const remoteLatencyMillis = 800

describe.each([
  ["at once", 0],
  ["after a while", remoteLatencyMillis],
])("an Idempotency-Key, where the partner answers %s", (_, latencyMillis) => {
  let stage: Stage
  let seller: Seller

  beforeAll(async () => {
    stage = await openStage({ SIMULATOR_DELAY_MS: "100", SIMULATOR_CHARGE_LATENCY_MS: String(latencyMillis) })
    seller = await stage.newSeller()
  })
  afterAll(() => stage?.close())

  const chargesOf = async (one: Seller) => (await allEvents(one.test, "&types=transaction.created")).length

  it.concurrent("gives the saved response again, byte by byte, also when the charge has moved on", async () => {
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

  it.concurrent("refuses another body with 422, also one that differs in a blank only", async () => {
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

  it.concurrent("belongs to a seller and a mode", async () => {
    const key = freshKey()
    const other = await stage.newSeller()
    const charges = [
      await makeCharge(seller.test, {}, key),
      await makeCharge(seller.live, {}, key),
      await makeCharge(other.test, {}, key),
    ]
    expect(new Set(charges.map(({ id }) => id)).size).toBe(3)
  })

  it.concurrent("saves a partner's refusal, its request_id included, and a new key tries anew", async () => {
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

  it.concurrent("is not used up by a refused body", async () => {
    const key = freshKey()
    expect((await postCharge(seller.test, chargeBody({ amount: 0 }), key)).status).toBe(400)
    const answer = await postCharge<Transaction>(seller.test, chargeBody(), key)
    expect([answer.status, replayed(answer)]).toEqual([201, null])
  })

  it.concurrent("makes one charge of many requests at the same time", async () => {
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

  it.concurrent("makes one charge of two requests with different bodies at the same time", async () => {
    const key = freshKey()
    const one = await stage.newSeller()
    const answers = await Promise.all([
      postCharge(one.test, chargeBody({ amount: 1_000 }), key),
      postCharge(one.test, chargeBody({ amount: 2_000 }), key),
    ])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 422])
    expect(await chargesOf(one)).toBe(1)
  })

  // A local partner's answer leaves no time in between.
  if (latencyMillis === 0) return

  /** Two requests at once: the later of them is answered first, while the other is with the partner. */
  const underWay = async (key: string) => {
    const both = [1, 2].map(() => postCharge<Transaction & ErrorBody>(seller.test, chargeBody(), key))
    const refused = await Promise.race(both)
    expect(refused.status).toBe(409)
    return { refused, both }
  }

  it.concurrent("is held while its request is under way: 409 with Retry-After, then the answer", async () => {
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

  it.concurrent("is listed by the time it shows as its own, though its partner took long", async () => {
    const { id, created_at } = await makeCharge(seller.test)
    const window = `from=${created_at}&to=${created_at}`
    const { body } = await seller.test.get<Page<Transaction>>(`/v1/transactions?${window}`)
    expect(body.data.map((item) => item.id)).toContain(id)
  })

  it.concurrent("does not hold up other requests of its seller", async () => {
    const clock = startMachineClock()
    const charges = await Promise.all(Array.from({ length: 10 }, () => makeCharge(seller.test)))
    const createdMillis = charges.map(({ created_at }) => Date.parse(created_at))
    // One after another, each would be made a partner's latency after the one before.
    expect(Math.max(...createdMillis) - Math.min(...createdMillis)).toBeLessThan(
      9 * latencyMillis + clock.withheldMillis(),
    )
  })

  it("is answered while the process drains, and the answer outlives it", async () => {
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
