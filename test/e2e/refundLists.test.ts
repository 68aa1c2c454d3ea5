import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Event } from "../../schema/resources/event.ts"
import type { Refund } from "../../schema/resources/refund.ts"
import type { Transaction } from "../../schema/resources/transaction.ts"
import { parseAccountToken } from "../../src/accounts/users/accountTokenStore.ts"
import { eventsKey, ledgerKey, sessionKey } from "../../src/store/keys.ts"
import { signInAsSeller } from "../support/dashboard.ts"
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
import { getRefund, payNow, postRefund, refund, refundBuckets, refundWhen } from "./support/refunds.ts"
import { openStage, type Seller, type Stage } from "./support/stage.ts"
import { errorOf } from "./support/withdrawals.ts"

let stage: Stage
let seller: Seller
let client: Client
let charges: ReadonlyArray<Transaction>
/** Oldest first: two succeeded and one failed, of two charges; three are processing. */
let made: ReadonlyArray<Refund>
let withoutStepUp: DashboardClient

const inMode = async (mode: "live" | "test", options: { isSteppedUp?: boolean } = {}, of = seller) =>
  dashboardClient(stage.service.url, await signInAsSeller(stage.service, of.id, options), mode)

beforeAll(async () => {
  stage = await openStage({ SIMULATOR_DELAY_MS: "3600000" })
  seller = await stage.newSeller()
  client = seller.test
  charges = [await payNow(client, 20_000), await payNow(client, 30_000)]
  const ids: Array<string> = []
  for (let count = 0; count < 6; count++) {
    const { id } = await refund(client, charges[count % 2]?.id ?? "", { amount: 100 * (count + 1) })
    const act = ["succeed", "succeed", "fail"][count]
    if (act === undefined) await refundWhen(client, id, "processing")
    else await client.post(`/v1/test/refunds/${id}/${act}`)
    ids.push(id)
  }
  made = await Promise.all(ids.map((id) => getRefund(client, id)))
  withoutStepUp = await inMode("test", { isSteppedUp: false })
})
afterAll(() => stage?.close())

const list = async (query = "", by = client) => (await by.get<Page<Refund>>(`/v1/refunds?${query}`)).body
const newestOf = (matches: (refund: Refund) => boolean = () => true) => newestFirst(made.filter(matches))
const ofFirst = ({ transaction_id }: Refund) => transaction_id === charges[0]?.id

describe("the list of refunds", () => {
  it("the list of refunds has those of the seller and mode, newest first, in full", async () => {
    expect(await list()).toEqual({ data: newestOf(), next_cursor: null })
    for (const other of [seller.live, (await stage.newSeller()).test]) {
      expect(await list("", other)).toEqual({ data: [], next_cursor: null })
    }
  })

  it.each([1, 2, 5, 6, 7, 100])("the list of refunds is the same in pages of %i", async (limit) => {
    expect(await readAll(client, "/v1/refunds", `limit=${limit}`)).toEqual(newestOf())
  })

  it("the list of refunds is filtered by status, by charge, and by both, over pages too", async () => {
    const filters: ReadonlyArray<readonly [string, (refund: Refund) => boolean]> = [
      ["status=succeeded", ({ status }) => status === "succeeded"],
      ["status=failed", ({ status }) => status === "failed"],
      [`transaction_id=${charges[0]?.id}`, ofFirst],
      [`transaction_id=${charges[1]?.id}`, (refund) => !ofFirst(refund)],
      [
        `transaction_id=${charges[0]?.id}&status=failed`,
        (refund) => ofFirst(refund) && refund.status === "failed",
      ],
      [
        `transaction_id=${charges[1]?.id}&status=succeeded`,
        (refund) => !ofFirst(refund) && refund.status === "succeeded",
      ],
    ]
    for (const [query, matches] of filters) {
      expect((await list(query)).data, query).toEqual(newestOf(matches))
      expect(await readAll(client, "/v1/refunds", `${query}&limit=1`), query).toEqual(newestOf(matches))
    }
    expect(newestOf(({ status }) => status === "succeeded").length).toBe(2)
    expect((await list("status=processing")).data.length).toBe(3)
  })

  it.each(["txn_00000000000000000000000000", "x", "rfd_00000000000000000000000000"])(
    "the list of refunds of the charge %s, which there is not, is empty",
    async (id) => {
      expect(await list(`transaction_id=${id}`)).toEqual({ data: [], next_cursor: null })
    },
  )

  it("the list of refunds is filtered by the time of request, both ends included", async () => {
    const [, second, , fourth] = made
    const query = `from=${second?.created_at}&to=${fourth?.created_at}`
    const within = newestOf(
      ({ created_at }) =>
        created_at >= (second?.created_at ?? "") && created_at <= (fourth?.created_at ?? ""),
    )
    expect((await list(query)).data).toEqual(within)
    expect(await readAll(client, "/v1/refunds", `${query}&limit=1`)).toEqual(within)
    const ofCharge = await list(`${query}&transaction_id=${charges[0]?.id}`)
    expect(ofCharge.data).toEqual(within.filter(ofFirst))
    expect((await list("from=2999-01-01")).data).toEqual([])
    expect((await list("to=2000-01-01")).data).toEqual([])
  })

  it.each([
    ["limit=0", "limit"],
    ["limit=101", "limit"],
    ["status=paid", "status"],
    ["transaction_id=", "transaction_id"],
    ["from=yesterday", "from"],
    ["to=2026-13-01", "to"],
  ])("the list of refunds refuses %s", async (query, param) => {
    const answer = await client.get<ErrorBody>(`/v1/refunds?${query}`)
    expect(errorOf(answer)).toMatchObject({ status: 400, code: "validation_failed", param })
  })

  it("a cursor of refunds is refused by another list, filter, seller or mode, and when altered", async () => {
    const cursor = (await list("limit=1")).next_cursor ?? ""
    expect(cursor).not.toBe("")
    const other = await stage.newSeller()
    const foreign: ReadonlyArray<readonly [Client, string]> = [
      [client, `/v1/withdrawals?limit=1&cursor=${cursor}`],
      [client, `/v1/transactions?limit=1&cursor=${cursor}`],
      [client, `/v1/refunds?limit=1&status=failed&cursor=${cursor}`],
      [client, `/v1/refunds?limit=1&transaction_id=${charges[0]?.id}&cursor=${cursor}`],
      [seller.live, `/v1/refunds?limit=1&cursor=${cursor}`],
      [other.test, `/v1/refunds?limit=1&cursor=${cursor}`],
      ...alteredCursors(cursor).map((altered) => [client, `/v1/refunds?cursor=${altered}`] as const),
    ]
    for (const [by, path] of foreign) {
      expect(errorOf(await by.get<ErrorBody>(path)), path).toMatchObject({
        status: 400,
        code: "invalid_cursor",
        param: "cursor",
      })
    }
  })

  it("the events of a refund are listed by its id, page by page", async () => {
    const id = made[0]?.id ?? ""
    const query = `resource_type=refund&resource_id=${id}`
    const events = await readAll<Event>(client, "/v1/events", `${query}&limit=1`)
    expect(events.map(({ type }) => type)).toEqual(["refund.succeeded", "refund.created"])
    expect(events[0]?.data.object).toEqual(made[0])
    const all = await readAll<Event>(client, "/v1/events", "resource_type=refund")
    expect(all.length).toBe(9)
  })
})

describe("what a charge and its refund left", () => {
  const lists = [
    ["a charge's events", eventsKey, ({ id }: Transaction) => `/v1/events?resource_id=${id}`],
    ["a charge's ledger entries", ledgerKey, ({ id }: Transaction) => `/v1/ledger?transaction_id=${id}`],
  ] as const
  it.each(lists)(
    "the list of %s goes on from a cursor whose entry retention has trimmed",
    async (_, keyOf, pathOf) => {
      const { id, test } = await stage.newSeller()
      const charge = await payNow(test, 20_000)
      const { id: refundId } = await refund(test, charge.id, { amount: 20_000 })
      await test.post(`/v1/test/refunds/${refundId}/succeed`)
      const path = `${pathOf(charge)}&limit=1`
      const first = (await test.get<Page<unknown>>(path)).body
      const second = (await test.get<Page<unknown>>(`${path}&cursor=${first.next_cursor}`)).body
      expect(second.next_cursor).not.toBeNull()
      await stage.redis("XTRIM", keyOf({ sellerId: id, mode: "test" }), "MAXLEN", 1)
      const third = await test.get<Page<unknown>>(`${path}&cursor=${second.next_cursor}`)
      expect([third.status, third.body]).toEqual([200, { data: [], next_cursor: null }])
    },
  )
})

describe("a session", () => {
  it("a session without a step-up reads refunds as its mode's API key does", async () => {
    const id = made[0]?.id ?? ""
    for (const path of ["refunds", "refunds?status=failed", `refunds/${id}`]) {
      const byKey = await client.get(`/v1/${path}`)
      const bySession = await withoutStepUp.get(`/v1/me/${path}`)
      expect([bySession.status, bySession.text], path).toEqual([200, byKey.text])
    }
    const inLive = await inMode("live")
    expect(errorOf(await inLive.get(`/v1/me/refunds/${id}`))).toMatchObject({ status: 404 })
    expect((await inLive.get("/v1/me/refunds")).body).toEqual({ data: [], next_cursor: null })
  })

  it("a session can neither read, list nor refund what is another seller's", async () => {
    const theirs = await inMode("test", {}, await stage.newSeller())
    for (const answer of [
      await theirs.get<ErrorBody>(`/v1/me/refunds/${made[0]?.id}`),
      await postRefund(theirs, charges[0]?.id ?? "", undefined, freshKey(), "/v1/me/transactions"),
    ]) {
      expect(errorOf(answer)).toMatchObject({ status: 404, code: "resource_not_found" })
    }
    expect((await theirs.get<Page<Refund>>("/v1/me/refunds")).body.data).toEqual([])
  })

  it("a session requests refunds only with a step-up, whatever its preferences", async () => {
    const other = await stage.newSeller()
    const charge = await payNow(other.test, 20_000)
    const { token, cookie } = await signInAsSeller(stage.service, other.id)
    const session = dashboardClient(stage.service.url, { cookie }, "test")
    const relaxed = { webhook: false, account: false }
    expect((await session.send("PUT", "/v1/me/security/step-up-prefs", relaxed)).status).toBe(200)
    const setStepUp = async (untilMillis: number) => {
      const { slot, tokenHash } = parseAccountToken(token) ?? { slot: 0, tokenHash: "" }
      await stage.redis("HSET", sessionKey(slot, tokenHash), "mfa_verified_until", untilMillis)
    }
    const path = "/v1/me/transactions"
    await setStepUp(Date.now() - 1_000)
    const refused = await postRefund(session, charge.id, undefined, freshKey(), path)
    expect(errorOf(refused)).toMatchObject({ status: 403, code: "mfa_required" })
    expect(refused.headers.get("x-mfa-step-up")).toBe("required")
    expect(await refundBuckets(other.test)).toMatchObject({ available: 20_000, pending_refund: 0 })

    await setStepUp(Date.now() + 60_000)
    const requested = await postRefund<Refund>(session, charge.id, undefined, freshKey(), path)
    expect(requested.status).toBe(201)
    expect(requested.body).toMatchObject({ origin: "seller", amount: 20_000, mode: "test" })
    expect((await getRefund(other.test, requested.body.id)).id).toBe(requested.body.id)
  })
})
