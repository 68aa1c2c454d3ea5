import { randomUUID } from "node:crypto"
import type { TlsReceiver } from "../../support/tlsReceiver.ts"
import { until } from "../../support/until.ts"
import { type Browser, type BrowserInput, makeBrowser } from "./accountBrowser.ts"
import {
  beginSignIn,
  forgetRates,
  freshEmail,
  mailedToken,
  makeOperator,
  signInWith2fa,
} from "./accountPeople.ts"
import type { Secrets } from "./accountSecrets.ts"
import { type Authenticator, makeAuthenticator, secretOf } from "./accountTotp.ts"
import { chargeBody, freshKey } from "./charges.ts"
import type { Stage } from "./stage.ts"

/** An answer, and the secrets that it is meant to show. */
interface PlayedAnswer {
  readonly request: string
  readonly status: number
  readonly text: string
  readonly shows: ReadonlyArray<string>
}

/** Everything that was done, and the secrets used in it. */
export interface Play {
  readonly secrets: Secrets
  /** Tokens in mails, which the mail stream holds as well. */
  readonly mailed: Secrets
  readonly answers: ReadonlyArray<PlayedAnswer>
  /** The attempts, as their list and details are answered. */
  readonly deliveryTexts: ReadonlyArray<string>
  /** E-mail addresses with accounts. */
  readonly emails: ReadonlyArray<string>
}

const auth = "/v1/me/auth"
const testMode = { "X-Mode": "test" }

/** Sends requests and keeps their answers. */
class Player {
  readonly answers: Array<PlayedAnswer> = []
  readonly secrets: Record<string, string> = {}
  readonly mailed: Record<string, string> = {}
  private readonly stage: Stage

  constructor(stage: Stage) {
    this.stage = stage
  }

  /** Sends a request whose answer may show the named secrets and no others. */
  async ask<T>(
    browser: Browser,
    method: string,
    path: string,
    input: BrowserInput = {},
    shows: ReadonlyArray<string> = [],
  ): Promise<T> {
    await forgetRates(this.stage)
    const { status, text, body } = await browser.send<T>(method, path, {
      ...input,
      headers: { ...testMode, ...input.headers },
    })
    this.answers.push({ request: `${method} ${path.slice(0, 40)}`, status, text, shows })
    return body
  }

  /** Like `ask`, for a request that must succeed; fails with the request and its answer otherwise. */
  async must<T>(...asked: Parameters<Player["ask"]>): Promise<T> {
    const body = await this.ask<T>(...asked)
    const { status, text, request } = this.answers.at(-1) ?? {}
    if (status === undefined || status >= 300) throw new Error(`${request}: ${status} ${text}`)
    return body
  }

  /** Puts a secret everywhere a clumsy caller might: in paths, queries, headers and malformed bodies. */
  async misuse({ browser, operator }: Member, secret: string): Promise<void> {
    const text = encodeURIComponent(secret)
    await this.ask(browser, "GET", `/${text}`)
    await this.ask(browser, "GET", `/v1/me/nothing/${text}?token=${text}`)
    await this.ask(browser, "GET", `/v1/transactions?cursor=${text}&status=${text}`)
    await this.ask(browser, "GET", `/v1/me/events/${text}`)
    await this.ask(browser, "GET", `/events?token=${text}&mode=${text}`)
    await this.ask(browser, "DELETE", `${auth}/invites/${text}`)
    await this.ask(browser, "GET", `${auth}/invites/${text}`)
    await this.ask(browser, "GET", `${auth}/verify-email?token=${text}&callbackURL=${text}`)
    await this.ask(browser, "GET", "/v1/me/seller", { headers: { "X-Mode": secret } })
    await this.ask(browser, "GET", "/v1/transactions", { headers: { Authorization: `Bearer ${secret}x` } })
    await this.ask(browser, "GET", "/v1/transactions", { headers: { Authorization: secret } })
    await this.ask(browser, "POST", `${auth}/sign-in/email`, { body: `{"email": "${secret}", "password": ` })
    await this.ask(browser, "POST", `${auth}/sign-in/email`, { body: { email: secret, password: [secret] } })
    await this.ask(browser, "POST", `${auth}/sign-up/email`, {
      body: { email: secret, password: { secret } },
    })
    await this.ask(browser, "POST", `${auth}/reset-password`, {
      body: { token: secret, newPassword: "short" },
    })
    await this.ask(browser, "POST", `${auth}/two-factor/recovery/confirm`, { body: { token: `${secret}x` } })
    await this.ask(browser, "POST", `${auth}/step-up`, { body: { code: secret, password: secret } })
    await this.ask(browser, "POST", "/v1/me/api-keys", { body: { name: "x", mode: secret } })
    await this.ask(browser, "PUT", "/v1/me/tracker", { body: { url: `https://${secret}`, headers: secret } })
    await this.ask(browser, "POST", "/v1/me/webhook-endpoints", { body: { url: secret, events: ["*"] } })
    await this.ask(browser, "POST", "/v1/me/webhook-endpoints", {
      body: { url: "https://example.com", events: [secret] },
    })
    await this.ask(browser, "DELETE", `/v1/me/api-keys/${text}`)
    await this.ask(browser, "DELETE", `/v1/me/sessions/${text}`)
    await this.ask(browser, "POST", "/v1/me/pix-keys", { body: { type: secret, value: { secret } } })
    await this.ask(browser, "POST", "/v1/me/pix-keys", { body: { type: "evp", value: secret } })
    await this.ask(browser, "DELETE", `/v1/me/pix-keys/${text}`)
    await this.ask(operator, "POST", `/v1/admin/pix-keys/${text}/approve`)
    await this.ask(operator, "GET", `/v1/admin/sellers/${text}`)
    await this.ask(operator, "POST", `/v1/admin/sellers/${text}/kyc`, { body: { status: secret } })
    await this.ask(operator, "DELETE", `/v1/admin/invites/${text}`)
    await this.ask(operator, "POST", "/v1/admin/invites", { body: { email: secret } })
  }
}

interface Member {
  readonly email: string
  readonly password: string
  readonly browser: Browser
  readonly authenticator: Authenticator
  /** The browser of the operator who sent the invite. */
  readonly operator: Browser
}

/** An operator invites a person, who signs up, verifies the address, and turns 2FA on. */
const join = async (stage: Stage, player: Player): Promise<Member> => {
  const operator = await makeOperator(stage)
  player.secrets["the operator's password"] = operator.password
  player.secrets["the operator's TOTP seed"] = operator.authenticator.secret
  const operatorBrowser = await signInWith2fa(stage, operator)
  player.secrets["the operator's session"] = operatorBrowser.cookie("lm.session") ?? ""

  const email = freshEmail("canary")
  const password = `canary password ${randomUUID()}`
  player.secrets["a password"] = password
  const invite_token = await mailedToken(stage, email, "invite", () =>
    player.must(operatorBrowser, "POST", "/v1/admin/invites", { body: { email } }),
  )
  player.mailed["an invite's token"] = invite_token
  const browser = makeBrowser(stage.service.url)
  await player.must(browser, "GET", `${auth}/invites/${invite_token}`)
  await player.ask(browser, "GET", `${auth}/invites/${invite_token}x`)
  const body = { name: "Ana", email, password, accept_terms: true, invite_token }
  await player.ask(browser, "POST", `${auth}/sign-up/email`, { body: { ...body, accept_terms: false } })
  const verifyToken = await mailedToken(stage, email, "verify_email", () =>
    player.must(browser, "POST", `${auth}/sign-up/email`, { body }),
  )
  player.mailed["a verification's token"] = verifyToken
  await player.ask(browser, "GET", `${auth}/invites/${invite_token}`)
  await player.must(browser, "GET", `${auth}/verify-email?token=${verifyToken}`)
  player.secrets["the first session"] = browser.cookie("lm.session") ?? ""

  await player.ask(browser, "POST", `${auth}/two-factor/enable`, { body: { password: `${password}x` } })
  const { totpURI, backupCodes } = await player.must<{ totpURI: string; backupCodes: Array<string> }>(
    browser,
    "POST",
    `${auth}/two-factor/enable`,
    { body: { password } },
    ["the TOTP seed", "a backup code", "another backup code"],
  )
  const authenticator = makeAuthenticator(secretOf(totpURI))
  player.secrets["the TOTP seed"] = authenticator.secret
  player.secrets["a backup code"] = backupCodes[0] ?? ""
  player.secrets["another backup code"] = backupCodes[1] ?? ""
  await player.ask(browser, "POST", `${auth}/two-factor/verify-totp`, { body: { code: "000000" } })
  await player.must(browser, "POST", `${auth}/two-factor/verify-totp`, {
    body: { code: await authenticator.next() },
  })
  return { email, password, browser, authenticator, operator: operatorBrowser }
}

/** Signs in by both steps, with every mistake on the way. */
const signInAgain = async (stage: Stage, player: Player, member: Member): Promise<void> => {
  const { email, password } = member
  const browser = makeBrowser(stage.service.url)
  await player.ask(browser, "POST", `${auth}/sign-in/email`, { body: { email, password: `${password}x` } })
  await beginSignIn(stage, member, browser)
  player.secrets["a pending sign-in"] = browser.cookie("lm.two_factor") ?? ""
  await player.ask(browser, "POST", `${auth}/two-factor/verify-backup-code`, { body: { code: "wrong" } })
  await player.must(browser, "POST", `${auth}/two-factor/verify-backup-code`, {
    body: { code: player.secrets["a backup code"], trustDevice: true },
  })
  player.secrets["a second session"] = browser.cookie("lm.session") ?? ""
  player.secrets["a trusted device"] = decodeURIComponent(browser.cookie("lm.trust_device") ?? "")
  await player.ask(browser, "POST", `${auth}/two-factor/verify-backup-code`, {
    body: { code: player.secrets["a backup code"] },
  })
}

/** Makes API keys, an endpoint, a tracker and a postback secret. Deliveries to them all fail. */
const sell = async (player: Player, { browser }: Member, receiver: TlsReceiver): Promise<void> => {
  const { secrets } = player
  const document = "11.222.333/0001-81"
  secrets["the seller's document"] = document.replaceAll(/\D/g, "")
  secrets["the seller's document as it was sent"] = document
  await player.must(browser, "POST", "/v1/me/kyc", { body: { document, legal_name: "Loja" } })
  await player.ask(browser, "POST", "/v1/me/kyc", { body: { document: [document], legal_name: document } })

  const { id, key } = await player.must<{ id: string; key: string }>(
    browser,
    "POST",
    "/v1/me/api-keys",
    { body: { name: "canary", mode: "test" } },
    ["an API key"],
  )
  secrets["an API key"] = key
  const rotated = await player.must<{ key: string }>(browser, "POST", `/v1/me/api-keys/${id}/rotate`, {}, [
    "a rotated API key",
  ])
  secrets["a rotated API key"] = rotated.key

  const endpoint = await player.must<{ id: string; secret: string }>(
    browser,
    "POST",
    "/v1/me/webhook-endpoints",
    { body: { url: receiver.url, events: ["*"] } },
    ["a webhook secret"],
  )
  secrets["a webhook secret"] = endpoint.secret
  const newSecret = await player.must<{ secret: string }>(
    browser,
    "POST",
    `/v1/me/webhook-endpoints/${endpoint.id}/rotate-secret`,
    {},
    ["a rotated webhook secret"],
  )
  secrets["a rotated webhook secret"] = newSecret.secret
  const postback = await player.must<{ secret: string }>(
    browser,
    "POST",
    "/v1/me/postback-secret/rotate",
    {},
    ["the postback secret"],
  )
  secrets["the postback secret"] = postback.secret
  const header = `canary-${randomUUID()}`
  secrets["a tracker's header"] = header
  // Nobody listens there.
  const redisPassword = `redis-${randomUUID()}`
  secrets["a Redis Stream's password"] = redisPassword
  const streamAt = (host: string) => ({
    url: `rediss://shop:${redisPassword}@${host}/?stream=events`,
    events: ["*"],
  })
  await player.must(browser, "POST", "/v1/me/webhook-endpoints", { body: streamAt("localhost:1") })
  await player.ask(browser, "POST", "/v1/me/webhook-endpoints", { body: streamAt("10.0.0.1") })
  const tracker = { url: `${receiver.origin}/cut`, headers: { "X-Tracker-Key": header } }
  await player.must(browser, "PUT", "/v1/me/tracker", { body: tracker })
  await player.ask(browser, "PUT", "/v1/me/tracker", { body: { ...tracker, url: "http://localhost" } })
}

/**
 * Registers a PIX key and removes it, with the mistakes on the way. It is a phone number: an e-mail address is accepted
 * in many other fields, and a random key looks like our own ids, which errors repeat.
 */
const registerPixKey = async (player: Player, { browser, operator }: Member): Promise<void> => {
  const path = "/v1/me/pix-keys"
  const sent = "+55 (21) 98123-4567"
  const value = sent.replaceAll(/[^+\d]/g, "")
  player.secrets["a PIX key's value as it was sent"] = sent
  player.secrets["a PIX key's value"] = value
  const body = { type: "phone", value: sent }
  const { id } = await player.must<{ id: string }>(browser, "POST", path, { body })
  await player.ask(browser, "POST", path, { body: { type: "phone", value } })
  for (const type of ["cpf", "cnpj", "email", "evp", value]) {
    await player.ask(browser, "POST", path, { body: { type, value } })
  }
  await player.ask(browser, "POST", path, { body: { type: "phone", value: [value] } })
  // In live the seller must be identified.
  await player.ask(browser, "POST", path, { body, headers: { "X-Mode": "live" } })
  await player.must(browser, "GET", path)
  await player.must(operator, "GET", "/v1/admin/pix-keys?mode=test&status=verified")
  await player.ask(operator, "POST", `/v1/admin/pix-keys/${id}/refuse`, { body: { reason: "too late" } })
  await player.must(browser, "DELETE", `${path}/${id}`)
}

/** Makes paid, refused and malformed charges, and waits until all their deliveries are dead. */
const charge = async (stage: Stage, player: Player, receiver: TlsReceiver): Promise<void> => {
  const { secrets } = player
  const document = "111.444.777-35"
  secrets["the customer's document"] = document.replaceAll(/\D/g, "")
  secrets["the customer's document as it was sent"] = document
  const browser = makeBrowser(stage.service.url, { Authorization: `Bearer ${secrets["an API key"]}` })
  const body = chargeBody({
    customer: { name: "Ana Souza", email: "ana@example.com", document },
    postback_url: receiver.url,
  })
  const shows = ["the customer's document"]
  const create = (changes: object, path = "/v1/transactions") =>
    player.ask<{ readonly id: string }>(
      browser,
      "POST",
      path,
      { body: { ...body, ...changes }, headers: { "Idempotency-Key": freshKey() } },
      shows,
    )
  const { id } = await create({})
  await player.must(browser, "GET", `/v1/transactions/${id}`, {}, shows)
  await create({ amount: 103 })
  await create({ amount: -1 })
  await create({ customer: { ...body.customer, document: [document] } })
  await create({ customer: { ...body.customer, document: document.slice(0, 11) } })
  await create({}, `/v1/transactions/${document}`)
  await player.ask(browser, "POST", "/v1/transactions", { body: JSON.stringify(body).slice(0, -2) })
  // An endpoint, a postback and a tracker, six times each.
  await until("the deliveries to be dead", async () => {
    const rows = await browser.must<{ data: ReadonlyArray<unknown> }>(
      "GET",
      "/v1/webhook-deliveries?status=dead",
    )
    return rows.data.length >= 3
  })
}

/** Reads everything about a seller that shows no secret. */
const readAll = async (player: Player, browser: Browser): Promise<void> => {
  const paths = [
    "api-keys",
    "sessions",
    "webhook-endpoints",
    "postback-secret",
    "tracker",
    "seller",
    "counters",
  ]
  for (const path of paths) await player.must(browser, "GET", `/v1/me/${path}`)
  await player.must(browser, "GET", `${auth}/get-session`)
  await player.must(browser, "GET", "/v1/me/events", {}, ["the customer's document"])
}

/** The answers to the list of attempts and to the details of each. */
const readDeliveries = async (stage: Stage, player: Player): Promise<ReadonlyArray<string>> => {
  const browser = makeBrowser(stage.service.url, { Authorization: `Bearer ${player.secrets["an API key"]}` })
  const path = "/v1/webhook-deliveries"
  const list = await browser.send<{ data: ReadonlyArray<{ id: string }> }>("GET", `${path}?limit=100`)
  const texts = [list.text]
  for (const { id } of list.body.data) texts.push((await browser.send("GET", `${path}/${id}`)).text)
  return texts
}

/** Recovers from a lost password, then from a lost authenticator. */
const lose = async (stage: Stage, player: Player, { email, password }: Member): Promise<void> => {
  const browser = makeBrowser(stage.service.url)
  const resetToken = await mailedToken(stage, email, "reset_password", () =>
    player.must(browser, "POST", `${auth}/request-password-reset`, { body: { email } }),
  )
  player.mailed["a reset's token"] = resetToken
  const newPassword = `another canary ${randomUUID()}`
  player.secrets["the new password"] = newPassword
  const reset = { token: resetToken, newPassword }
  await player.ask(browser, "POST", `${auth}/reset-password`, { body: { ...reset, newPassword: "short" } })
  await player.must(browser, "POST", `${auth}/reset-password`, { body: reset })
  await player.ask(browser, "POST", `${auth}/reset-password`, { body: reset })

  const request = `${auth}/two-factor/recovery/request`
  await player.must(browser, "POST", request, { body: { email, password } })
  const recoveryToken = await mailedToken(stage, email, "recover_two_factor", () =>
    player.must(browser, "POST", request, { body: { email, password: newPassword } }),
  )
  player.mailed["a recovery's token"] = recoveryToken
  const confirm = { body: { token: recoveryToken } }
  await player.must(browser, "POST", `${auth}/two-factor/recovery/confirm`, confirm)
  await player.ask(browser, "POST", `${auth}/two-factor/recovery/confirm`, confirm)
}

/** Plays every flow that has secrets in it, with its failures, and a restart in between. */
export const playEverything = async (stage: Stage, receiver: TlsReceiver): Promise<Play> => {
  const player = new Player(stage)
  const member = await join(stage, player)
  await signInAgain(stage, player, member)
  await sell(player, member, receiver)
  await registerPixKey(player, member)
  await charge(stage, player, receiver)
  await readAll(player, member.browser)
  await stage.service.restart()
  const deliveryTexts = await readDeliveries(stage, player)
  for (const secret of [...Object.values(player.secrets), ...Object.values(player.mailed)]) {
    await player.misuse(member, secret)
  }
  await lose(stage, player, member)
  const { secrets, mailed, answers } = player
  return { secrets, mailed, answers, deliveryTexts, emails: [member.email] }
}
