import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Transaction } from "../../schema/resources/transaction.ts"
import { chargeWhen, getCharge, makeCharge } from "./support/charges.ts"
import { alteredCursors, type ErrorBody, newestFirst, type Page, readAll } from "./support/client.ts"
import { openStage, type Seller, type Stage } from "./support/stage.ts"

let stage: Stage
let seller: Seller
/** 60 charges, oldest first: each fifth failed, the others stay pending. */
let charges: ReadonlyArray<Transaction>

const path = "/v1/transactions"
const list = (query: string, by = seller.test) => by.get<Page<Transaction>>(`${path}?${query}`)
const idsOf = (items: ReadonlyArray<{ readonly id: string }>) => items.map(({ id }) => id)
const newestIdsFirst = (items: ReadonlyArray<Transaction>) => idsOf(newestFirst(items))

beforeAll(async () => {
  stage = await openStage({ SIMULATOR_DELAY_MS: "50" })
  seller = await stage.newSeller()
  const made: Array<Transaction> = []
  for (let i = 0; i < 60; i++)
    made.push(await makeCharge(seller.test, { amount: i % 5 === 0 ? 1_002 : 1_001 }))
  const failing = made.filter(({ amount }) => amount === 1_002)
  await Promise.all(failing.map(({ id }) => chargeWhen(seller.test, id, "failed")))
  charges = made
})
afterAll(() => stage?.close())

describe("GET /v1/transactions", () => {
  it("GET /v1/transactions lists a seller's charges of the key's mode, newest first, 50 a page", async () => {
    const first = await list("")
    expect(idsOf(first.body.data)).toEqual(newestIdsFirst(charges).slice(0, 50))
    const second = await list(`cursor=${first.body.next_cursor}`)
    expect(idsOf(second.body.data)).toEqual(newestIdsFirst(charges).slice(50))
    expect(second.body.next_cursor).toBeNull()
    expect((await list("", seller.live)).body).toEqual({ data: [], next_cursor: null })
    expect((await list("", (await stage.newSeller()).test)).body).toEqual({ data: [], next_cursor: null })
  })

  it("GET /v1/transactions shows each charge as GET /v1/transactions/{id} does", async () => {
    for (const item of (await list("limit=3")).body.data) {
      expect((await getCharge(seller.test, item.id)).body).toEqual(item)
    }
  })

  it("GET /v1/transactions with view=summary leaves out items and code alone, and its cursors hold with either view", async () => {
    const first = await list("limit=3&view=summary")
    for (const summary of first.body.data) {
      const { items: _items, pix, ...rest } = (await getCharge(seller.test, summary.id)).body
      const { payload: _payload, qr_base64: _picture, ...shortPix } = pix
      expect(summary).toEqual({ ...rest, pix: shortPix })
    }
    const next = (view: string) => list(`limit=3&cursor=${first.body.next_cursor}${view}`)
    const [short, whole, named] = [await next("&view=summary"), await next(""), await next("&view=full")]
    expect(idsOf(short.body.data)).toEqual(idsOf(whole.body.data))
    expect(named.body).toEqual(whole.body)
    expect(short.text.length).toBeLessThan(whole.text.length / 2)
    const refused = await seller.test.get<ErrorBody>(`${path}?view=short`)
    expect([refused.status, refused.body.error.code, refused.body.error.param]).toEqual([
      ...[400, "validation_failed", "view"],
    ])
  })

  it.each([1, 7, 59, 60, 61, 100])(
    "GET /v1/transactions gives every charge once in pages of %i",
    async (limit) => {
      const all = await readAll<Transaction>(seller.test, path, `limit=${limit}`)
      expect(idsOf(all)).toEqual(newestIdsFirst(charges))
    },
  )

  it("GET /v1/transactions gives no cursor after a last page that is exactly full", async () => {
    expect((await list("limit=60")).body.next_cursor).toBeNull()
    expect((await list("limit=59")).body.next_cursor).not.toBeNull()
  })

  it.each([
    ["failed", (one: Transaction) => one.amount === 1_002],
    ["pending", (one: Transaction) => one.amount === 1_001],
    ["paid", () => false],
  ] as const)("GET /v1/transactions filters by the status %s", async (status, matches) => {
    const all = await readAll<Transaction>(seller.test, path, `limit=7&status=${status}`)
    expect(idsOf(all)).toEqual(newestIdsFirst(charges.filter(matches)))
    expect(all.every((one) => one.status === status)).toBe(true)
  })

  it("GET /v1/transactions filters by time, both ends included, in any zone", async () => {
    const from = charges[10]?.created_at ?? ""
    const to = charges[40]?.created_at ?? ""
    const inside = charges.filter(({ created_at }) => created_at >= from && created_at <= to)
    expect(inside.length).toBeGreaterThan(1)
    expect(idsOf(await readAll<Transaction>(seller.test, path, `limit=7&from=${from}&to=${to}`))).toEqual(
      newestIdsFirst(inside),
    )
    const elsewhere = (text: string) =>
      encodeURIComponent(new Date(Date.parse(text) - 3 * 3_600_000).toISOString().replace("Z", "-03:00"))
    const zoned = `limit=7&from=${elsewhere(from)}&to=${elsewhere(to)}`
    expect(idsOf(await readAll<Transaction>(seller.test, path, zoned))).toEqual(newestIdsFirst(inside))
    const both = await readAll<Transaction>(seller.test, path, `limit=2&status=failed&from=${from}&to=${to}`)
    expect(idsOf(both)).toEqual(newestIdsFirst(inside.filter(({ amount }) => amount === 1_002)))
    expect((await list(`from=${to}&to=${from}`)).body.data).toEqual([])
    expect((await list("from=2999-01-01")).body.data).toEqual([])
  })

  it("GET /v1/transactions gives each charge of the start once while new ones are created", async () => {
    const one = await stage.newSeller()
    const before = []
    for (let i = 0; i < 30; i++) before.push(await makeCharge(one.test, { amount: 1_001 }))
    const found: Array<string> = []
    let cursor = ""
    do {
      const [page] = await Promise.all([
        list(`limit=4${cursor}`, one.test),
        makeCharge(one.test, { amount: 1_001 }),
        makeCharge(one.test, { amount: 1_002 }),
      ])
      found.push(...idsOf(page.body.data))
      cursor = page.body.next_cursor === null ? "" : `&cursor=${page.body.next_cursor}`
    } while (cursor !== "")
    expect(new Set(found).size).toBe(found.length)
    expect(found.slice(-30)).toEqual(newestIdsFirst(before))
  })

  it("GET /v1/transactions refuses a cursor of another list, seller, mode or filter, and an altered one", async () => {
    const cursor = (await list("limit=5")).body.next_cursor ?? ""
    expect((await list(`limit=9&cursor=${cursor}`)).status).toBe(200)
    const other = await stage.newSeller()
    const foreign = [
      list(`limit=5&status=pending&cursor=${cursor}`),
      list(`limit=5&to=2999-01-01&cursor=${cursor}`),
      list(`limit=5&cursor=${cursor}`, other.test),
      list(`limit=5&cursor=${cursor}`, seller.live),
      seller.test.get<Page<Transaction>>(`/v1/events?cursor=${cursor}`),
      seller.test.get<Page<Transaction>>(`/v1/webhook-deliveries?cursor=${cursor}`),
      ...alteredCursors(cursor).map((altered) => list(`limit=5&cursor=${altered}`)),
    ]
    for (const answer of await Promise.all(foreign)) {
      const { error } = answer.body as unknown as ErrorBody
      expect([answer.status, error.code, error.param]).toEqual([400, "invalid_cursor", "cursor"])
    }
  })

  it.each([
    ["limit", "limit=0"],
    ["limit", "limit=101"],
    ["limit", "limit=-1"],
    ["limit", "limit=1.5"],
    ["limit", "limit=ten"],
    ["limit", "limit="],
    ["limit", "limit=1e1"],
    ["limit", "limit=5&limit=6"],
    ["status", "status=open"],
    ["status", "status="],
    ["from", "from=yesterday"],
    ["from", "from=2026-13-01"],
    ["from", "from=1700000000"],
    ["to", "to=2026-11-21T10:00:00"],
    ["to", "to=%E0%A4%A"],
  ])("GET /v1/transactions answers 400 at %s for ?%s", async (param, query) => {
    const answer = await seller.test.get<ErrorBody>(`${path}?${query}`)
    expect([answer.status, answer.body.error.code, answer.body.error.param]).toEqual([
      400,
      "validation_failed",
      param,
    ])
  })

  it("GET /v1/transactions ignores unknown parameters", async () => {
    expect((await list("colour=blue&limit=1")).status).toBe(200)
  })
})

describe("GET /v1/transactions/{id}", () => {
  it("GET /v1/transactions/{id} shows only the seller's own charges of the key's mode", async () => {
    const [own] = charges
    const id = own?.id ?? ""
    expect((await getCharge(seller.test, id)).status).toBe(200)
    const other = await stage.newSeller({ partition: seller.partition })
    const unknown = `${id.slice(0, -1)}${id.endsWith("0") ? "1" : "0"}`
    for (const [client, wanted] of [
      [other.test, id],
      [other.live, id],
      [seller.live, id],
      [seller.test, unknown],
      [seller.test, id.toLowerCase()],
      [seller.test, id.replace("txn_", "evt_")],
      [seller.test, `${id}0`],
      [seller.test, "txn_"],
      [seller.test, encodeURIComponent("../ready")],
      [seller.test, encodeURIComponent("txn_*")],
    ] as const) {
      const answer = await client.get<ErrorBody>(`${path}/${wanted}`)
      expect([wanted, answer.status, answer.body.error.code]).toEqual([wanted, 404, "resource_not_found"])
      expect(answer.body.error.type).toBe("not_found_error")
    }
  })
})
