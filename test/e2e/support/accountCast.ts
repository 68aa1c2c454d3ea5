import { limits } from "../../../schema/limits.ts"
import { parseAccountToken } from "../../../src/accounts/users/accountTokenStore.ts"
import { partitionOf, sessionKey } from "../../../src/store/keys.ts"
import { makePixKey } from "../../support/pixKey.ts"
import type { TlsReceiver } from "../../support/tlsReceiver.ts"
import { makeAwaitingWithdrawal } from "../../support/withdrawal.ts"
import type { Credentials } from "./accountAttempts.ts"
import { type Browser, makeBrowser } from "./accountBrowser.ts"
import {
  beginSignIn,
  freshEmail,
  makeOperator,
  makeSellerPerson,
  opsOn,
  type Person,
  type SellerPerson,
  signInWith2fa,
} from "./accountPeople.ts"
import type { Things } from "./accountRoutes.ts"
import { makeCharge } from "./charges.ts"
import { makeClient } from "./client.ts"
import { rowsWhen } from "./deliveries.ts"
import { noticeOfNothing } from "./notices.ts"
import { refund, refundWhen } from "./refunds.ts"
import type { Stage } from "./stage.ts"

const sessionCookie = "lm.session"
const pendingCookie = "lm.two_factor"
const trustCookie = "lm.trust_device"
const attemptsMax = 6

/** A further session of a person, from a trusted device: it was never stepped up. */
const anotherSession = async (stage: Stage, person: Person, trusted: Browser): Promise<Browser> => {
  const browser = makeBrowser(stage.service.url)
  browser.setCookie(trustCookie, trusted.cookie(trustCookie) ?? "")
  const { needsSecondStep } = await beginSignIn(stage, person, browser)
  if (needsSecondStep) throw new Error("the device was not trusted")
  browser.forgetCookie(trustCookie)
  return browser
}

/** Sets a time field of a browser's session to the past. */
const expire = async (
  stage: Stage,
  browser: Browser,
  field: string,
  atMillis = Date.now() - 1_000,
): Promise<void> => {
  const parsed = parseAccountToken(browser.cookie(sessionCookie))
  if (parsed === undefined) throw new Error("the browser has no session")
  const key = sessionKey(parsed.slot, parsed.tokenHash)
  if ((await stage.redis("HEXISTS", key, field)) !== 1) throw new Error(`a session has no ${field}`)
  await stage.redis("HSET", key, field, atMillis)
}

/** The `Cookie` header of one cookie. */
const cookieOf = (browser: Browser, name: string): string => {
  const value = browser.cookie(name)
  if (value === undefined) throw new Error(`the browser has no ${name}`)
  return `${name}=${value}`
}

/** Sessions of a person: stepped up, never stepped up, and with an expired step-up. */
const sessionsOf = async (stage: Stage, person: Person) => {
  const steppedUp = await signInWith2fa(stage, person)
  const withoutStepUp = await anotherSession(stage, person, steppedUp)
  const stepUpExpired = await anotherSession(stage, person, steppedUp)
  await expire(stage, stepUpExpired, "mfa_verified_until")
  return { steppedUp, withoutStepUp, stepUpExpired }
}

/** A paid charge whose event has failed for good at two endpoints, and the things around it. */
const makeThings = async (stage: Stage, person: SellerPerson, receiver: TlsReceiver) => {
  const settings = { WEBHOOK_ALLOW_DESTINATIONS: receiver.origin }
  const endpointIds: Array<string> = []
  for (const path of ["/first", "/second"]) {
    const { id } = await opsOn<{ readonly id: string }>(
      { service: stage.service, settings },
      ...["endpoint", "create", "--seller", person.sellerId, "--mode", "test"],
      ...["--url", receiver.origin + path, "--events", "transaction.paid"],
    )
    endpointIds.push(id)
  }
  const client = makeClient(stage.service.url, person.keys.test)
  const charge = await makeCharge(client)
  const rows = await rowsWhen(client, (all) => all.length === 2 * attemptsMax)
  const [delivery = "", otherDelivery = ""] = endpointIds.map(
    (id) => rows.findLast(({ endpoint_id }) => endpoint_id === id)?.id ?? "",
  )
  const [endpoint = ""] = endpointIds
  const { id: refundId } = await refund(client, charge.id, { amount: 101 })
  await refundWhen(client, refundId, "processing")
  const things = { charge: charge.id, event: rows[0]?.event_id ?? "", refund: refundId }
  return { ...things, endpoint, delivery, otherDelivery }
}

/** A revoked API key of the seller, and the id of an active one. */
const makeKeys = async (stage: Stage, browser: Browser) => {
  const headers = { "X-Mode": "test" }
  const path = "/v1/me/api-keys"
  const create = (name: string) =>
    browser.must<{ readonly id: string; readonly key: string }>("POST", path, {
      headers,
      body: { name, mode: "test" },
    })
  const revoked = await create("revoked")
  // From now on the process caches the key, which must not keep it valid.
  const { status } = await makeClient(stage.service.url, revoked.key).get("/v1/transactions")
  if (status !== 200) throw new Error(`a new key was refused with ${status}`)
  await browser.must("DELETE", `${path}/${revoked.id}`, { headers })
  return { revoked: revoked.key, active: (await create("active")).id }
}

const idOfSession = async (browser: Browser): Promise<string> =>
  (await browser.must<{ readonly session: { readonly id: string } }>("GET", "/v1/me/auth/get-session"))
    .session.id

const memberOf = async (browser: Browser): Promise<string> =>
  (
    await browser.must<{ readonly id: string }>("POST", "/v1/me/members", {
      body: { email: freshEmail("member"), role: "viewer" },
    })
  ).id

const inviteOf = async (browser: Browser): Promise<string> =>
  (
    await browser.must<{ readonly id: string }>("POST", "/v1/admin/invites", {
      body: { email: freshEmail("invited") },
    })
  ).id

/** A seller with things, another seller, an operator, and all the credentials that an attempt may use. */
export const makeCast = async (
  stage: Stage,
  receiver: TlsReceiver,
): Promise<{ readonly things: Things; readonly credentials: Credentials }> => {
  const person = await makeSellerPerson(stage)
  const operator = await makeOperator(stage)
  const other = await makeSellerPerson(stage, "other")
  const sessions = await sessionsOf(stage, person)
  const operatorSessions = await sessionsOf(stage, operator)
  const otherSession = await signInWith2fa(stage, other)

  const expired = await anotherSession(stage, person, sessions.steppedUp)
  await expire(stage, expired, "expires_at")
  const ended = await anotherSession(stage, person, sessions.steppedUp)
  const endedCookie = cookieOf(ended, sessionCookie)
  await ended.must("POST", "/v1/me/auth/sign-out")
  const idle = await anotherSession(stage, person, sessions.steppedUp)
  await expire(stage, idle, "last_seen_at", Date.now() - limits.sessionIdleMillis - 60_000)
  const gone = await makeSellerPerson(stage, "gone")
  const disabledCookie = cookieOf(await signInWith2fa(stage, gone), sessionCookie)
  await operatorSessions.steppedUp.must("POST", `/v1/admin/users/${gone.userId}/disable`, {
    body: { reason: "left" },
  })
  const spare = await anotherSession(stage, person, sessions.steppedUp)
  const { browser: pending } = await beginSignIn(stage, person)

  const keys = await makeKeys(stage, sessions.steppedUp)
  const things = await makeThings(stage, person, receiver)
  const seller = { id: person.sellerId, partition: partitionOf(person.sellerId) }
  const pixKey = await makePixKey(stage, seller, "test")
  return {
    things: {
      ...things,
      pixKey,
      withdrawal: await makeAwaitingWithdrawal(stage.service, seller, pixKey, 1_001),
      apiKey: keys.active,
      session: await idOfSession(spare),
      seller: person.sellerId,
      notice: await noticeOfNothing(stage, cookieOf(operatorSessions.steppedUp, sessionCookie)),
      member: await memberOf(sessions.steppedUp),
      invite: await inviteOf(operatorSessions.steppedUp),
      email: person.email,
      password: person.password,
      url: receiver.url,
      code: person.authenticator.next,
    },
    credentials: {
      keys: { test: person.keys.test, live: person.keys.live, revoked: keys.revoked },
      otherKey: other.keys.test,
      session: cookieOf(sessions.steppedUp, sessionCookie),
      operatorSession: cookieOf(operatorSessions.steppedUp, sessionCookie),
      otherSession: cookieOf(otherSession, sessionCookie),
      withoutStepUp: cookieOf(sessions.withoutStepUp, sessionCookie),
      operatorWithoutStepUp: cookieOf(operatorSessions.withoutStepUp, sessionCookie),
      stepUpExpired: cookieOf(sessions.stepUpExpired, sessionCookie),
      operatorStepUpExpired: cookieOf(operatorSessions.stepUpExpired, sessionCookie),
      expired: cookieOf(expired, sessionCookie),
      ended: endedCookie,
      idle: cookieOf(idle, sessionCookie),
      disabled: disabledCookie,
      pending: cookieOf(pending, pendingCookie),
      pendingAsSession: `${sessionCookie}=${pending.cookie(pendingCookie)}`,
    },
  }
}
