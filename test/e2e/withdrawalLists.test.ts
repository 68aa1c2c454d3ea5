import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Event } from "../../schema/resources/event.ts"
import type { LedgerEntry } from "../../schema/resources/ledger.ts"
import type { Withdrawal } from "../../schema/resources/withdrawal.ts"
import { parseAccountToken } from "../../src/accounts/users/accountTokenStore.ts"
import { sessionKey } from "../../src/store/keys.ts"
import { signInAsSeller } from "../support/dashboard.ts"
import { makePixKey } from "../support/pixKey.ts"
import { freshKey } from "./support/charges.ts"
import {
  alteredCursors,
  type Client,
  type ErrorBody,
  newestFirst,
  type Page,
  readAll,
} from "./support/client.ts"
import { type DashboardClient, dashboardClient } from "./support/dashboardClient.ts"
import { openStage, type Seller, type Stage } from "./support/stage.ts"
import {
  balanceOf,
  errorOf,
  fund,
  getWithdrawal,
  ledgerOf,
  mustCancel,
  postWithdrawal,
  withdraw,
  withdrawalWhen,
} from "./support/withdrawals.ts"

let stage: Stage
let seller: Seller
let pixKey: string
/** The live withdrawals, oldest first: four were cancelled, and one awaits approval. */
let made: ReadonlyArray<Withdrawal>
let withoutStepUp: DashboardClient

const inMode = async (mode: "live" | "test", options: { isSteppedUp?: boolean } = {}, of = seller) =>
  dashboardClient(stage.service.url, await signInAsSeller(stage.service, of.id, options), mode)

beforeAll(async () => {
  stage = await openStage({ SIMULATOR_DELAY_MS: "50" })
  seller = await stage.newSeller()
  pixKey = await makePixKey(stage, seller, "live")
  await fund(seller.live, 20_000)
  const ids: Array<string> = []
  for (let count = 1; count <= 5; count++) {
    const { id } = await withdraw(seller.live, pixKey, 100 * count)
    if (count < 5) await mustCancel(seller.live, id)
    ids.push(id)
  }
  made = await Promise.all(ids.map((id) => getWithdrawal(seller.live, id)))
  await fund(seller.test, 20_000)
  const { id } = await withdraw(seller.test, await makePixKey(stage, seller, "test"), 100)
  await withdrawalWhen(seller.test, id, "successful")
  withoutStepUp = await inMode("live", { isSteppedUp: false })
})
afterAll(() => stage?.close())

const list = async (query = "", client: Client = seller.live) =>
  (await client.get<Page<Withdrawal>>(`/v1/withdrawals?${query}`)).body

describe("the list of withdrawals", () => {
  it("the list of withdrawals has those of the seller and mode, newest first, in full", async () => {
    expect(await list()).toEqual({ data: newestFirst(made), next_cursor: null })
    expect((await list("", seller.test)).data.map(({ mode, status }) => [mode, status])).toEqual([
      ["test", "successful"],
    ])
    expect((await list("", (await stage.newSeller()).live)).data).toEqual([])
  })

  it.each([1, 2, 3, 4, 5, 100])("the list of withdrawals is the same in pages of %i", async (limit) => {
    expect(await readAll(seller.live, "/v1/withdrawals", `limit=${limit}`)).toEqual(newestFirst(made))
  })

  it("the list of withdrawals is filtered by status, over pages too", async () => {
    const [open, cancelled] = [made[4], newestFirst(made.slice(0, 4))]
    expect((await list("status=awaiting")).data).toEqual([open])
    expect(await readAll(seller.live, "/v1/withdrawals", "status=cancelled&limit=3")).toEqual(cancelled)
    expect((await list("status=failed")).data).toEqual([])
  })

  it("the list of withdrawals is filtered by the time of request, both ends included", async () => {
    const [, second, , fourth] = made
    const from = `from=${second?.created_at}`
    const to = `to=${fourth?.created_at}`
    const within = made.filter(
      ({ created_at }) =>
        created_at >= (second?.created_at ?? "") && created_at <= (fourth?.created_at ?? ""),
    )
    expect((await list(`${from}&${to}`)).data).toEqual(newestFirst(within))
    expect(await readAll(seller.live, "/v1/withdrawals", `${from}&${to}&limit=1`)).toEqual(
      newestFirst(within),
    )
    expect((await list("from=2999-01-01")).data).toEqual([])
    expect((await list("to=2000-01-01")).data).toEqual([])
  })

  it.each([
    ["limit=0", "limit"],
    ["limit=101", "limit"],
    ["limit=ten", "limit"],
    ["status=paid", "status"],
    ["from=yesterday", "from"],
    ["to=2026-13-01", "to"],
  ])("the list of withdrawals refuses %s", async (query, param) => {
    const answer = await seller.live.get<ErrorBody>(`/v1/withdrawals?${query}`)
    expect(errorOf(answer)).toMatchObject({ status: 400, code: "validation_failed", param })
  })

  it("a cursor of withdrawals is refused by another list, filter, seller or mode, and when altered", async () => {
    const cursor = (await list("limit=1")).next_cursor ?? ""
    expect(cursor).not.toBe("")
    const other = await stage.newSeller()
    const foreign: ReadonlyArray<readonly [Client, string]> = [
      [seller.live, `/v1/ledger?limit=1&cursor=${cursor}`],
      [seller.live, `/v1/transactions?limit=1&cursor=${cursor}`],
      [seller.live, `/v1/withdrawals?limit=1&status=cancelled&cursor=${cursor}`],
      [seller.test, `/v1/withdrawals?limit=1&cursor=${cursor}`],
      [other.live, `/v1/withdrawals?limit=1&cursor=${cursor}`],
      ...alteredCursors(cursor).map((altered) => [seller.live, `/v1/withdrawals?cursor=${altered}`] as const),
    ]
    for (const [client, path] of foreign) {
      expect(errorOf(await client.get<ErrorBody>(path)), path).toMatchObject({
        status: 400,
        code: "invalid_cursor",
        param: "cursor",
      })
    }
  })
})

describe("the ledger", () => {
  it.each([1, 2, 7, 100])("the ledger is newest first, and the same in pages of %i", async (limit) => {
    const all = (await ledgerOf(seller.live)).toReversed()
    expect(all.map(({ kind }) => kind)).toEqual([
      "withdrawal_held",
      ...Array.from({ length: 4 }, () => ["withdrawal_returned", "withdrawal_held"]).flat(),
      "charge_paid",
    ])
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length)
    expect(await readAll(seller.live, "/v1/ledger", `limit=${limit}`)).toEqual(all)
  })

  it("the ledger is filtered by time, both ends included", async () => {
    const all = (await ledgerOf(seller.live)).toReversed()
    const [newest, oldest] = [all[2]?.created_at ?? "", all[6]?.created_at ?? ""]
    const within = all.filter(({ created_at }) => created_at >= oldest && created_at <= newest)
    const query = `from=${oldest}&to=${newest}`
    const { body } = await seller.live.get<Page<LedgerEntry>>(`/v1/ledger?${query}`)
    expect(body.data).toEqual(within)
    expect(await readAll(seller.live, "/v1/ledger", `${query}&limit=1`)).toEqual(within)
  })

  it("a cursor of the ledger is refused by the list of withdrawals and in the other mode", async () => {
    const { body } = await seller.live.get<Page<LedgerEntry>>("/v1/ledger?limit=1")
    for (const [client, path] of [
      [seller.live, "withdrawals"],
      [seller.test, "ledger"],
    ] as const) {
      const answer = await client.get<ErrorBody>(`/v1/${path}?limit=1&cursor=${body.next_cursor}`)
      expect(errorOf(answer)).toMatchObject({ status: 400, code: "invalid_cursor" })
    }
  })
})

describe("the events of a withdrawal", () => {
  it("the events of a withdrawal are listed by its id, page by page", async () => {
    const id = made[0]?.id ?? ""
    const query = `resource_type=withdrawal&resource_id=${id}`
    const events = await readAll<Event>(seller.live, "/v1/events", `${query}&limit=1`)
    expect(events.map(({ type }) => type)).toEqual(["withdrawal.cancelled", "withdrawal.awaiting"])
    expect(events[0]?.data.object).toEqual(made[0])
    const ofCharges = await seller.live.get<Page<Event>>(
      `/v1/events?resource_type=transaction&resource_id=${id}`,
    )
    expect(ofCharges.body.data).toEqual([])
    const all = await readAll<Event>(seller.live, "/v1/events", "resource_type=withdrawal")
    expect(all.length).toBe(9)
  })
})

describe("a session", () => {
  it("a session without a step-up reads withdrawals, balance and ledger as its mode's API key does", async () => {
    const id = made[0]?.id ?? ""
    for (const path of [
      "withdrawals",
      "withdrawals?status=cancelled",
      `withdrawals/${id}`,
      "balance",
      "ledger",
    ]) {
      const byKey = await seller.live.get(`/v1/${path}`)
      const bySession = await withoutStepUp.get(`/v1/me/${path}`)
      expect([bySession.status, bySession.text], path).toEqual([200, byKey.text])
    }
    const inTest = await inMode("test")
    expect((await inTest.get("/v1/me/balance")).text).toBe((await seller.test.get("/v1/balance")).text)
    expect(errorOf(await inTest.get(`/v1/me/withdrawals/${id}`))).toMatchObject({ status: 404 })
  })

  it("a session can neither read, cancel nor list another seller's withdrawal", async () => {
    const theirs = await inMode("live", {}, await stage.newSeller())
    const path = `/v1/me/withdrawals/${made[4]?.id}`
    expect(errorOf(await theirs.get(path))).toMatchObject({ status: 404, code: "resource_not_found" })
    expect(errorOf(await theirs.post(`${path}/cancel`))).toMatchObject({ status: 404 })
    expect((await theirs.get<Page<Withdrawal>>("/v1/me/withdrawals")).body.data).toEqual([])
  })

  it("a session requests and cancels withdrawals only with a step-up, whatever its preferences", async () => {
    const { token, cookie } = await signInAsSeller(stage.service, seller.id)
    const session = dashboardClient(stage.service.url, { cookie }, "live")
    const relaxed = { webhook: false, account: false }
    expect((await session.send("PUT", "/v1/me/security/step-up-prefs", relaxed)).status).toBe(200)
    const setStepUp = async (untilMillis: number) => {
      const { slot, tokenHash } = parseAccountToken(token) ?? { slot: 0, tokenHash: "" }
      await stage.redis("HSET", sessionKey(slot, tokenHash), "mfa_verified_until", untilMillis)
    }
    await setStepUp(Date.now() - 1_000)
    const path = `/v1/me/withdrawals/${made[4]?.id}/cancel`
    const body = { amount: 100, pix_key_id: pixKey }
    for (const answer of [
      await session.post<ErrorBody>(path),
      await postWithdrawal(session, body, freshKey(), "/v1/me/withdrawals"),
    ]) {
      expect(errorOf(answer)).toMatchObject({ status: 403, code: "mfa_required" })
      expect(answer.headers.get("x-mfa-step-up")).toBe("required")
    }
    expect(await balanceOf(seller.live)).toMatchObject({ available: 19_400, pending_withdraw: 600 })

    await setStepUp(Date.now() + 60_000)
    const cancelled = await session.post<Withdrawal>(path)
    expect([cancelled.status, cancelled.body.status]).toEqual([200, "cancelled"])
    const requested = await postWithdrawal<Withdrawal>(session, body, freshKey(), "/v1/me/withdrawals")
    expect([requested.status, requested.body.status]).toEqual([201, "awaiting"])
    expect(await getWithdrawal(seller.live, requested.body.id)).toEqual(requested.body)
    const again = await session.post<ErrorBody>("/v1/me/withdrawals", { body })
    expect(errorOf(again)).toMatchObject({ status: 400, code: "missing_idempotency_key" })
  })
})
