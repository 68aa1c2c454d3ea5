import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Exception, ResolveManyExceptions } from "../../schema/resources/exception.ts"
import type { AuditEntry } from "../../schema/resources/operator.ts"
import { auditVerify, soundBooks } from "./support/apiPix.ts"
import { eventually, type Page } from "./support/client.ts"
import { type DashboardClient, openTwoOperators } from "./support/dashboardClient.ts"
import { openExceptionStore } from "./support/exceptions.ts"
import { openStage, type Stage } from "./support/stage.ts"
import { balanceOf, errorOf } from "./support/withdrawals.ts"

const path = "/v1/admin/exceptions"
interface Many {
  readonly resolved: number
  readonly failed: ReadonlyArray<{ readonly id: string; readonly code: string }>
}

let stage: Stage
let ana: DashboardClient
let rui: DashboardClient
let exceptions: ReturnType<typeof openExceptionStore>
const open = async (operatorApprovals: string) => {
  stage = await openStage({ SIMULATOR_DELAY_MS: "50", OPERATOR_APPROVALS: operatorApprovals })
  ;({ ana, rui } = await openTwoOperators(stage.service))
  exceptions = openExceptionStore(stage)
}
const close = async () => {
  await exceptions?.dispose()
  await stage?.close()
}

const openMany = (
  count: number,
  kind?: "payment_unknown" | "payout_unknown",
): Promise<ReadonlyArray<string>> =>
  Promise.all(Array.from({ length: count }, () => exceptions.openUnknown(kind)))
const resolveMany = <T = Many>(by: DashboardClient, body: Partial<ResolveManyExceptions>) =>
  by.send<T>("POST", `${path}/resolve`, { act: "dismiss", reason: "of the account's past", ...body })
const get = async (id: string) => (await ana.get<Exception>(`${path}/${id}`)).body
const openOf = async (kind: string) =>
  (await ana.get<Page<Exception>>(`${path}?state=open&kind=${kind}&limit=100`)).body.data.map(({ id }) => id)

describe("many exceptions at once", () => {
  beforeAll(() => open("1"))
  afterAll(close)

  it("each is resolved as by itself, and those that cannot be are named with their codes", async () => {
    const [a = "", b = "", c = ""] = await openMany(3)
    await ana.send("POST", `${path}/${b}/resolve`, { act: "dismiss", reason: "another" })
    const none = "exc_00000000000000000000000000"
    const { status, body } = await resolveMany(ana, { ids: [a, b, none, c, c, "x"] })
    expect(status).toBe(200)
    expect(body).toEqual({
      resolved: 2,
      failed: [
        { id: b, code: "invalid_state" },
        { id: none, code: "resource_not_found" },
        { id: "x", code: "resource_not_found" },
      ],
    })
    expect(await get(a)).toMatchObject({ state: "resolved", act: "dismiss", reason: "of the account's past" })
    expect(await get(b)).toMatchObject({ reason: "another" })
    const log = (await ana.get<Page<AuditEntry>>("/v1/admin/audit?limit=100")).body.data
    expect(
      log
        .filter(({ action }) => action === "exception.dismissed")
        .map(({ resource_id }) => resource_id)
        .sort(),
    ).toEqual([a, b, c].sort())
    // The same call again, as after an answer that was lost.
    expect((await resolveMany(ana, { ids: [a, c] })).body).toEqual({ resolved: 2, failed: [] })
    expect((await resolveMany(rui, { ids: [a] })).body).toMatchObject({
      resolved: 0,
      failed: [{ code: "invalid_state" }],
    })
  })

  it("a call names 1 to 500 exceptions by ids, or a kind and a moment, and not both", async () => {
    const ids = await openMany(1)
    const moment = "2026-01-01T00:00:00Z"
    const refused: ReadonlyArray<readonly [body: object, param: string]> = [
      [{ ids: [] }, "ids"],
      [{ ids: Array.from({ length: 501 }, (_, nth) => `exc_${nth}`) }, "ids"],
      [{}, "ids"],
      [{ ids, kind: "payment_unknown" }, "ids"],
      [{ ids, created_before: moment }, "ids"],
      [{ ids, kind: "payment_unknown", created_before: moment }, "ids"],
      [{ kind: "payment_unknown" }, "created_before"],
      [{ created_before: moment }, "kind"],
      [{ kind: "payment_lost", created_before: moment }, "kind"],
      [{ kind: "payment_unknown", created_before: "yesterday" }, "created_before"],
      [{ kind: "payout_unknown", created_before: moment, act: "credit" }, "act"],
      [{ ids, act: "keep" }, "act"],
      [{ ids, reason: "" }, "reason"],
      [{ ids, reason: " " }, "reason"],
      [{ ids, reason: "r".repeat(201) }, "reason"],
    ]
    for (const [body, param] of refused) {
      const answer = await resolveMany<never>(ana, body)
      expect(errorOf(answer), JSON.stringify(body).slice(0, 100)).toMatchObject({
        ...{ status: 400, code: "validation_failed", param },
      })
    }
    expect(await get(ids[0] ?? "")).toMatchObject({ state: "open" })
    expect((await resolveMany(ana, { ids })).body).toEqual({ resolved: 1, failed: [] })
  })

  it("those of a kind that were created before a moment are resolved, and no others", async () => {
    const unknown = await openMany(3)
    const payout = await exceptions.openUnknown("payout_unknown")
    const [, , last = ""] = unknown.toSorted()
    const { created_at } = await get(last)
    await new Promise((resume) => setTimeout(resume, 5))
    const later = await exceptions.openUnknown()
    const before = new Date(Date.parse(created_at) + 1).toISOString()
    const body = { kind: "payment_unknown", created_before: before } as const
    expect((await resolveMany(ana, body)).body).toEqual({ resolved: 3, failed: [] })
    expect(await openOf("payment_unknown")).toEqual([later])
    expect(await openOf("payout_unknown")).toEqual([payout])
    expect((await resolveMany(ana, body)).body).toEqual({ resolved: 0, failed: [] })
    // Created at the moment is not before it.
    const exactly = { ...body, created_before: (await get(later)).created_at }
    expect((await resolveMany(ana, exactly)).body).toEqual({ resolved: 0, failed: [] })
  })

  it("500 are credited once each, though the process is killed in between and the call is repeated", async () => {
    const seller = await stage.newSeller()
    const ids = await openMany(500)
    const body = { ids, act: "credit", seller_id: seller.id } as const
    const cut = resolveMany(ana, body).catch(() => undefined)
    await eventually("the first credits", async () =>
      (await balanceOf(seller.live)).available > 0 ? true : undefined,
    )
    await stage.service.kill9()
    await cut
    await stage.service.restart()
    // One is of the test before.
    expect((await openOf("payment_unknown")).length).toBeGreaterThan(1)
    const { status, body: answer } = await resolveMany(ana, body)
    expect([status, answer]).toEqual([200, { resolved: 500, failed: [] }])
    await eventually("all credits", async () =>
      (await balanceOf(seller.live)).available === 500 * 700 ? true : undefined,
    )
    expect(await auditVerify(stage)).toEqual(soundBooks)
  })

  it("501 of a kind are resolved by two calls of 500 at most", async () => {
    await openMany(501, "payout_unknown")
    const body = {
      kind: "payout_unknown",
      created_before: new Date(Date.now() + 1_000).toISOString(),
    } as const
    const left = (await openOf("payout_unknown")).length
    expect(left).toBe(100)
    expect((await resolveMany(ana, body)).body).toEqual({ resolved: 500, failed: [] })
    // One is of the test before.
    expect((await resolveMany(ana, body)).body).toEqual({ resolved: 2, failed: [] })
  })
})

describe("many exceptions at once, where two operators are asked for", () => {
  beforeAll(() => open("2"))
  afterAll(close)

  it("one second call does the act on all of them; the first operator alone does it on none", async () => {
    const seller = await stage.newSeller()
    const ids = await openMany(20)
    const body = { ids, act: "credit", seller_id: seller.id } as const
    for (const _ of [1, 2]) {
      const first = await resolveMany<object>(ana, body)
      expect([first.status, first.body]).toEqual([202, { status: "awaiting_second_operator" }])
    }
    expect(await balanceOf(seller.live)).toMatchObject({ available: 0 })
    const second = await resolveMany(rui, body)
    expect([second.status, second.body]).toEqual([200, { resolved: 20, failed: [] }])
    expect(await balanceOf(seller.live)).toMatchObject({ available: 20 * 700 })
    expect((await resolveMany(rui, body)).body).toEqual({ resolved: 20, failed: [] })
    expect((await get(ids[0] ?? "")).resolved_by?.split(",")).toHaveLength(2)
  })

  it("an exception that the first call did not name waits for another second call", async () => {
    const seller = await stage.newSeller()
    const [a = "", b = ""] = await openMany(2)
    const body = { act: "credit", seller_id: seller.id } as const
    expect((await resolveMany(ana, { ...body, ids: [a] })).status).toBe(202)
    const second = await resolveMany(rui, { ...body, ids: [a, b] })
    expect([second.status, second.body]).toEqual([
      200,
      { resolved: 1, failed: [{ id: b, code: "awaiting_second_operator" }] },
    ])
    expect((await resolveMany(ana, { ...body, ids: [b] })).body).toEqual({ resolved: 1, failed: [] })
  })

  it("dismissing needs one operator", async () => {
    const ids = await openMany(2)
    expect((await resolveMany(ana, { ids })).body).toEqual({ resolved: 2, failed: [] })
  })
})
