import { afterAll, beforeAll, expect, it } from "vitest"
import { limits } from "../../schema/limits.ts"
import type { Notifications, NotificationTested } from "../../schema/resources/notifications.ts"
import { signInAsSeller } from "../support/dashboard.ts"
import { behaviours, startTlsReceiver, type TlsReceiver } from "../support/tlsReceiver.ts"
import { until } from "../support/until.ts"
import { makeCharge } from "./support/charges.ts"
import type { ErrorBody } from "./support/client.ts"
import { dashboardClient } from "./support/dashboardClient.ts"
import { requestsOn } from "./support/deliveries.ts"
import { mailsTo } from "./support/mails.ts"
import { paidCharge } from "./support/refunds.ts"
import { findKey, openStage, receiverSettings, type Stage } from "./support/stage.ts"

let receiver: TlsReceiver
let stage: Stage
beforeAll(async () => {
  receiver = await startTlsReceiver({
    behaviour: ({ path }) => behaviours.respond(path.startsWith("/bad") ? 404 : 200),
  })
  stage = await openStage({ SIMULATOR_DELAY_MS: "10", ...receiverSettings(receiver) })
})
afterAll(async () => {
  await stage?.close()
  await receiver?.close()
})

const path = "/v1/me/notifications"

/** A seller with a session of its user. */
const openSession = async (options: { readonly isSteppedUp?: boolean } = {}) => {
  const seller = await stage.newSeller()
  const { cookie, email, userId } = await signInAsSeller(stage.service, seller.id, options)
  await stage.redis("HSET", await findKey(stage, `seller:*:${seller.id}`), "user", userId)
  const session = dashboardClient(stage.service.url, { cookie })
  const set = async (data: Notifications["data"]) => {
    const answer = await session.send<Notifications>("PUT", path, { data })
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)])
    return answer.body
  }
  return { seller, session, email, set }
}

/** Waits until nothing is owed to a seller any more. */
const allTold = (sellerId: string) =>
  until(`the alerts of ${sellerId} to be told`, async () => {
    const owed = (await stage.redis("KEYS", `alerts:*:${sellerId}`)) as ReadonlyArray<string>
    return owed.length === 0
  })

const textsAt = (at: string): ReadonlyArray<string> =>
  requestsOn(receiver, at).map(({ body }) => (JSON.parse(body) as { readonly text: string }).text)

it("a seller that has set nothing is told of new sign-ins by mail, as before, and of nothing else", async () => {
  const { session, seller, email } = await openSession()
  expect((await session.get<Notifications>(path)).body).toEqual({
    data: [{ when: "new_sign_in", mail: true }],
  })
  await paidCharge(seller.live, 1_000_000)
  expect(await stage.redis("KEYS", `alert*:*:${seller.id}*`)).toEqual([])
  expect(await mailsTo(stage, email)).toEqual([])
})

it("what is set is answered as it was set, in both modes, and is nobody else's", async () => {
  const { session, set } = await openSession()
  const data: Notifications["data"] = [
    { when: "new_sign_in", mail: true, url: `${receiver.origin}/mine` },
    { when: "large_charge", mail: false, min_amount: 1 },
  ]
  expect(await set(data)).toEqual({ data })
  expect((await session.get<Notifications>(path)).body).toEqual({ data })
  const inTest = await session.request<Notifications>("GET", path, { headers: { "X-Mode": "test" } })
  expect(inTest.body).toEqual({ data })
  expect(await set([])).toEqual({ data: [{ when: "new_sign_in", mail: true }] })
  const other = await openSession()
  expect((await other.session.get<Notifications>(path)).body.data).toHaveLength(1)
})

const large = (min_amount: number) => ({ when: "large_charge", mail: true, min_amount })
const kinds = [
  ...["endpoint_failing", "endpoint_disabled", "payout_failed", "payout_stuck", "chargeback"],
  ...["refund_failed", "new_sign_in"],
].map((when) => ({ when, mail: true }))
const everything = [...kinds, large(1), { when: "balance_below", mail: true, min_amount: 1 }]

it.for([
  ["one of each kind", everything, undefined],
  ["one more", [...everything, large(1)], "data"],
  ["a kind twice", [large(1), large(2)], "data.1.when"],
  ["an unknown kind", [{ when: "rain", mail: true }], "data.0.when"],
  ["the smallest amount", [large(1)], undefined],
  ["no amount at all", [{ when: "balance_below", mail: true }], "data.0.min_amount"],
  ["an amount of nothing", [large(0)], "data.0.min_amount"],
  ["the largest amount", [large(limits.alertAmountMax)], undefined],
  ["a larger amount", [large(limits.alertAmountMax + 1)], "data.0.min_amount"],
  ["an amount where none belongs", [{ when: "chargeback", mail: true, min_amount: 5 }], "data.0.min_amount"],
  ["a sign-in without its mail", [{ when: "new_sign_in", mail: false }], "data.0.mail"],
  ["no word on mail", [{ when: "chargeback" }], "data.0.mail"],
] as const)("alerts with %s", async ([, data, param]) => {
  const { session } = await openSession()
  const answer = await session.send<ErrorBody>("PUT", path, { data })
  if (param === undefined) return expect([answer.status, answer.text]).toEqual([200, expect.any(String)])
  expect([answer.status, answer.body.error]).toMatchObject([400, { code: "validation_failed", param }])
})

const long = (length: number) => `${"https://localhost/"}${"x".repeat(length - "https://localhost/".length)}`

it.for([
  ["http", "http://example.com/hook"],
  ["an address of this machine", "https://127.0.0.1:8443/hook"],
  ["an address of a private network", "https://10.0.0.1/hook"],
  ["the address of cloud metadata", "https://169.254.169.254/latest"],
  ["a name that is none", "https://no-such-name.invalid/hook"],
] as const)("a URL that is %s is refused, saved or tested", async ([, url]) => {
  const { session } = await openSession()
  const saved = await session.send<ErrorBody>("PUT", path, {
    data: [
      { when: "chargeback", mail: true },
      { when: "payout_failed", mail: true, url },
    ],
  })
  expect([saved.status, saved.body.error]).toMatchObject([400, { code: "invalid_url", param: "data.1.url" }])
  const tested = await session.send<ErrorBody>("POST", `${path}/test`, { url })
  expect([tested.status, tested.body.error]).toMatchObject([400, { code: "invalid_url", param: "url" }])
})

it("a URL may be as long as that of an endpoint, and no longer", async () => {
  const { session } = await openSession()
  const put = (length: number) =>
    session.send<ErrorBody>("PUT", path, { data: [{ when: "chargeback", mail: true, url: long(length) }] })
  expect((await put(limits.destinationUrlLengthMax)).body.error).toMatchObject({ code: "invalid_url" })
  const answer = await put(limits.destinationUrlLengthMax + 1)
  expect(answer.body.error).toMatchObject({ code: "validation_failed", param: "data.0.url" })
})

it("a large charge is told once by mail and once in the chat, and a smaller one not at all", async () => {
  const { seller, email, set } = await openSession()
  await set([{ when: "large_charge", mail: true, url: `${receiver.origin}/large`, min_amount: 150_000 }])
  await paidCharge(seller.live, 149_999)
  const { id } = await paidCharge(seller.live, 150_000)
  await paidCharge(seller.test, 150_000)
  await allTold(seller.id)
  const mails = await mailsTo(stage, email)
  expect(mails.map(({ purpose, subject }) => [purpose, subject])).toEqual([
    ["alert_large_charge", "Cobrança de R$ 1.500,00 paga"],
  ])
  expect(mails[0]?.text).toContain(`/app/charges/${id}`)
  expect(mails[0]?.text).toContain("/app/settings/alerts.")
  const [request, ...others] = requestsOn(receiver, "/large")
  expect(others).toEqual([])
  expect(JSON.parse(request?.body ?? "")).toEqual({
    text: expect.stringContaining(`A cobrança ${id}, de R$ 1.500,00, foi paga.`),
  })
  expect(request?.headers).toMatchObject({
    ...{ "content-type": "application/json", "x-event-type": "alert" },
    "x-event-id": expect.stringMatching(/^alert_[0-9a-f]{32}$/),
  })
  expect(request?.headers["webhook-signature"]).toBeUndefined()
  expect(`${mails[0]?.text}${request?.body}`).not.toMatch(/@|\d{11}|Ana/)
})

it("after ten alerts of a kind in an hour one says that others are held back", {
  timeout: 60_000,
}, async () => {
  const { seller, set } = await openSession()
  await set([{ when: "large_charge", mail: false, url: `${receiver.origin}/many`, min_amount: 100 }])
  // An hour that ends meanwhile begins another ten.
  await until("an hour with a minute left", () => Date.now() % 3_600_000 < 3_540_000)
  const pay = (count: number) =>
    Promise.all(Array.from({ length: count }, () => paidCharge(seller.live, 5_000)))
  await pay(limits.alertsPerHourMax)
  await allTold(seller.id)
  expect(textsAt("/many")).toHaveLength(limits.alertsPerHourMax)
  await pay(3)
  await allTold(seller.id)
  expect(textsAt("/many")).toHaveLength(limits.alertsPerHourMax + 1)
  expect(textsAt("/many").at(-1)).toContain("Os próximos desta hora não serão enviados.")
})

it("a receiver that refuses a message gets it again later, and the mail is not repeated", async () => {
  const { seller, email, set } = await openSession()
  await set([{ when: "large_charge", mail: true, url: `${receiver.origin}/bad-one`, min_amount: 100 }])
  await paidCharge(seller.live, 5_000)
  await until("the first try and the mail", async () => {
    return requestsOn(receiver, "/bad-one").length > 0 && (await mailsTo(stage, email)).length > 0
  })
  const owed = await findKey(stage, `alerts:*:${seller.id}`)
  await until("the next try to be planned", async () => {
    const [member = "", ...others] = (await stage.redis("ZRANGE", owed, 0, -1)) as ReadonlyArray<string>
    return others.length === 0 && member.startsWith("1 url large_charge ")
  })
  await stage.redis(
    "ZADD",
    owed,
    1,
    ((await stage.redis("ZRANGE", owed, 0, -1)) as ReadonlyArray<string>)[0] ?? "",
  )
  await stage.redis(
    "ZADD",
    owed.replace(/^alerts/, "timers").replace(/:sel_.*/, ""),
    1,
    `${seller.id}:alerts`,
  )
  await until("the second try", () => requestsOn(receiver, "/bad-one").length === 2)
  const ids = requestsOn(receiver, "/bad-one").map(({ headers }) => headers["x-event-id"])
  expect(new Set(ids).size).toBe(1)
  expect(await mailsTo(stage, email)).toHaveLength(1)
})

it("a balance that falls below its minimum is told", async () => {
  const { seller, set } = await openSession()
  await paidCharge(seller.live, 50_000)
  await set([{ when: "balance_below", mail: false, url: `${receiver.origin}/low`, min_amount: 30_000 }])
  const charge = await paidCharge(seller.live, 5_000)
  const refunded = await seller.live.post(`/v1/transactions/${charge.id}/refunds`, {
    body: {},
    headers: { "Idempotency-Key": charge.id },
  })
  expect(refunded.status).toBe(201)
  await allTold(seller.id)
  expect(textsAt("/low")).toEqual([])
  const other = await paidCharge(seller.live, 40_000)
  await set([{ when: "balance_below", mail: false, url: `${receiver.origin}/low`, min_amount: 80_000 }])
  await seller.live.post(`/v1/transactions/${other.id}/refunds`, {
    body: {},
    headers: { "Idempotency-Key": other.id },
  })
  await until("the alert", () => textsAt("/low").length > 0)
  await allTold(seller.id)
  expect(textsAt("/low")).toHaveLength(1)
  expect(textsAt("/low")[0]).toMatch(
    /^O saldo está abaixo de R\$ 800,00\nO saldo disponível agora é de R\$ [\d.,]+, abaixo de/,
  )
})

it("a test message is sent at once, and its answer is told", async () => {
  const { session } = await openSession()
  const test = (at: string) =>
    session.send<NotificationTested>("POST", `${path}/test`, { url: `${receiver.origin}${at}` })
  expect((await test("/test-good")).body).toEqual({ delivered: true, status_code: 200, error: null })
  expect(textsAt("/test-good")).toEqual([expect.stringContaining("Teste da Corrente")])
  expect((await test("/bad-test")).body).toEqual({ delivered: false, status_code: 404, error: "http_404" })
})

it("test messages are limited by the seller and minute", async () => {
  const { session } = await openSession()
  const url = `${receiver.origin}/often`
  for (let count = 0; count < limits.alertTestsPerMinute; count++) {
    expect((await session.send("POST", `${path}/test`, { url })).status).toBe(200)
  }
  const tooMany = await session.send<ErrorBody>("POST", `${path}/test`, { url })
  expect([tooMany.status, tooMany.body.error.code]).toEqual([429, "rate_limited"])
  expect(tooMany.headers.get("retry-after")).toMatch(/^\d+$/)
  const other = await openSession()
  expect((await other.session.send("POST", `${path}/test`, { url })).status).toBe(200)
})

it("URLs of chats are ciphertext in Redis, and the audit log does not tell them", async () => {
  const { seller, session, set } = await openSession()
  const url = `${receiver.origin}/services/T0/B0/verysecret`
  await set([{ when: "chargeback", mail: true, url }])
  const keys = (await stage.redis("KEYS", `*${seller.id}*`)) as ReadonlyArray<string>
  const settings = keys.find((key) => key.startsWith("alert-settings:")) ?? ""
  expect(await stage.redis("HGET", settings, "sealed")).toMatch(/^enc:v2:/)
  const log = await session.get<unknown>("/v1/me/audit")
  expect(log.text).toContain("notifications.set")
  expect(log.text).not.toContain("verysecret")
  await makeCharge(seller.live)
})
