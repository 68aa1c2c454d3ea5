import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Event } from "../../schema/resources/event.ts"
import type { AuditEntry } from "../../schema/resources/operator.ts"
import type { SellerProfile } from "../../schema/resources/seller.ts"
import { type DashboardSession, signInAsOperator, signInAsSeller } from "../support/dashboard.ts"
import { chargeBody, postCharge } from "./support/charges.ts"
import { alteredCursors, type ErrorBody, eventually, type Page } from "./support/client.ts"
import { type DashboardClient, dashboardClient } from "./support/dashboardClient.ts"
import { openStage, type Seller, type Stage } from "./support/stage.ts"

const sellersPath = "/v1/admin/sellers"
const auditPath = "/v1/admin/audit"

let stage: Stage
let session: DashboardSession
let operator: DashboardClient
beforeAll(async () => {
  stage = await openStage()
  session = await signInAsOperator(stage.service)
  operator = dashboardClient(stage.service.url, session)
})
afterAll(() => stage?.close())

const act = <T = SellerProfile>(seller: Seller, what: string, body: unknown) =>
  operator.send<T>(what === "settings" ? "PATCH" : "POST", `${sellersPath}/${seller.id}/${what}`, body)

const newestEvents = async (seller: Seller) => {
  const feeds = await Promise.all(
    [seller.live, seller.test].map(async (client) => {
      const { body } = await client.get<Page<Event>>("/v1/events?types=seller.*")
      return body.data.map(({ type, data }) => ({ type, seller: data.object }))
    }),
  )
  expect(feeds[0]).toEqual(feeds[1])
  return feeds[0] ?? []
}

/** The acts of operators on a seller, newest first. */
const actsOn = async (seller: Seller) => {
  const { body } = await operator.get<Page<AuditEntry>>(`${auditPath}?limit=100`)
  return body.data.filter(({ resource_id }) => resource_id === seller.id)
}

const inOneHour = () => new Date(Date.now() + 3_600_000).toISOString()

describe("an operator", () => {
  it.each(["approved", "rejected"] as const)(
    "an operator's KYC decision of %s is stored, announced by an event and logged",
    async (status) => {
      const seller = await stage.newSeller({ kycStatus: "pending", document: "52998224725" })
      const answer = await act(seller, "kyc", { status, reason: "as it should be" })
      expect([answer.status, answer.body.kyc_status]).toEqual([200, status])
      expect(await newestEvents(seller)).toEqual([{ type: `seller.kyc_${status}`, seller: answer.body }])
      expect(await actsOn(seller)).toEqual([
        {
          id: expect.any(String),
          action: `seller.kyc_${status}`,
          operator_id: session.userId,
          resource_type: "seller",
          resource_id: seller.id,
          details: { status, reason: "as it should be" },
          created_at: expect.any(String),
          ip_address: expect.any(String),
        },
      ])
    },
  )

  it("an operator cannot approve a seller that has submitted no document, but can reject it", async () => {
    const seller = await stage.newSeller({ kycStatus: "pending" })
    const refused = await act<ErrorBody>(seller, "kyc", { status: "approved" })
    expect([refused.status, refused.body.error.code]).toEqual([409, "invalid_state"])
    expect(await actsOn(seller)).toEqual([])
    expect((await act(seller, "kyc", { status: "rejected" })).body.kyc_status).toBe("rejected")
  })

  it("a seller that an operator suspends cannot create charges until it is active again", async () => {
    const seller = await stage.newSeller()
    const suspended = await act(seller, "status", { status: "suspended" })
    expect(suspended.body.status).toBe("suspended")
    const refused = await postCharge(seller.test, chargeBody())
    expect([refused.status, refused.body.error.code]).toEqual([403, "seller_not_allowed"])
    await act(seller, "status", { status: "active" })
    expect((await postCharge(seller.test, chargeBody())).status).toBe(201)
    expect((await newestEvents(seller)).map(({ type }) => type)).toEqual(["seller.updated", "seller.updated"])
  })

  it("an operator sets and clears a seller's payout lock, each with an event and a log entry", async () => {
    const seller = await stage.newSeller()
    const until = inOneHour()
    const locked = await act(seller, "payout-lock", { until, reason: "a doubt" })
    expect([locked.status, locked.body.payout_locked_until]).toEqual([200, until])
    const unlocked = await act(seller, "payout-lock", { until: null })
    expect(unlocked.body.payout_locked_until).toBeNull()
    expect(await newestEvents(seller)).toEqual([
      { type: "seller.updated", seller: unlocked.body },
      { type: "seller.payout_locked", seller: locked.body },
    ])
    expect((await actsOn(seller)).map(({ action, details }) => ({ action, details }))).toEqual([
      { action: "seller.payouts_unlocked", details: { until: null } },
      { action: "seller.payouts_locked", details: { until, reason: "a doubt" } },
    ])
  })

  it.each(["2020-01-01T00:00:00Z", "tomorrow", 5, undefined])(
    "an operator cannot lock a seller's payouts until %s",
    async (until) => {
      const seller = await stage.newSeller()
      const { status, body } = await act<ErrorBody>(seller, "payout-lock", { until })
      expect([status, body.error.code, body.error.param]).toEqual([400, "validation_failed", "until"])
      expect(await actsOn(seller)).toEqual([])
    },
  )

  it("an operator changes a seller's fees, and new charges soon pay them", async () => {
    const seller = await stage.newSeller()
    const before = await operator.get<SellerProfile>(`${sellersPath}/${seller.id}`)
    const { body } = await act(seller, "settings", { charge_fee_bps: 100, charge_fee_fixed: 30 })
    expect(body.settings).toEqual({
      ...before.body.settings,
      charge_fee_bps: 100,
      charge_fee_fixed: 30,
    })
    expect(await newestEvents(seller)).toEqual([{ type: "seller.updated", seller: body }])
    await eventually("a charge under the new fee", async () => {
      const { body: charge } = await postCharge<{ fee: number }>(seller.test, chargeBody({ amount: 10_000 }))
      return charge.fee === 130 ? charge : undefined
    })
  })

  it.each([
    [{ charge_fee_bps: 10_001 }, "charge_fee_bps"],
    [{ charge_fee_bps: -1 }, "charge_fee_bps"],
    [{ reserve_bps: 10_001 }, "reserve_bps"],
    [{ reserve_days: 366 }, "reserve_days"],
    [{ withdrawal_fee: 1_000_000_000_000 }, "withdrawal_fee"],
    [{ withdrawal_daily_count: 21 }, "withdrawal_daily_count"],
    [{ withdrawal_auto_approval: "yes" }, "withdrawal_auto_approval"],
  ])("an operator cannot set a seller's %j", async (settings, param) => {
    const seller = await stage.newSeller()
    const { status, body } = await act<ErrorBody>(seller, "settings", settings)
    expect([status, body.error.code, body.error.param]).toEqual([400, "validation_failed", param])
  })

  it("an operator can set every setting of a seller to its maximum", async () => {
    const seller = await stage.newSeller()
    const settings = {
      charge_fee_bps: 10_000,
      charge_fee_fixed: 999_999_999_999,
      reserve_bps: 10_000,
      reserve_days: 365,
      withdrawal_fee: 999_999_999_999,
      withdrawal_daily_value: 999_999_999_999,
      withdrawal_daily_count: 20,
      withdrawal_auto_approval: true,
    }
    expect((await act(seller, "settings", settings)).body.settings).toEqual(settings)
    expect((await operator.get<SellerProfile>(`${sellersPath}/${seller.id}`)).body.settings).toEqual(settings)
  })

  it("an operator's act that changes nothing leaves no event and no log entry", async () => {
    const seller = await stage.newSeller()
    await act(seller, "kyc", { status: "approved" })
    await act(seller, "status", { status: "active" })
    await act(seller, "payout-lock", { until: null })
    await act(seller, "settings", {})
    expect(await newestEvents(seller)).toEqual([])
    expect(await actsOn(seller)).toEqual([])
  })

  it.each(["kyc", "status", "payout-lock", "settings"])(
    "an operator's %s request for an unknown seller is 404",
    async (what) => {
      const bodies: Readonly<Record<string, unknown>> = {
        kyc: { status: "approved" },
        status: { status: "suspended" },
        "payout-lock": { until: inOneHour() },
        settings: { reserve_days: 1 },
      }
      const seller = await stage.newSeller()
      for (const id of [`${seller.id.slice(0, -1)}${seller.id.endsWith("0") ? "1" : "0"}`, "sel_1"]) {
        const method = what === "settings" ? "PATCH" : "POST"
        const { status, body } = await operator.send(method, `${sellersPath}/${id}/${what}`, bodies[what])
        expect([status, body.error.code]).toEqual([404, "resource_not_found"])
        expect((await operator.get(`${sellersPath}/${id}`)).status).toBe(404)
      }
    },
  )

  it("operators' routes refuse an operator without a step-up, and a seller", async () => {
    const seller = await stage.newSeller()
    const bare = dashboardClient(
      stage.service.url,
      await signInAsOperator(stage.service, { isSteppedUp: false }),
    )
    const shop = dashboardClient(stage.service.url, await signInAsSeller(stage.service, seller.id))
    for (const path of [sellersPath, `${sellersPath}/${seller.id}`, auditPath]) {
      const unproven = await bare.get<ErrorBody>(path)
      expect([unproven.status, unproven.body.error.code]).toEqual([403, "mfa_required"])
      const stranger = await shop.get<ErrorBody>(path)
      expect([stranger.status, stranger.body.error.code]).toEqual([403, "permission_denied"])
    }
    const refused = await shop.send("POST", `${sellersPath}/${seller.id}/status`, { status: "suspended" })
    expect(refused.status).toBe(403)
  })
})

/** Reads a list to its end, page by page. */
const readPages = async <T>(path: string, query: string) => {
  const items: Array<T> = []
  let cursor: string | null = null
  do {
    const suffix: string = cursor === null ? "" : `&cursor=${cursor}`
    const { status, body, text } = await operator.get<Page<T>>(`${path}?${query}${suffix}`)
    if (status !== 200) throw new Error(text)
    items.push(...body.data)
    cursor = body.next_cursor
  } while (cursor !== null)
  return items
}

describe("the list of sellers", () => {
  it("the list of sellers has each seller of every partition once, newest first, and takes filters", async () => {
    const made = new Set<string>()
    for (const [i, kycStatus] of (["rejected", "pending", "rejected", "none"] as const).entries()) {
      made.add((await stage.newSeller({ kycStatus, partition: i * 20 })).id)
    }
    const all = (await readPages<SellerProfile>(sellersPath, "limit=3")).map(({ id }) => id)
    expect(new Set(all).size).toBe(all.length)
    expect(all).toEqual([...all].sort().reverse())
    expect(all.slice(0, 4).sort()).toEqual([...made].sort())

    const rejected = await readPages<SellerProfile>(sellersPath, "limit=1&kyc_status=rejected&status=active")
    expect(rejected.filter(({ id }) => made.has(id))).toHaveLength(2)
    expect(new Set(rejected.map(({ kyc_status }) => kyc_status))).toEqual(new Set(["rejected"]))
    const [first] = rejected
    expect((await operator.get(`${sellersPath}/${first?.id}`)).body).toEqual(first)
  })

  it("operators' lists refuse a cursor of another list or filter, and an altered one", async () => {
    const { body } = await operator.get<Page<unknown>>(`${sellersPath}?limit=1`)
    const cursor = body.next_cursor ?? ""
    expect((await operator.get(`${sellersPath}?cursor=${cursor}`)).status).toBe(200)
    for (const query of [
      `${sellersPath}?status=active&cursor=${cursor}`,
      `${auditPath}?cursor=${cursor}`,
      ...alteredCursors(cursor)
        .slice(0, 60)
        .map((altered) => `${sellersPath}?cursor=${altered}`),
    ]) {
      const answer = await operator.get<ErrorBody>(query)
      expect([query, answer.status, answer.body.error?.code]).toEqual([query, 400, "invalid_cursor"])
    }
  })

  it.each(["status=gone", "kyc_status=maybe", "limit=0", "limit=101"])(
    "the list of sellers refuses ?%s",
    async (query) => {
      const { status, body } = await operator.get<ErrorBody>(`${sellersPath}?${query}`)
      expect([status, body.error.param]).toEqual([400, query.split("=")[0]])
    },
  )
})

describe("the operators' log", () => {
  it("the operators' log is read newest first, page by page", async () => {
    const seller = await stage.newSeller()
    for (const reserve_days of [1, 2, 3]) await act(seller, "settings", { reserve_days })
    const own = (await readPages<AuditEntry>(auditPath, "limit=2")).filter(
      ({ resource_id }) => resource_id === seller.id,
    )
    expect(own.map(({ details }) => details)).toEqual(
      [3, 2, 1].map((reserve_days) => ({ reserve_days, previous: { reserve_days: reserve_days - 1 } })),
    )
  })
})
