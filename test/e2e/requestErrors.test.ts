import { afterAll, beforeAll, expect, it } from "vitest"
import { limits } from "../../schema/limits.ts"
import type { RequestError } from "../../schema/resources/requestError.ts"
import { signInAsSeller } from "../support/dashboard.ts"
import { chargeBody, freshKey, makeCharge } from "./support/charges.ts"
import { type ErrorBody, eventually, makeClient } from "./support/client.ts"
import { type DashboardClient, dashboardClient } from "./support/dashboardClient.ts"
import { openStage, type Seller, type Stage } from "./support/stage.ts"

let stage: Stage
let seller: Seller
let cookie: string
let session: DashboardClient
beforeAll(async () => {
  stage = await openStage({ SIMULATOR_DELAY_MS: "3600000" })
  seller = await stage.newSeller()
  cookie = (await signInAsSeller(stage.service, seller.id, { isSteppedUp: false })).cookie
  session = dashboardClient(stage.service.url, { cookie }, "test")
})
afterAll(() => stage?.close())

const list = async (of = session): Promise<ReadonlyArray<RequestError>> =>
  (await of.get<{ data: ReadonlyArray<RequestError> }>("/v1/me/request-errors")).body.data
/** The list once it has an answer's request id. */
const listWith = (requestId: string, of = session) =>
  eventually("the refused request", async () => {
    const found = await list(of)
    return found.some(({ request_id }) => request_id === requestId) ? found : undefined
  })
const refuse = (body: object, client = seller.test) =>
  client.post<ErrorBody>("/v1/transactions", {
    body: chargeBody({ ...body }),
    headers: { "Idempotency-Key": freshKey() },
  })

it("a refused request is shown with what its answer said, under the key that asked", async () => {
  const { status, body } = await refuse({ amount: "12,90" })
  const [shown] = await listWith(body.error.request_id)
  const { at, api_key_id, ...more } = shown as RequestError
  expect(more).toEqual({
    request_id: body.error.request_id,
    method: "POST",
    route: "/v1/transactions",
    status,
    code: "validation_failed",
    param: "amount",
    message: body.error.message,
  })
  expect(new Date(at).toISOString()).toBe(at)
  const keys = (await session.get<{ data: ReadonlyArray<{ id: string }> }>("/v1/me/api-keys")).body.data
  expect(keys.map(({ id }) => id)).toContain(api_key_id)
})

it("what was done is not shown, and neither are errors of another mode or seller", async () => {
  const { id } = await makeCharge(seller.test)
  await seller.test.get(`/v1/transactions/${id}`)
  const missing = await seller.live.get<ErrorBody>("/v1/transactions/txn_01KA0000000000000000000000")
  const live = dashboardClient(stage.service.url, { cookie }, "live")
  const [shown] = await listWith(missing.body.error.request_id, live)
  expect([shown?.route, shown?.status]).toEqual(["/v1/transactions/:id", 404])
  expect((await list()).every(({ status, code }) => status >= 400 && code !== "resource_not_found")).toBe(
    true,
  )
  const other = await stage.newSeller({ partition: seller.partition })
  const theirs = await signInAsSeller(stage.service, other.id, { isSteppedUp: false })
  expect(await list(dashboardClient(stage.service.url, theirs, "test"))).toEqual([])
})

it("what a session was refused is shown without a key, and a saved refusal each time that it is repeated", async () => {
  const wrong = await session.get<ErrorBody>("/v1/me/series?metric=profit")
  const [mine] = await listWith(wrong.body.error.request_id)
  expect([mine?.api_key_id, mine?.param]).toEqual([null, "metric"])
  const asked = { body: chargeBody({ amount: 12_903 }), headers: { "Idempotency-Key": freshKey() } }
  const refused = async () => (await seller.test.post<ErrorBody>("/v1/transactions", asked)).status
  expect([await refused(), await refused()]).toEqual([502, 502])
  await eventually("both", async () =>
    (await list()).filter(({ code }) => code === "acquirer_error").length === 2 ? true : undefined,
  )
})

it("a request without a seller leaves nothing in Redis, and a flood leaves no more than the limit", async () => {
  const written = async () => (await stage.redis("KEYS", "request-errors:*")) as ReadonlyArray<string>
  const before = await written()
  await makeClient(stage.service.url).get("/v1/transactions")
  const flood = Array.from({ length: 300 }, () => refuse({ amount: -1 }))
  const answers = await Promise.all(flood)
  expect(answers.every(({ status }) => status === 400)).toBe(true)
  const last = await refuse({ amount: "last" })
  const found = await listWith(last.body.error.request_id)
  expect(found.length).toBeLessThanOrEqual(limits.requestErrorsKept)
  expect((await written()).toSorted()).toEqual(before.toSorted())
})
