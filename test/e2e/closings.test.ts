import { randomBytes } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { dayAfter, dayOf, dayStartMillis } from "../../actors/values/saoPauloDays.ts"
import type { Mode } from "../../schema/ids.ts"
import type { Closing, ClosingDetail } from "../../schema/resources/closing.ts"
import { closingLeaseKey, ledgerKey } from "../../src/store/keys.ts"
import { runOps } from "../ops/cli.ts"
import { signInAsOperator } from "../support/dashboard.ts"
import { startTestRedis, type TestRedis } from "../support/redis.ts"
import { type ErrorBody, eventually, type Page } from "./support/client.ts"
import { type DashboardClient, dashboardClient } from "./support/dashboardClient.ts"
import { openStage, type Seller, type Stage } from "./support/stage.ts"

const settings = { ENCRYPTION_KEY: randomBytes(32).toString("base64") }
const today = dayOf(Date.now())
/** Three days ago, two days ago, and yesterday, which may not be due yet. */
const [first, second] = [dayAfter(today, -3), dayAfter(today, -2)] as const

let redis: TestRedis
let stage: Stage
let sellers: ReadonlyArray<Seller>
let operator: DashboardClient

/** Writes a payment into a seller's ledger, as the store would have done then. */
const pay = (seller: Seller, mode: Mode, day: string, gained: number, left: number) =>
  stage.redis(
    ...["XADD", ledgerKey({ sellerId: seller.id, mode }), `${dayStartMillis(day)}-0`],
    ...["seq", "1", "kind", "charge_paid", "resource_type", "transaction", "resource", "txn_x", "event", ""],
    ...["postings", `external:-${gained} available:${gained}`],
    ...["balance", `available:${left} reserve:0 pending_withdraw:0 pending_refund:0`],
  )

beforeAll(async () => {
  redis = await startTestRedis()
  stage = await openStage(settings, { redisUrl: redis.url })
  sellers = [await stage.newSeller(), await stage.newSeller(), await stage.newSeller()]
  const [one, two] = sellers as [Seller, Seller]
  await pay(one, "live", first, 100, 100)
  await pay(one, "live", second, 50, 150)
  await pay(two, "live", second, 7, 7)
  // Days are closed at the start of a process, too.
  await stage.redis("DEL", closingLeaseKey)
  await stage.service.restart()
  operator = dashboardClient(stage.service.url, await signInAsOperator(stage.service))
  await eventually("the day to be closed", async () => {
    const { status } = await operator.get(`/v1/admin/closings/${second}`)
    return status === 200 ? true : undefined
  })
})
afterAll(async () => {
  await stage?.close()
  await redis?.stop()
})

const amounts = (available: number) => ({
  ...{ available, reserve: 0, pending_withdraw: 0, pending_refund: 0 },
  ...{ external: -available || 0, fees: 0 },
})
const books = (opening: number, moved: number) => ({
  opening: amounts(opening),
  movements: moved === 0 ? {} : { charge_paid: amounts(moved) },
  closing: amounts(opening + moved),
})

const detailOf = async (day: string, query = "") =>
  (await operator.get<ClosingDetail>(`/v1/admin/closings/${day}${query}`)).body

describe("closed days", () => {
  it("missed days are closed at a start, and show the platform's books", async () => {
    expect(await detailOf(first)).toMatchObject({
      ...{ object: "closing", day: first, mode: "live", difference: 0, partner: null, next_cursor: null },
      platform: books(0, 100),
    })
    // The sellers were made today: none of them is of that day.
    expect(await detailOf(second)).toMatchObject({ platform: books(100, 57), sellers: [] })
  })

  it("closings are listed newest first, page by page, and by mode", async () => {
    const list = async (query: string) =>
      (await operator.get<Page<Closing>>(`/v1/admin/closings?${query}`)).body
    const all = await list("")
    const days = all.data.map(({ day }) => day)
    expect(days.slice(-2)).toEqual([second, first])
    expect(days).toEqual(days.toSorted().reverse())
    expect(all.data.at(-1)).toEqual({
      ...{ object: "closing", day: first, mode: "live", difference: 0 },
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
    })
    const page = await list("limit=1")
    expect(page.data).toEqual(all.data.slice(0, 1))
    expect((await list(`limit=1&cursor=${page.next_cursor}`)).data).toEqual(all.data.slice(1, 2))
    expect((await list("mode=test")).data).toEqual([])
    const other = await operator.get<ErrorBody>(`/v1/admin/closings?mode=test&cursor=${page.next_cursor}`)
    expect(other.body.error.code).toBe("invalid_cursor")
  })

  it("a day that is not closed is 404, and so is what is no day", async () => {
    for (const path of [`${today}`, `${dayAfter(first, -1)}`, `${second}?mode=test`, "2026-02-30", "x"]) {
      const { status, body } = await operator.get<ErrorBody>(`/v1/admin/closings/${path}`)
      expect([path, status, body.error.code]).toEqual([path, 404, "resource_not_found"])
    }
  })

  it("operators read a closing on the command line", async () => {
    const ops = (...args: ReadonlyArray<string>) =>
      runOps(["closing", "show", ...args], { ...settings, REDIS_URL: redis.url })
    const shown = await ops("--day", second, "--mode", "live")
    expect(shown).toMatchObject({ exitCode: 0, stderr: "" })
    expect(shown.document).toMatchObject({ day: second, platform: books(100, 57), more_sellers: false })
    expect((await ops("--day", today)).exitCode).toBe(1)
  })
})
