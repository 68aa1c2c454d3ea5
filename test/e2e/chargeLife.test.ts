import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Transaction, TransactionStatus } from "../../schema/resources/transaction.ts"
import { chargeWhen, eventsOf, getCharge, makeCharge } from "./support/charges.ts"
import { openStage, type Seller, type Stage } from "./support/stage.ts"

const delayMillis = 300
/** The shortest expiry allowed. */
const expirySeconds = 10

let stage: Stage
let seller: Seller
/** Charges that wait for their expiry, made first so that the other tests run meanwhile. */
let waiting: Readonly<Record<"never" | "paid" | "failed" | "refunded" | "last", Transaction>>

beforeAll(async () => {
  stage = await openStage({ SIMULATOR_DELAY_MS: String(delayMillis) })
  seller = await stage.newSeller()
  const pix = { expires_in_seconds: expirySeconds }
  const [never, paid, failed, refunded] = await Promise.all([
    makeCharge(seller.test, { amount: 2_001, pix }),
    makeCharge(seller.test, { amount: 2_000, pix }),
    makeCharge(seller.test, { amount: 2_002, pix }),
    makeCharge(seller.test, { amount: 2_004, pix }),
  ])
  // It expires last: when it has expired, the others' time has passed.
  const last = await makeCharge(seller.test, { amount: 2_001, pix })
  waiting = { never, paid, failed, refunded, last }
})
afterAll(() => stage?.close())

interface Life {
  readonly amount: number
  readonly events: ReadonlyArray<string>
  readonly status: TransactionStatus
  /** The times that are set at the end, in their order. */
  readonly times: ReadonlyArray<keyof Transaction>
  readonly failureReason: unknown
  readonly endToEndId: unknown
  /** How the whole amount went back. */
  readonly returnedAs?: "refund" | "chargeback"
}

const endToEndId = expect.stringMatching(/^E00000000\d{12}[A-Za-z0-9]{11}$/)
const paidLife = { failureReason: null, endToEndId }

const lives: ReadonlyArray<readonly [what: string, life: Life]> = [
  [
    "whose amount ends in 00 is paid",
    {
      amount: 2_000,
      events: ["transaction.created", "transaction.paid"],
      status: "paid",
      times: ["created_at", "paid_at"],
      ...paidLife,
    },
  ],
  [
    "whose amount ends in 06, which triggers nothing, is paid",
    {
      amount: 106,
      events: ["transaction.created", "transaction.paid"],
      status: "paid",
      times: ["created_at", "paid_at"],
      ...paidLife,
    },
  ],
  [
    "whose amount ends in 02 fails",
    {
      amount: 2,
      events: ["transaction.created", "transaction.failed"],
      status: "failed",
      times: ["created_at", "failed_at"],
      failureReason: expect.stringMatching(/\S/),
      endToEndId: null,
    },
  ],
  [
    "whose amount ends in 04 is paid and then refunded",
    {
      amount: 99_904,
      events: ["transaction.created", "transaction.paid", "transaction.refunded"],
      status: "refunded",
      times: ["created_at", "paid_at", "refunded_at"],
      returnedAs: "refund",
      ...paidLife,
    },
  ],
  [
    "whose amount ends in 05 is paid and then charged back",
    {
      amount: 105,
      events: ["transaction.created", "transaction.paid", "transaction.chargeback"],
      status: "chargeback",
      times: ["created_at", "paid_at", "chargeback_at"],
      returnedAs: "chargeback",
      ...paidLife,
    },
  ],
]

const timeFields = ["paid_at", "expired_at", "failed_at", "refunded_at", "chargeback_at"] as const
const millisOf = (transaction: Transaction, field: keyof Transaction) =>
  Date.parse(String(transaction[field]))

describe("a test charge", () => {
  it.concurrent.each(lives)("a test charge %s", async (_, life) => {
    const created = await makeCharge(seller.test, { amount: life.amount })
    const end = await chargeWhen(seller.test, created.id, life.status)
    expect(end.failure_reason).toEqual(life.failureReason)
    expect(end.end_to_end_id).toEqual(life.endToEndId)
    for (const field of timeFields) {
      expect([field, end[field] !== null]).toEqual([field, life.times.includes(field)])
    }
    const times = life.times.map((field) => millisOf(end, field))
    for (const [index, millis] of times.slice(1).entries()) {
      expect(millis - (times[index] ?? 0)).toBeGreaterThanOrEqual(delayMillis)
    }
    // These fields never change.
    const { status: _s, failure_reason: _f, end_to_end_id: _e, refunded_amount, refunds, ...fixed } = created
    expect({ refunded_amount, refunds }).toEqual({ refunded_amount: 0, refunds: [] })
    const returned = end.refunds.map(({ kind, amount }) => [kind, amount])
    expect([end.refunded_amount, returned]).toEqual(
      life.returnedAs === undefined ? [0, []] : [life.amount, [[life.returnedAs, life.amount]]],
    )
    expect({ ...end, ...Object.fromEntries(timeFields.map((field) => [field, null])) }).toMatchObject(fixed)

    const events = await eventsOf(seller.test, created.id)
    expect(events.map(({ type }) => type)).toEqual(life.events)
    // Each carries the charge as it was then; the last one as it is.
    expect(events[0]?.data.object).toEqual(created)
    expect(events.at(-1)?.data.object).toEqual(end)
    expect(events.map(({ internal }) => internal)).toEqual(life.events.map((_, index) => index === 0))
    expect(events.map(({ mode }) => mode)).toEqual(life.events.map(() => "test"))
  })

  it("a test charge whose amount ends in 03 is refused and leaves nothing", async () => {
    const one = await stage.newSeller()
    await expect(makeCharge(one.test, { amount: 303 })).rejects.toThrow('"code":"acquirer_error"')
    expect((await one.test.get("/v1/transactions")).text).toBe('{"data":[],"next_cursor":null}')
    expect((await one.test.get("/v1/events")).text).toBe('{"data":[],"next_cursor":null}')
  })

  it("a live charge is paid when the simulator is the live mode's acquirer", async () => {
    const created = await makeCharge(seller.live, { amount: 2_000 })
    expect((await chargeWhen(seller.live, created.id, "paid")).mode).toBe("live")
    expect((await eventsOf(seller.live, created.id)).map(({ mode }) => mode)).toEqual(["live", "live"])
  })

  it("a test charge whose amount ends in 01 stays unpaid, and expires no earlier than its time limit", async () => {
    const { id, expires_at } = waiting.never
    const end = await chargeWhen(seller.test, id, "expired", 30_000)
    expect(millisOf(end, "expired_at")).toBeGreaterThanOrEqual(Date.parse(expires_at))
    expect(end).toMatchObject({ paid_at: null, end_to_end_id: null, failure_reason: null })
    const events = await eventsOf(seller.test, id)
    expect(events.map(({ type }) => type)).toEqual(["transaction.created", "transaction.expired"])
  })

  it("a test charge that was paid, failed or refunded does not expire", async () => {
    const { never: _, last, ...others } = waiting
    await chargeWhen(seller.test, last.id, "expired", 30_000)
    for (const [status, { id }] of Object.entries(others)) {
      expect((await getCharge(seller.test, id)).body.status).toBe(status)
      const types = (await eventsOf(seller.test, id)).map(({ type }) => type)
      expect(types).not.toContain("transaction.expired")
      expect(types).toContain(`transaction.${status}`)
    }
  })
})
