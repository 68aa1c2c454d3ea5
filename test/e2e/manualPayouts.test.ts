import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { WithdrawalToPay } from "../../schema/api/manualPayouts.ts"
import type { OperatorWithdrawal } from "../../schema/api/operatorWithdrawals.ts"
import type { Queue } from "../../schema/api/queue.ts"
import type { AuditEntry } from "../../schema/resources/operator.ts"
import { balanceKey } from "../../src/store/keys.ts"
import { runOps } from "../ops/cli.ts"
import { alteredCursors, type ErrorBody, type Page } from "./support/client.ts"
import { type DashboardClient, openTwoOperators } from "./support/dashboardClient.ts"
import { openPixShop } from "./support/pixKeys.ts"
import { openStage, type Stage } from "./support/stage.ts"
import { balanceOf, errorOf, fund, getWithdrawal, withdraw, withdrawalEvents } from "./support/withdrawals.ts"

const path = "/v1/admin/withdrawals"

let stage: Stage
let ana: DashboardClient
let rui: DashboardClient
beforeAll(async () => {
  const settings = { SIMULATOR_DELAY_MS: "50", SIMULATOR_PAYOUTS: "manual", OPERATOR_APPROVALS: "2" }
  stage = await openStage(settings)
  ;({ ana, rui } = await openTwoOperators(stage.service))
})
afterAll(() => stage?.close())

let count = 0
/** The end-to-end id of a Pix that an operator makes in the bank's application. */
const newPix = (): string => `E12345678202611211200${String(++count).padStart(11, "0")}`

const act = <T = OperatorWithdrawal & ErrorBody>(
  by: DashboardClient,
  id: string,
  what: string,
  body: object,
) => by.send<T>("POST", `${path}/${id}/${what}`, body)

/** The same act of two operators; answers the second's. */
const agree = async (id: string, what: string, body: object = {}) => {
  const first = await act<object>(ana, id, what, body)
  expect([first.status, first.body]).toEqual([202, { status: "awaiting_second_operator" }])
  return act(rui, id, what, body)
}

/** A live withdrawal of 50.00 to a phone, approved; its seller has 149.00 left. */
const openApproved = async () => {
  const shop = await openPixShop(stage)
  const key = { type: "phone", value: `+55119${String(98_765_000 + ++count)}` }
  const { id: pixKeyId } = await shop.live.register(key)
  for (const by of [ana, rui]) await by.send("POST", `/v1/admin/pix-keys/${pixKeyId}/approve`)
  const { live } = shop.seller
  await fund(live, 20_000)
  const { id } = await withdraw(live, pixKeyId, 5_000, { description: "=1+1" })
  const { body } = await agree(id, "approve")
  expect(body.status).toBe("approved")
  return { id, live, seller: shop.seller, key, approvedAt: body.approved_at }
}

const toPay = (query = "limit=100") => ana.get<Page<WithdrawalToPay>>(`${path}/to-pay?${query}`)
const readCsv = (limit: number) =>
  ana.request<string>("GET", `${path}/to-pay?limit=${limit}`, { headers: { Accept: "text/csv" } })
const isToPay = async (id: string) => (await toPay()).body.data.some((one) => one.id === id)
const actsOn = async (id: string) =>
  (await ana.get<Page<AuditEntry>>("/v1/admin/audit?limit=100")).body.data
    .filter(({ resource_id }) => resource_id === id)
    .map(({ action }) => action)

describe("withdrawals of an account without payouts by API", () => {
  it("an approved one is to be paid: operators see its whole key and its holder, oldest first", async () => {
    const first = await openApproved()
    const second = await openApproved()
    const { body } = await toPay()
    expect(body.data.filter(({ id }) => id === first.id || id === second.id)).toMatchObject([
      {
        ...{ id: first.id, amount: 5_000, seller_id: first.seller.id, description: "=1+1" },
        ...{ pix_key: first.key, approved_at: first.approvedAt },
      },
      { id: second.id, pix_key: second.key },
    ])
    const page = await toPay("limit=1")
    expect(page.body.data).toHaveLength(1)
    const next = await toPay(`limit=1&cursor=${page.body.next_cursor}`)
    expect(next.body.data[0]?.id).not.toBe(page.body.data[0]?.id)
    for (const cursor of alteredCursors(page.body.next_cursor ?? "")) {
      expect((await toPay(`cursor=${encodeURIComponent(cursor)}`)).status).toBe(400)
    }
    expect((await getWithdrawal(first.live, first.id)).status).toBe("approved")
  })

  it("one is in the operators' queue, and is blocked while its seller is in debt", async () => {
    const { id, seller } = await openApproved()
    const queued = async () =>
      (await ana.get<Queue>("/v1/admin/queue")).body.data.find((one) => one.id === id)
    expect(await queued()).toMatchObject({ kind: "payout", amount: 5_000, is_blocked: false })
    const balance = balanceKey({ sellerId: seller.id, mode: "live" })
    const available = await stage.redis("HGET", balance, "available")
    await stage.redis("HSET", balance, "available", -1)
    expect([(await queued())?.is_blocked, await isToPay(id)]).toEqual([true, false])
    await stage.redis("HSET", balance, "available", String(available))
    expect([(await queued())?.is_blocked, await isToPay(id)]).toEqual([false, true])
  })

  it("as CSV a spreadsheet runs none of it, and a header names the next page", async () => {
    const { id, key } = await openApproved()
    const answer = await readCsv(100)
    expect(answer.headers.get("content-type")).toMatch(/^text\/csv/)
    const [header, ...lines] = answer.text.split("\r\n")
    expect(header).toBe(
      "id,amount,seller_id,seller_name,pix_key_type,pix_key,holder_name,holder_document,description,approved_at",
    )
    const line = lines.find((one) => one.startsWith(id))?.split(",")
    expect(line?.slice(0, 2)).toEqual([id, "50.00"])
    expect([line?.[5], line?.[8]]).toEqual([`'${key.value}`, "'=1+1"])
    const page = await readCsv(1)
    expect(page.headers.get("x-next-cursor")).toMatch(/^[\w-]+$/)
  })

  it("two operators settle it by its Pix, once, and the books add up", async () => {
    const { id, live } = await openApproved()
    const body = { end_to_end_id: newPix() }
    const settled = await agree(id, "settle", body)
    expect(settled.body).toMatchObject({ status: "successful", ...body, available: 14_900 })
    expect(await isToPay(id)).toBe(false)
    const again = await act(ana, id, "settle", body)
    expect([again.status, again.body.updated_at]).toEqual([200, settled.body.updated_at])
    expect(errorOf(await act<ErrorBody>(ana, id, "fail", { reason: "no" }))).toMatchObject({
      ...{ status: 409, code: "invalid_state", details: { status: "successful" } },
    })
    const types = (await withdrawalEvents(live, id)).map(({ type }) => type)
    expect(types).toEqual(["withdrawal.awaiting", "withdrawal.approved", "withdrawal.successful"])
    expect((await actsOn(id)).slice(0, 3)).toEqual([
      ...["withdrawal.settled", "withdrawal.settlement_asked", "withdrawal.settlement_asked"],
    ])
    const other = await openApproved()
    const claimed = await agree(other.id, "settle", body)
    expect(errorOf(claimed as unknown as Parameters<typeof errorOf>[0])).toMatchObject({
      ...{ status: 409, code: "invalid_state", param: "end_to_end_id" },
      details: { reason: "end_to_end_id_claimed", claimed_by: id },
    })
    const audit = await runOps(["audit", "verify", "--full"], { DATA_DIR: stage.service.dataDir })
    expect([audit.exitCode, audit.document.ok]).toEqual([0, true])
  })

  it("another Pix of the second operator is another act", async () => {
    const { id, live } = await openApproved()
    expect((await act(ana, id, "settle", { end_to_end_id: newPix() })).status).toBe(202)
    expect((await act(rui, id, "settle", { end_to_end_id: newPix() })).status).toBe(202)
    expect((await getWithdrawal(live, id)).status).toBe("approved")
  })

  it("two operators fail it, and its money is returned", async () => {
    const { id, live } = await openApproved()
    const failed = await agree(id, "fail", { reason: "The bank does not know the key" })
    expect(failed.body).toMatchObject({
      ...{ status: "failed", failure_reason: "The bank does not know the key", available: 20_000 },
    })
    expect(await balanceOf(live)).toMatchObject({ available: 20_000, pending_withdraw: 0 })
    expect((await act(ana, id, "fail", { reason: "again" })).status).toBe(200)
    expect((await act(ana, id, "settle", { end_to_end_id: newPix() })).status).toBe(409)
  })

  it.each([
    ["settle", {}, "end_to_end_id"],
    ["settle", { end_to_end_id: "D12345678202611211200abcdefghi01" }, "end_to_end_id"],
    ["settle", { end_to_end_id: "E12345678202613211200abcdefghi01" }, "end_to_end_id"],
    ["settle", { end_to_end_id: "E12345678202602301200abcdefghi01" }, "end_to_end_id"],
    ["settle", { end_to_end_id: "E12345678202611211200abcdefghi0" }, "end_to_end_id"],
    ["settle", { end_to_end_id: "E12345678202611211200abcdefghi012" }, "end_to_end_id"],
    ["fail", {}, "reason"],
    ["fail", { reason: "" }, "reason"],
    ["fail", { reason: "x".repeat(201) }, "reason"],
  ])("%s with %j is 400 at %s", async (what, body, param) => {
    const answer = await act<ErrorBody>(ana, "wd_01KA0000000700000000000000", what, body)
    expect(errorOf(answer)).toMatchObject({ status: 400, code: "validation_failed", param })
  })

  it("what is not there is 404", async () => {
    const body = { end_to_end_id: newPix() }
    for (const id of ["wd_01KA0000000700000000000000", "wd_1", "x"]) {
      expect((await act(ana, id, "settle", body)).status).toBe(404)
    }
  })
})
