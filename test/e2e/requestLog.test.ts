import { afterAll, beforeAll, expect, it } from "vitest"
import { limits } from "../../schema/limits.ts"
import type { LoggedRequest } from "../../schema/resources/loggedRequest.ts"
import type { RequestError } from "../../schema/resources/requestError.ts"
import { answeredRequestsKey, refusedRequestsKey } from "../../src/store/keys.ts"
import { signInAsSeller } from "../support/dashboard.ts"
import { chargeBody, freshKey, makeCharge } from "./support/charges.ts"
import { type Answer, type ErrorBody, eventually, makeClient, type Page } from "./support/client.ts"
import { type DashboardClient, dashboardClient } from "./support/dashboardClient.ts"
import { openStage, type Seller, type Stage } from "./support/stage.ts"

let stage: Stage
beforeAll(async () => {
  stage = await openStage({ SIMULATOR_DELAY_MS: "3600000" })
})
afterAll(() => stage?.close())

/** A seller of its own, with sessions in both modes. */
const openShop = async () => {
  const seller = await stage.newSeller()
  const { cookie } = await signInAsSeller(stage.service, seller.id)
  return {
    seller,
    session: dashboardClient(stage.service.url, { cookie }, "test"),
    live: dashboardClient(stage.service.url, { cookie }, "live"),
  }
}

const list = async (session: DashboardClient, query = "limit=100") =>
  (await session.get<Page<LoggedRequest>>(`/v1/me/requests?${query}`)).body.data
/** The log once it has a request. */
const listWith = (id: string, session: DashboardClient, query?: string) =>
  eventually("the request", async () => {
    const found = await list(session, query)
    return found.some((request) => request.id === id) ? found : undefined
  })
/** All of the log, page by page. */
const listAll = async (session: DashboardClient, query: string) => {
  const found: Array<LoggedRequest> = []
  let cursor: string | null = null
  do {
    const more: string = cursor === null ? "" : `&cursor=${cursor}`
    const { body }: Answer<Page<LoggedRequest>> = await session.get(`/v1/me/requests?${query}${more}`)
    found.push(...body.data)
    cursor = body.next_cursor
  } while (cursor !== null)
  return found
}

const refuse = (seller: Seller, id?: string) =>
  seller.test.post<ErrorBody>("/v1/transactions", {
    body: chargeBody({ amount: -1 }),
    headers: { "Idempotency-Key": freshKey(), ...(id === undefined ? {} : { "X-Request-Id": id }) },
  })
const asked = (id: string) => ({ headers: { "X-Request-Id": id } })

it("a request is shown by its route's template, with its key, address and Idempotency-Key; a refused one with what it was told", async () => {
  const { seller, session } = await openShop()
  const { id } = await makeCharge(seller.test)
  const path = `/v1/transactions/${id}/refunds`
  const idempotencyKey = freshKey()
  const refused = await seller.test.post<ErrorBody>(`${path}?secret=hunter2`, {
    body: { amount: "12,90" },
    headers: { "Idempotency-Key": idempotencyKey },
  })
  const read = await seller.test.request(`GET`, `/v1/transactions/${id}`, asked("req_of_the_read"))
  expect(read.status).toBe(200)
  const [newest, before, first] = await listWith("req_of_the_read", session)
  const shared = { ip_address: "127.0.0.1", key_id: expect.stringMatching(/^key_/), ms: expect.any(Number) }
  expect(newest).toEqual({
    ...shared,
    ...{ id: "req_of_the_read", at: expect.any(String), method: "GET", route: "/v1/transactions/{id}" },
    ...{ status: 200, idempotency_key: null, error_code: null, error_param: null, error_message: null },
  })
  expect(before).toEqual({
    ...shared,
    ...{ id: refused.body.error.request_id, at: expect.any(String), method: "POST" },
    ...{ route: "/v1/transactions/{id}/refunds", status: 400, idempotency_key: idempotencyKey },
    ...{ error_code: "validation_failed", error_param: "amount", error_message: refused.body.error.message },
  })
  expect(first).toMatchObject({ method: "POST", route: "/v1/transactions", status: 201 })
  const kept = JSON.stringify(
    await Promise.all(
      [answeredRequestsKey, refusedRequestsKey].map((key) =>
        stage.redis("XRANGE", key({ sellerId: seller.id, mode: "test" }), "-", "+"),
      ),
    ),
  )
  for (const secret of [id, "hunter2", "12,90", seller.keys.test]) expect(kept).not.toContain(secret)
})

it("requests of another seller or mode are not shown, and neither is what a session looked at", async () => {
  const { seller, session, live } = await openShop()
  const other = await openShop()
  await session.get("/v1/me/transactions")
  await seller.test.request("GET", "/v1/balance", asked("req_of_test_mode"))
  await seller.live.request("GET", "/v1/balance", asked("req_of_live_mode"))
  await other.seller.test.request("GET", "/v1/balance", asked("req_of_other_seller"))
  const ids = async (of: DashboardClient) => (await list(of)).map(({ id }) => id)
  await listWith("req_of_test_mode", session)
  await listWith("req_of_live_mode", live)
  await listWith("req_of_other_seller", other.session)
  expect(await ids(session)).toEqual(["req_of_test_mode"])
  expect(await ids(live)).toEqual(["req_of_live_mode"])
  expect(await ids(other.session)).toEqual(["req_of_other_seller"])
})

it("the log is filtered by status, key, route and time, and its pages follow each other", async () => {
  const { seller, session } = await openShop()
  const second = (
    await session.send<{ id: string; key: string }>("POST", "/v1/me/api-keys", { name: "b", mode: "test" })
  ).body
  const bySecond = makeClient(stage.service.url, second.key)
  await makeCharge(seller.test)
  await refuse(seller, "req_refused_1")
  await bySecond.request("GET", "/v1/balance", asked("req_balance"))
  await bySecond.request("GET", "/v1/transactions/txn_none", asked("req_missing"))
  const all = await listWith("req_missing", session)
  expect(all.map(({ status }) => status)).toEqual([404, 200, 400, 201])
  const ids = async (query: string) => (await list(session, query)).map(({ id }) => id)
  expect(await ids("status=error")).toEqual(["req_missing", "req_refused_1"])
  expect(await ids("status=4xx")).toEqual(["req_missing", "req_refused_1"])
  expect(await ids("status=5xx")).toEqual([])
  expect(await ids("status=2xx")).toEqual(["req_balance", all[3]?.id])
  expect(await ids(`key_id=${second.id}`)).toEqual(["req_missing", "req_balance"])
  expect(await ids(`key_id=${second.id}&status=error`)).toEqual(["req_missing"])
  expect(await ids(`route=${encodeURIComponent("/v1/transactions/{id}")}`)).toEqual(["req_missing"])
  expect(await ids("route=/v1/transactions")).toEqual(["req_refused_1", all[3]?.id])
  expect(await ids(`from=${all[1]?.at}&to=${all[1]?.at}`)).toContain("req_balance")
  expect(await ids("from=2100-01-01")).toEqual([])
  expect(await listAll(session, "limit=1")).toEqual(all)
  expect(await listAll(session, "limit=3")).toEqual(all)
  const { next_cursor } = (await session.get<Page<LoggedRequest>>("/v1/me/requests?limit=1")).body
  const elsewhere = await session.get<ErrorBody>(`/v1/me/requests?status=error&cursor=${next_cursor}`)
  expect([elsewhere.status, elsewhere.body.error.code]).toEqual([400, "invalid_cursor"])
  for (const wrong of ["status=3xx", "limit=0", "limit=101", "from=yesterday"]) {
    const { status, body } = await session.get<ErrorBody>(`/v1/me/requests?${wrong}`)
    expect([status, body.error.param]).toEqual([400, wrong.split("=")[0]])
  }
  const gone = await session.send("DELETE", `/v1/me/api-keys/${second.id}`)
  expect(gone.status).toBe(204)
  expect(await ids(`key_id=${second.id}`)).toEqual(["req_missing", "req_balance"])
})

it("a minute keeps 100 requests of a key, and refused ones take the place of others", async () => {
  const { seller, session } = await openShop()
  const most = limits.requestLogPerMinuteMax
  // The flood lasts seconds, so one of the minutes it touches gets more than its share.
  const flood = Array.from({ length: 2 * most + 30 }, () => seller.test.get("/v1/balance"))
  await Promise.all(flood)
  const refusals = await Promise.all(Array.from({ length: 10 }, () => refuse(seller)))
  const last = await refuse(seller, "req_last_refusal")
  expect(last.status).toBe(400)
  await listWith("req_last_refusal", session, "status=error&limit=100")
  const all = await listAll(session, "limit=100")
  const minutes = all.map(({ at }) => at.slice(0, "2026-11-21T12:00".length))
  const counts = [...new Set(minutes)].map((minute) => minutes.filter((one) => one === minute).length)
  expect(Math.max(...counts)).toBe(most)
  const ids = all.map(({ id }) => id)
  for (const { body } of refusals) expect(ids).toContain(body.error.request_id)
})

it("a request older than seven days is not shown, and the log ends seven days after its newest", async () => {
  const { seller, session } = await openShop()
  const key = refusedRequestsKey({ sellerId: seller.id, mode: "test" })
  const dayMillis = 24 * 60 * 60 * 1000
  const [seconds = 0] = ((await stage.redis("TIME")) as ReadonlyArray<string>).map(Number)
  const add = (id: string, millis: number) =>
    stage.redis(
      "XADD",
      key,
      `${millis}-0`,
      ...["request", id, "method", "GET", "route", "/v1/balance", "status", "500"],
      ...["ms", "1", "key", "", "address", "", "idempotency_key", "", "code", "", "param", "", "message", ""],
    )
  await add("req_too_old", seconds * 1000 - 7 * dayMillis - 60_000)
  await add("req_not_too_old", seconds * 1000 - 7 * dayMillis + 3_600_000)
  expect((await list(session)).map(({ id }) => id)).toEqual(["req_not_too_old"])
  await seller.test.get("/v1/balance")
  const ttl = await eventually("a write", async () => {
    const left = Number(await stage.redis("PTTL", key))
    return left > 0 ? left : undefined
  })
  expect(ttl).toBeLessThanOrEqual(limits.requestLogKeptMillis)
})

it("request errors are the newest refused of the log, with routes as they were", async () => {
  const { seller, session, live } = await openShop()
  const errors = async (of = session) =>
    (await of.get<{ data: ReadonlyArray<RequestError> }>("/v1/me/request-errors")).body.data
  await makeCharge(seller.test)
  await seller.test.request("GET", "/v1/transactions/txn_none", asked("req_missing"))
  const { body } = await refuse(seller, "req_refused")
  const wrong = await session.get<ErrorBody>("/v1/me/series?metric=profit")
  await listWith(wrong.body.error.request_id, session)
  const [ofSession, refused, missing, ...more] = await errors()
  expect(more).toEqual([])
  expect(ofSession).toMatchObject({ api_key_id: null, param: "metric", route: "/v1/me/series" })
  expect(refused).toEqual({
    ...{ at: expect.any(String), request_id: "req_refused", method: "POST", route: "/v1/transactions" },
    ...{ status: 400, code: "validation_failed", param: "amount", message: body.error.message },
    api_key_id: expect.stringMatching(/^key_/),
  })
  expect(missing).toMatchObject({ route: "/v1/transactions/:id", status: 404, param: null })
  expect(await errors(live)).toEqual([])
})

it("a saved refusal is shown each time that it is repeated", async () => {
  const { seller, session } = await openShop()
  const given = { body: chargeBody({ amount: 12_903 }), headers: { "Idempotency-Key": freshKey() } }
  const refused = async () => (await seller.test.post<ErrorBody>("/v1/transactions", given)).status
  expect([await refused(), await refused()]).toEqual([502, 502])
  const both = await eventually("both", async () => {
    const found = await list(session, "status=5xx")
    return found.length === 2 ? found : undefined
  })
  const key = given.headers["Idempotency-Key"]
  expect(both.map(({ idempotency_key, error_code }) => [idempotency_key, error_code])).toEqual([
    [key, "acquirer_error"],
    [key, "acquirer_error"],
  ])
})

it("a request without a seller leaves nothing in Redis", async () => {
  const written = async () => (await stage.redis("KEYS", "requests-*")) as ReadonlyArray<string>
  const before = await written()
  await makeClient(stage.service.url).get("/v1/transactions")
  const { seller, session } = await openShop()
  await seller.test.request("GET", "/v1/balance", asked("req_after_it"))
  await listWith("req_after_it", session)
  expect(await written()).toHaveLength(before.length + 1)
})
