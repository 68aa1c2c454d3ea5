import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Transaction } from "../../schema/resources/transaction.ts"
import type { TransactionTotals } from "../../schema/resources/transactionTotals.ts"
import { chargeWhen, makeCharge } from "./support/charges.ts"
import { type ErrorBody, type Page, readAll } from "./support/client.ts"
import { openStage, type Seller, type Stage } from "./support/stage.ts"

let stage: Stage
let seller: Seller
/** Eight of each amount, oldest first: never paid, refunded in full, paid. */
let charges: ReadonlyArray<Transaction>

const path = "/v1/transactions"
const amountsOf = (items: ReadonlyArray<Transaction>) => items.map(({ amount }) => amount)
const all = (query: string) => readAll<Transaction>(seller.test, path, `limit=3&${query}`)
const totalsOf = async (query = "", by = seller.test) =>
  (await by.get<TransactionTotals>(`${path}/summary?${query}`)).body

beforeAll(async () => {
  stage = await openStage({ SIMULATOR_DELAY_MS: "50" })
  seller = await stage.newSeller()
  const made: Array<Transaction> = []
  for (const amount of [1_001, 2_004, 3_000, 1_001, 2_004, 3_000]) {
    made.push(await makeCharge(seller.test, { amount }))
  }
  const ends = { 1001: "pending", 2004: "refunded", 3000: "paid" } as const
  charges = await Promise.all(
    made.map(({ id, amount }) => chargeWhen(seller.test, id, ends[amount as keyof typeof ends])),
  )
})
afterAll(() => stage?.close())

describe("filters of GET /v1/transactions", () => {
  it.each([
    ["amount_min=2004", [3_000, 2_004, 3_000, 2_004]],
    ["amount_min=2005", [3_000, 3_000]],
    ["amount_max=1001", [1_001, 1_001]],
    ["amount_max=1000", []],
    ["amount_min=1002&amount_max=2999", [2_004, 2_004]],
    ["amount_min=3000&amount_max=1000", []],
    ["has_refund=true", [2_004, 2_004]],
    ["has_refund=false", [3_000, 1_001, 3_000, 1_001]],
    ["has_refund=false&amount_min=2000&status=paid", [3_000, 3_000]],
  ] as const)("%s lists those charges alone, page by page", async (query, amounts) => {
    expect(amountsOf(await all(query)).toSorted()).toEqual([...amounts].toSorted())
    expect(amountsOf(await readAll<Transaction>(seller.test, path, `limit=1&${query}`))).toHaveLength(
      amounts.length,
    )
  })

  it.each(["amount_min=-1", "amount_max=1000000000000", "amount_min=1.5", "has_refund=yes"])(
    "%s is refused with its parameter",
    async (query) => {
      for (const route of [path, `${path}/summary`]) {
        const { status, body } = await seller.test.get<ErrorBody>(`${route}?${query}`)
        expect([status, body.error.code, body.error.param]).toEqual([
          ...[400, "validation_failed", query.split("=")[0]],
        ])
      }
    },
  )

  it("a cursor holds for the filters that it was made with alone", async () => {
    const first = await seller.test.get<Page<Transaction>>(`${path}?limit=1&amount_min=2000`)
    const other = await seller.test.get<ErrorBody>(
      `${path}?limit=1&amount_min=1000&cursor=${first.body.next_cursor}`,
    )
    expect(other.body.error.code).toBe("invalid_cursor")
  })
})

describe("GET /v1/transactions/summary", () => {
  it("adds up all charges and those of each status", async () => {
    const fees = charges.filter(({ paid_at }) => paid_at !== null).reduce((sum, { fee }) => sum + fee, 0)
    const totals = await totalsOf()
    expect(totals).toMatchObject({ count: 6, amount: 12_010, gross: 10_008, refunded: 4_008, fees })
    expect(totals.net).toBe(10_008 - 4_008 - fees)
    expect([totals.complete, totals.since]).toEqual([true, null])
    const { pending, paid, refunded, expired } = totals.by_status
    expect([pending.count, paid.count, refunded.count, expired.count]).toEqual([2, 2, 2, 0])
    expect(pending).toEqual({ count: 2, amount: 2_002, gross: 0, fees: 0, refunded: 0, net: 0 })
    expect(refunded).toMatchObject({ amount: 4_008, gross: 4_008, refunded: 4_008 })
  })

  it("takes the filters of the list", async () => {
    expect(await totalsOf("status=paid")).toMatchObject({ count: 2, gross: 6_000 })
    expect(await totalsOf("amount_max=2004&has_refund=false")).toMatchObject({ count: 2, gross: 0 })
    const [, second] = charges
    expect(await totalsOf(`to=${second?.created_at}`)).toMatchObject({ count: 2 })
    expect(await totalsOf("from=2999-01-01")).toMatchObject({ count: 0, amount: 0 })
  })

  it("adds up nothing of the other mode or of another seller", async () => {
    expect(await totalsOf("", seller.live)).toMatchObject({ count: 0, complete: true })
    expect(await totalsOf("", (await stage.newSeller()).test)).toMatchObject({ count: 0 })
  })
})
