import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { OperatorWithdrawal } from "../../schema/api/operatorWithdrawals.ts"
import type { AuditEntry } from "../../schema/resources/operator.ts"
import type { Withdrawal, WithdrawalStatus } from "../../schema/resources/withdrawal.ts"
import { type DashboardSession, signInAsOperator } from "../support/dashboard.ts"
import { makePixKey } from "../support/pixKey.ts"
import { type Answer, alteredCursors, type ErrorBody, type Page, readAll } from "./support/client.ts"
import { type DashboardClient, dashboardClient } from "./support/dashboardClient.ts"
import { openStage, type Seller, type Stage } from "./support/stage.ts"
import {
  balanceOf,
  errorOf,
  fund,
  getWithdrawal,
  mustCancel,
  withdraw,
  withdrawalEvents,
  withdrawalWhen,
} from "./support/withdrawals.ts"

const path = "/v1/admin/withdrawals"

let stage: Stage
let session: DashboardSession
let operator: DashboardClient
beforeAll(async () => {
  stage = await openStage({ SIMULATOR_DELAY_MS: "50" })
  session = await signInAsOperator(stage.service)
  operator = dashboardClient(stage.service.url, session)
})
afterAll(() => stage?.close())

/** A seller with 200.00 in live, and a withdrawal of it that awaits approval. */
const newAwaiting = async (partition?: number) => {
  const seller = await stage.newSeller(partition === undefined ? {} : { partition })
  await fund(seller.live, 20_000)
  const withdrawal = await withdraw(seller.live, await makePixKey(stage, seller, "live"), 5_000)
  return { seller, withdrawal }
}

const decide = <T = OperatorWithdrawal>(
  act: "approve" | "reject",
  { id }: Pick<Withdrawal, "id">,
  body?: unknown,
): Promise<Answer<T>> => operator.send<T>("POST", `${path}/${id}/${act}`, body)

/** What operators did to a withdrawal, newest first. */
const actsOn = async ({ id }: Pick<Withdrawal, "id">) => {
  const { body } = await operator.get<Page<AuditEntry>>("/v1/admin/audit?limit=100")
  return body.data.filter(({ resource_id }) => resource_id === id)
}

const actOf = (withdrawal: Withdrawal, action: string, details: object) => ({
  id: expect.any(String),
  action,
  operator_id: session.userId,
  resource_type: "withdrawal",
  resource_id: withdrawal.id,
  details,
  created_at: expect.any(String),
  ip_address: expect.any(String),
})

/** The fields that operators see besides, of a seller that may withdraw. */
const ofActive = ({ id }: Pick<Seller, "id">, available = 20_000 - 5_100) => ({
  seller_id: id,
  seller_name: "Loja de teste",
  seller_status: "active",
  payout_locked_until: null,
  available,
})

const onSeller = async ({ id }: Pick<Seller, "id">, what: string, body: unknown): Promise<void> => {
  expect((await operator.send("POST", `/v1/admin/sellers/${id}/${what}`, body)).status).toBe(200)
}

describe("an operator's approval", () => {
  const until = new Date(Date.now() + 3_600_000).toISOString()

  it.each([
    ["a suspended seller", "status", { status: "suspended" }, { reason: "seller_not_allowed" }],
    ["an unidentified seller", "kyc", { status: "rejected" }, { reason: "kyc_required" }],
    ["a payout-locked seller", "payout-lock", { until }, { reason: "payout_locked", locked_until: until }],
  ])(
    "approving the withdrawal of %s is 409 with the reason, and leaves no record",
    async (_, what, body, details) => {
      const { seller, withdrawal } = await newAwaiting()
      await onSeller(seller, what, body)
      expect(errorOf(await decide<ErrorBody>("approve", withdrawal))).toMatchObject({
        status: 409,
        code: "invalid_state",
        details,
      })
      expect(await actsOn(withdrawal)).toEqual([])
      const found = await operator.get<Page<OperatorWithdrawal>>(`${path}?limit=100`)
      expect(found.body.data.find(({ id }) => id === withdrawal.id)).toMatchObject({
        status: "awaiting",
        seller_status: what === "status" ? "suspended" : "active",
        payout_locked_until: what === "payout-lock" ? until : null,
      })
      expect((await decide("reject", withdrawal)).status).toBe(200)
    },
  )

  it("a withdrawal can be approved once the seller's payout lock is gone", async () => {
    const { seller, withdrawal } = await newAwaiting()
    await onSeller(seller, "payout-lock", { until })
    expect((await decide("approve", withdrawal)).status).toBe(409)
    await onSeller(seller, "payout-lock", { until: null })
    expect((await decide("approve", withdrawal)).status).toBe(200)
  })
})

describe("an operator's decision on a withdrawal", () => {
  it("an operator approves a withdrawal, which is then paid out", async () => {
    const { seller, withdrawal } = await newAwaiting()
    const { status, body } = await decide("approve", withdrawal, { reason: "known customer" })
    expect(status).toBe(200)
    expect(body).toEqual({
      ...withdrawal,
      status: "approved",
      approved_at: body.updated_at,
      updated_at: expect.any(String),
      ...ofActive(seller),
    })
    expect(await actsOn(withdrawal)).toEqual([
      actOf(withdrawal, "withdrawal.approved", { reason: "known customer" }),
    ])
    const done = await withdrawalWhen(seller.live, withdrawal.id, "successful")
    expect(done).not.toHaveProperty("seller_id")
    const events = await withdrawalEvents(seller.live, withdrawal.id)
    expect(events.map(({ type }) => type)).toEqual([
      "withdrawal.awaiting",
      "withdrawal.approved",
      "withdrawal.processing",
      "withdrawal.successful",
    ])
  })

  it("an operator rejects a withdrawal with a reason, and its money is returned", async () => {
    const { seller, withdrawal } = await newAwaiting()
    const { status, body } = await decide("reject", withdrawal, { reason: "not your account" })
    expect([status, body.status, body.failure_reason]).toEqual([200, "rejected", "not your account"])
    expect(body.completed_at).toBe(body.updated_at)
    expect({ ...(await getWithdrawal(seller.live, withdrawal.id)), ...ofActive(seller, 20_000) }).toEqual(
      body,
    )
    expect(await balanceOf(seller.live)).toMatchObject({ available: 20_000, pending_withdraw: 0 })
    const events = await withdrawalEvents(seller.live, withdrawal.id)
    expect(events.map(({ type }) => type)).toEqual(["withdrawal.awaiting", "withdrawal.rejected"])
    expect(await actsOn(withdrawal)).toEqual([
      actOf(withdrawal, "withdrawal.rejected", { reason: "not your account" }),
    ])
  })

  const acceptedBodies: ReadonlyArray<readonly [string, { readonly reason?: string } | undefined]> = [
    ["no body", undefined],
    ["an empty object", {}],
    ["a reason of 500 characters", { reason: "x".repeat(500) }],
  ]
  it.each(acceptedBodies)("an operator rejects a withdrawal with %s", async (_, body) => {
    const { withdrawal } = await newAwaiting()
    const { status, body: rejected } = await decide("reject", withdrawal, body)
    expect([status, rejected.failure_reason]).toEqual([200, body?.reason ?? null])
    expect(await actsOn(withdrawal)).toEqual([actOf(withdrawal, "withdrawal.rejected", body ?? {})])
  })

  it.each([
    ["a reason of 501 characters", { reason: "x".repeat(501) }, 400, "validation_failed"],
    ["a number as reason", { reason: 5 }, 400, "validation_failed"],
    ["unfinished JSON", "{", 400, "validation_failed"],
    ["a blank body", " ", 400, "validation_failed"],
    ["a list", "[]", 400, "validation_failed"],
  ])("an operator's decision on a withdrawal with %s is refused", async (_, body, status, code) => {
    const { seller, withdrawal } = await newAwaiting()
    for (const act of ["approve", "reject"] as const) {
      expect(errorOf(await decide<ErrorBody>(act, withdrawal, body))).toMatchObject({ status, code })
    }
    const form = await operator.request<ErrorBody>("POST", `${path}/${withdrawal.id}/approve`, {
      headers: { "Content-Type": "text/plain" },
      body: "reason",
    })
    expect(errorOf(form)).toMatchObject({ status: 415, code: "unsupported_media_type" })
    expect((await getWithdrawal(seller.live, withdrawal.id)).status).toBe("awaiting")
    expect(await actsOn(withdrawal)).toEqual([])
  })

  it("an operator decides a withdrawal once, and a late decision leaves no record", async () => {
    const { seller, withdrawal } = await newAwaiting()
    await decide("approve", withdrawal)
    await withdrawalWhen(seller.live, withdrawal.id, "successful")
    for (const act of ["approve", "reject"] as const) {
      expect(errorOf(await decide<ErrorBody>(act, withdrawal))).toEqual({
        status: 409,
        code: "invalid_state",
        type: "invalid_request_error",
        param: undefined,
        details: { status: "successful" },
      })
    }
    const cancelled = await newAwaiting()
    await mustCancel(cancelled.seller.live, cancelled.withdrawal.id)
    expect(errorOf(await decide<ErrorBody>("reject", cancelled.withdrawal))).toMatchObject({
      details: { status: "cancelled" },
    })
    expect((await actsOn(withdrawal)).length).toBe(1)
    expect(await actsOn(cancelled.withdrawal)).toEqual([])
  })

  it.each(["wd_00000000000000000000000000", "wd_0", "txn_00000000000000000000000000"])(
    "deciding on the unknown withdrawal %s is 404",
    async (id) => {
      for (const act of ["approve", "reject"] as const) {
        expect(errorOf(await decide<ErrorBody>(act, { id }))).toMatchObject({
          status: 404,
          code: "resource_not_found",
        })
      }
      expect(await actsOn({ id })).toEqual([])
    },
  )
})

describe("the operators' list of withdrawals", () => {
  const query = (status: WithdrawalStatus, mode = "live") => `status=${status}&mode=${mode}`
  const idsOf = (all: ReadonlyArray<OperatorWithdrawal>) => all.map(({ id }) => id)
  let awaiting: ReadonlyArray<{ readonly seller: Seller; readonly withdrawal: Withdrawal }>
  beforeAll(async () => {
    const made = []
    for (const partition of [3, 41, 3, 0, 63]) made.push(await newAwaiting(partition))
    awaiting = made
  })

  it("the operators' list of withdrawals has by default the live ones awaiting approval, newest first", async () => {
    const { body } = await operator.get<Page<OperatorWithdrawal>>(`${path}?limit=5`)
    expect(body.data).toEqual(
      awaiting.toReversed().map(({ seller, withdrawal }) => ({ ...withdrawal, ...ofActive(seller) })),
    )
    const explicit = await operator.get<Page<OperatorWithdrawal>>(`${path}?limit=5&${query("awaiting")}`)
    expect(explicit.body).toEqual(body)
  })

  it.each([1, 2, 3, 100])("the operators' list of withdrawals is the same in pages of %i", async (limit) => {
    const all = await readAll<OperatorWithdrawal>(operator, path, `limit=${limit}`)
    expect(idsOf(all).slice(0, 5)).toEqual(awaiting.toReversed().map(({ withdrawal }) => withdrawal.id))
    expect(new Set(idsOf(all)).size).toBe(all.length)
    expect(idsOf(all)).toEqual(idsOf(all).toSorted().toReversed())
  })

  it("the operators' list of withdrawals has each under its own status and mode alone", async () => {
    const { seller, withdrawal } = await newAwaiting()
    await decide("reject", withdrawal)
    await fund(seller.test, 20_000)
    const inTest = await withdraw(seller.test, await makePixKey(stage, seller, "test"), 5_001)
    await withdrawalWhen(seller.test, inTest.id, "processing")
    for (const [filter, wanted] of [
      [query("rejected"), withdrawal.id],
      [query("processing", "test"), inTest.id],
    ] as const) {
      const { body } = await operator.get<Page<OperatorWithdrawal>>(`${path}?limit=1&${filter}`)
      expect(idsOf(body.data)).toEqual([wanted])
    }
    for (const filter of [query("awaiting"), query("processing"), query("awaiting", "test")]) {
      const ids = idsOf(await readAll<OperatorWithdrawal>(operator, path, filter))
      expect(ids).not.toContain(withdrawal.id)
      expect(ids).not.toContain(inTest.id)
    }
  })

  it("the operators' list of one seller's withdrawals has every status, or the one asked for", async () => {
    const { seller, withdrawal } = await newAwaiting()
    await decide("reject", withdrawal)
    const next = await withdraw(seller.live, await makePixKey(stage, seller, "live"), 6_000)
    const listed = async (filter: string) => {
      const found = await readAll<OperatorWithdrawal>(operator, path, `seller_id=${seller.id}${filter}`)
      return idsOf(found)
    }
    expect(await listed("&limit=1")).toEqual([next.id, withdrawal.id])
    expect(await listed("&status=rejected")).toEqual([withdrawal.id])
    expect(await listed("&status=awaiting")).toEqual([next.id])
    expect(await listed("&mode=test")).toEqual([])
    const { body } = await operator.get<Page<OperatorWithdrawal>>(`${path}?seller_id=${seller.id}`)
    expect(body.data[0]).toEqual({ ...next, ...ofActive(seller, 20_000 - 6_100) })
    for (const other of [(await stage.newSeller()).id, "sel_1", "x"]) {
      const answer = await operator.get<Page<OperatorWithdrawal>>(`${path}?seller_id=${other}`)
      expect([answer.status, answer.body.data], other).toEqual([200, []])
    }
  })

  it("the operators' list of withdrawals refuses unknown filters, and altered or foreign cursors", async () => {
    for (const [filter, param] of [
      ["mode=sandbox", "mode"],
      ["status=paid", "status"],
      ["limit=0", "limit"],
    ]) {
      const answer = await operator.get<ErrorBody>(`${path}?${filter}`)
      expect(errorOf(answer)).toMatchObject({ status: 400, code: "validation_failed", param })
    }
    const { body } = await operator.get<Page<OperatorWithdrawal>>(`${path}?limit=1`)
    const cursor = body.next_cursor ?? ""
    const foreign = [`${query("rejected")}&cursor=${cursor}`, `${query("awaiting", "test")}&cursor=${cursor}`]
    for (const bad of [...foreign, ...alteredCursors(cursor).map((altered) => `cursor=${altered}`)]) {
      const answer = await operator.get<ErrorBody>(`${path}?${bad}`)
      expect(errorOf(answer), bad).toMatchObject({ status: 400, code: "invalid_cursor" })
    }
  })
})
