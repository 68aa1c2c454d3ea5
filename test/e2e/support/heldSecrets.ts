import { expect } from "vitest"
import type { Event } from "../../../schema/resources/event.ts"
import type { Notifications } from "../../../schema/resources/notifications.ts"
import type { PixKey } from "../../../schema/resources/pixKey.ts"
import type { Report } from "../../../schema/resources/report.ts"
import type { SellerProfile } from "../../../schema/resources/seller.ts"
import type { Transaction } from "../../../schema/resources/transaction.ts"
import { signInAsOperator } from "../../support/dashboard.ts"
import type { RedisPeer } from "../../support/redisPeer.ts"
import type { TlsReceiver } from "../../support/tlsReceiver.ts"
import { type Browser, makeBrowser } from "./accountBrowser.ts"
import { beginSignIn, makeSellerPerson, type SellerPerson, signInWith2fa } from "./accountPeople.ts"
import { eventsOf, getCharge, makeCharge } from "./charges.ts"
import { type Client, eventually, makeClient, type Page } from "./client.ts"
import { dashboardClient } from "./dashboardClient.ts"
import { paidEvent, requestsOn, verify } from "./deliveries.ts"
import { getRecord, paymentBody, postNotice, recordsOf } from "./notices.ts"
import type { Stage } from "./stage.ts"
import { fund, withdraw, withdrawalWhen } from "./withdrawals.ts"

const document = "52998224725"
const pixKeyBody = { type: "email", value: "ana.pix@example.com" }
const redisPassword = "password-of-the-redis"
const trackerHeader = "header of the tracker"
const inTest = { "X-Mode": "test" }

/** One of each kind of secret, and of what is signed or looked up, as a seller has them. */
export interface HeldSecrets {
  readonly person: SellerPerson
  /** The cookie of a device that is trusted. */
  readonly trusted: string
  readonly endpointSecret: string
  readonly backupCodes: Array<string>
  readonly pixKey: PixKey
  readonly charge: Transaction
  /** Of a page of charges. */
  readonly cursor: string
  readonly noticeId: string
}

const shopOf = (stage: Stage, person: SellerPerson): Client => makeClient(stage.service.url, person.keys.test)
const operatorOf = async (stage: Stage) =>
  dashboardClient(stage.service.url, await signInAsOperator(stage.service))

/** Makes one of each. */
export const holdSecrets = async (
  stage: Stage,
  receiver: TlsReceiver,
  peer: RedisPeer,
): Promise<HeldSecrets> => {
  const person = await makeSellerPerson(stage, "holder")
  const browser = await signInWith2fa(stage, person)
  const must = <T>(method: string, path: string, body: unknown) =>
    browser.must<T>(method, path, { headers: inTest, body })
  await must("PATCH", "/v1/me/seller", { document })
  const { secret } = await must<{ secret: string }>("POST", "/v1/me/webhook-endpoints", {
    url: `${receiver.origin}/hook`,
    events: ["transaction.paid"],
  })
  await must("POST", "/v1/me/webhook-endpoints", {
    url: peer.url.replace("shop@", `shop:${redisPassword}@`),
    events: ["transaction.paid"],
  })
  const headers = { "X-Tracker-Key": trackerHeader }
  await must("PUT", "/v1/me/tracker", { url: `${receiver.origin}/tracker`, headers })
  const chargeback = { when: "chargeback", mail: false, url: `${receiver.origin}/chat` }
  await must("PUT", "/v1/me/notifications", { data: [chargeback] })
  const report = { kind: "statement", format: "ofx", every: "month", emails: [person.email] }
  await must("POST", "/v1/me/reports", report)
  const { backupCodes } = await must<{ backupCodes: Array<string> }>(
    "POST",
    "/v1/me/auth/two-factor/generate-backup-codes",
    { password: person.password },
  )
  const shop = shopOf(stage, person)
  const pixKey = await must<PixKey>("POST", "/v1/me/pix-keys", pixKeyBody)
  await fund(shop, 90_000)
  const charge = await makeCharge(shop)
  await postNotice(stage, paymentBody(charge.id))
  const operator = await operatorOf(stage)
  const noticeId = await eventually("the notice", async () => (await recordsOf(operator, charge.id))[0]?.id)
  const page = await shop.get<Page<Transaction>>("/v1/transactions?limit=1")
  return {
    person,
    trusted: browser.cookie("lm.trust_device") ?? "",
    endpointSecret: secret,
    backupCodes,
    pixKey,
    charge,
    cursor: page.body.next_cursor ?? "",
    noticeId,
  }
}

/** The page of the charge's link as it was first shown, at the process that runs now. */
export const paymentPage = async (stage: Stage, { charge }: HeldSecrets): Promise<number> => {
  const { pathname } = new URL(charge.payment_url ?? "")
  return (await fetch(stage.service.url + pathname)).status
}

/** Whether the device is still trusted: signing in on it needs no code. */
export const isTrusted = async (stage: Stage, { person, trusted }: HeldSecrets): Promise<boolean> => {
  const browser: Browser = makeBrowser(stage.service.url)
  browser.setCookie("lm.trust_device", trusted)
  return !(await beginSignIn(stage, person, browser)).needsSecondStep
}

const signInWithBackupCode = async (stage: Stage, { person, backupCodes }: HeldSecrets) => {
  const code = backupCodes.pop()
  const { browser } = await beginSignIn(stage, person)
  const path = "/v1/me/auth/two-factor/verify-backup-code"
  await browser.must("POST", path, { body: { code } })
  expect((await browser.send("POST", path, { body: { code } })).status).not.toBe(200)
  return browser
}

/** Everything that one of the keys must open, on a process: each kind is used as its owner uses it. */
export const expectReadable = async (
  stage: Stage,
  receiver: TlsReceiver,
  held: HeldSecrets,
  peer: RedisPeer,
) => {
  const signedInBefore = peer.commands.length
  const { person, charge, endpointSecret, pixKey, noticeId } = held
  const shop = shopOf(stage, person)
  expect((await getCharge(shop, charge.id)).body.customer.document).toBe(document)
  for (const { data } of await eventsOf(shop, charge.id)) {
    expect((data as unknown as Event["data"] & { object: Transaction }).object.customer.document).toBe(
      document,
    )
  }
  const browser = await signInWithBackupCode(stage, held)
  await signInWith2fa(stage, person)
  expect((await browser.must<SellerProfile>("GET", "/v1/me/seller")).document).toBe("***.982.247-**")
  const { data: alerts } = await browser.must<Notifications>("GET", "/v1/me/notifications")
  expect(alerts[0]?.url).toBe(`${receiver.origin}/chat`)
  const { data: reports } = await browser.must<{ data: ReadonlyArray<Report> }>("GET", "/v1/me/reports", {
    headers: inTest,
  })
  expect(reports[0]?.emails).toEqual([person.email])
  const again = await browser.send("POST", "/v1/me/pix-keys", { headers: inTest, body: pixKeyBody })
  expect([again.status, again.text]).toEqual([409, expect.stringContaining("registered already")])
  const { id } = await withdraw(shop, pixKey.id, 1_000)
  await withdrawalWhen(shop, id, "successful")

  const before = receiver.requests.length
  const path = `/postback-${before}`
  const { event } = await paidEvent(shop, { postback_url: receiver.origin + path })
  const sent = (on: string) =>
    eventually(`a delivery on ${on}`, async () =>
      requestsOn(receiver, on).find(({ headers }) => headers["x-event-id"] === event.id),
    )
  const hook = await sent("/hook")
  verify(hook, endpointSecret)
  expect(hook.body).toContain(document)
  verify(await sent(path), person.postbackSecret)
  const since = () => peer.commands.slice(signedInBefore).map(({ parts }) => parts)
  await eventually("the entry", async () => since().find((parts) => parts.includes(event.id)))
  expect(since().find(([name]) => name === "AUTH") ?? ["AUTH", "shop", redisPassword]).toEqual([
    ...["AUTH", "shop", redisPassword],
  ])
  expect((await sent("/tracker")).headers["x-tracker-key"]).toBe(trackerHeader)

  const operator = await operatorOf(stage)
  const record = await getRecord(operator, noticeId)
  expect(record.raw_body).toBe(paymentBody(charge.id))
  expect(record.headers["content-type"]).toMatch(/json/)
  const found = await operator.get<Page<SellerProfile>>(`/v1/admin/sellers?q=${document}`)
  expect(found.body.data.map((seller) => seller.id)).toEqual([person.sellerId])
}
