import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Exception } from "../../schema/resources/exception.ts"
import type { AuditEntry } from "../../schema/resources/operator.ts"
import { signInAsSeller } from "../support/dashboard.ts"
import { alteredCursors, type ErrorBody, type Page, readAll } from "./support/client.ts"
import { type DashboardClient, dashboardClient, openTwoOperators } from "./support/dashboardClient.ts"
import { openExceptionStore } from "./support/exceptions.ts"
import { paidCharge } from "./support/refunds.ts"
import { openStage, type Stage } from "./support/stage.ts"
import { balanceOf, errorOf, ledgerOf } from "./support/withdrawals.ts"

const path = "/v1/admin/exceptions"

let stage: Stage
let ana: DashboardClient
let rui: DashboardClient
let exceptions: ReturnType<typeof openExceptionStore>
beforeAll(async () => {
  stage = await openStage({ SIMULATOR_DELAY_MS: "50", OPERATOR_APPROVALS: "2" })
  ;({ ana, rui } = await openTwoOperators(stage.service))
  exceptions = openExceptionStore(stage)
})
afterAll(async () => {
  await exceptions?.dispose()
  await stage?.close()
})

const get = async (id: string) => (await ana.get<Exception>(`${path}/${id}`)).body
const resolve = <T = Exception>(by: DashboardClient, id: string, body: unknown) =>
  by.send<T>("POST", `${path}/${id}/resolve`, body)
const actsOn = async (id: string) =>
  (await ana.get<Page<AuditEntry>>("/v1/admin/audit?limit=100")).body.data
    .filter(({ resource_id }) => resource_id === id)
    .map(({ action }) => action)

describe("exceptions, for operators", () => {
  it("operators list exceptions newest first by state and kind, page by page, and see each whole", async () => {
    const ids = [
      await exceptions.openUnknown(),
      await exceptions.openUnknown("payout_unknown"),
      await exceptions.openUnknown(),
    ]
    await resolve(ana, ids[1] ?? "", { act: "dismiss", reason: "the owner's own" })
    const listed = async (query: string) =>
      (await readAll<Exception>(ana, path, query)).map(({ id }) => id).filter((id) => ids.includes(id))
    const [a = "", b = "", c = ""] = ids
    expect(new Set(await listed("limit=1"))).toEqual(new Set(ids))
    expect((await listed("limit=2")).toSorted().toReversed()).toEqual(await listed("limit=2"))
    expect(new Set(await listed("state=open&limit=1"))).toEqual(new Set([a, c]))
    expect(await listed("state=resolved&limit=1")).toEqual([b])
    expect(await listed("kind=payout_unknown&limit=1")).toEqual([b])
    expect(await listed("state=open&kind=payout_unknown&limit=1")).toEqual([])
    const shown = await get(a)
    expect(shown).toMatchObject({ id: a, object: "exception", kind: "payment_unknown", state: "open" })
    expect((await ana.get<Page<Exception>>(`${path}?limit=100`)).body.data).toContainEqual(shown)
  })

  it("a cursor is valid for its own filters only, and unknown filters and ids are refused", async () => {
    await exceptions.openUnknown()
    await exceptions.openUnknown()
    const { body } = await ana.get<Page<Exception>>(`${path}?state=open&limit=1`)
    const cursor = body.next_cursor ?? ""
    const refused = [
      ...alteredCursors(cursor)
        .slice(0, 5)
        .map((altered) => `state=open&cursor=${altered}`),
    ]
    for (const query of [...refused, `cursor=${cursor}`, `state=resolved&cursor=${cursor}`]) {
      expect(errorOf(await ana.get<never>(`${path}?${query}`)), query).toMatchObject({
        code: "invalid_cursor",
      })
    }
    for (const query of ["state=pending", "kind=late_payment", "limit=0", "limit=101"]) {
      expect((await ana.get<ErrorBody>(`${path}?${query}`)).status, query).toBe(400)
    }
    for (const id of ["exc_00000000000000000000000000", "txn_1", "x"]) {
      expect(errorOf(await ana.get<never>(`${path}/${id}`))).toMatchObject({ status: 404 })
      const answer = await resolve<never>(ana, id, { act: "dismiss", reason: "a doubt" })
      expect(errorOf(answer)).toMatchObject({ status: 404, code: "resource_not_found" })
    }
  })

  it("dismissing needs one operator, is logged once, and ends the exception", async () => {
    const id = await exceptions.openUnknown("payout_unknown")
    const { status, body } = await resolve(ana, id, { act: "dismiss", reason: "the owner's own" })
    expect(status).toBe(200)
    expect(body).toMatchObject({ state: "resolved", act: "dismiss", reason: "the owner's own" })
    expect(body.resolved_by).toMatch(/^[0-9a-f-]{36}$/)
    expect(await get(id)).toEqual(body)
    const again = await resolve<never>(rui, id, { act: "dismiss", reason: "once more" })
    expect(errorOf(again)).toMatchObject({ status: 409, code: "invalid_state" })
    expect(await actsOn(id)).toEqual(["exception.dismissed"])
  })

  it("a payment that names no charge is credited to a seller once two operators say so", async () => {
    const seller = await stage.newSeller()
    const id = await exceptions.openUnknown()
    const credit = { act: "credit", reason: "the payer says so", seller_id: seller.id }
    for (const _ of [1, 2]) {
      const first = await resolve<object>(ana, id, credit)
      expect([first.status, first.body]).toEqual([202, { status: "awaiting_second_operator" }])
    }
    expect(await balanceOf(seller.live)).toMatchObject({ available: 0 })
    const { status, body } = await resolve(rui, id, credit)
    expect([status, body.state, body.seller_id]).toEqual([200, "resolved", seller.id])
    expect(body.resolved_by?.split(",")).toHaveLength(2)
    expect(await balanceOf(seller.live)).toMatchObject({ available: 700 })
    expect(await ledgerOf(seller.live)).toMatchObject([
      { kind: "payment_credited", resource_type: "exception", resource_id: id },
    ])
    const told = await seller.live.get<Page<{ type: string; data: { object: Exception } }>>(
      `/v1/events?resource_type=exception&resource_id=${id}`,
    )
    expect(told.body.data).toMatchObject([
      { type: "exception.credited", data: { object: { id, amount: 700, resolved_by: null, reason: null } } },
    ])
  })

  it("a second payment of a charge in test mode is credited by one operator", async () => {
    const seller = await stage.newSeller()
    const charge = await paidCharge(seller.test, 5_000)
    const before = await balanceOf(seller.test)
    const id = await exceptions.openSecond(charge.id, seller.id, "test")
    expect((await resolve(ana, id, { act: "credit", reason: "both are meant" })).status).toBe(200)
    expect(await balanceOf(seller.test)).toMatchObject({ available: before.available + 700 })
    expect(await actsOn(id)).toEqual(["exception.credited"])
  })

  it("a call that cannot be is refused, and not logged", async () => {
    const id = await exceptions.openUnknown()
    const refused: ReadonlyArray<readonly [body: object, status: number, code: string]> = [
      [{ act: "debit", reason: "r" }, 409, "invalid_state"],
      [{ act: "credit", reason: "r" }, 400, "validation_failed"],
      [{ act: "credit", reason: "" }, 400, "validation_failed"],
      [{ act: "credit" }, 400, "validation_failed"],
      [{ act: "dismiss", reason: "r".repeat(201) }, 400, "validation_failed"],
      [{ act: "keep", reason: "r" }, 400, "validation_failed"],
    ]
    for (const [body, status, code] of refused) {
      expect(errorOf(await resolve<never>(ana, id, body)), JSON.stringify(body)).toMatchObject({
        status,
        code,
      })
    }
    expect(await actsOn(id)).toEqual([])
    const longest = { act: "dismiss", reason: "r".repeat(200) }
    expect((await resolve(ana, id, longest)).body).toMatchObject({ state: "resolved" })
  })

  it("a seller's session sees no exceptions and resolves none", async () => {
    const seller = await stage.newSeller()
    const id = await exceptions.openUnknown()
    const session = dashboardClient(stage.service.url, await signInAsSeller(stage.service, seller.id), "live")
    expect(errorOf(await session.get<never>(path))).toMatchObject({ status: 403, code: "permission_denied" })
    const answer = await resolve<never>(session, id, { act: "dismiss", reason: "mine" })
    expect(errorOf(answer)).toMatchObject({ status: 403, code: "permission_denied" })
    expect(await get(id)).toMatchObject({ state: "open" })
  })
})
