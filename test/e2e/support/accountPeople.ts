import { randomUUID } from "node:crypto"
import { limits } from "../../../schema/limits.ts"
import { runOps } from "../../ops/cli.ts"
import { pause, until } from "../../support/until.ts"
import { type Browser, makeBrowser } from "./accountBrowser.ts"
import { type Authenticator, makeAuthenticator } from "./accountTotp.ts"
import type { Answer } from "./client.ts"
import type { Stage } from "./stage.ts"

/** A new e-mail address that begins with `name`. */
export const freshEmail = (name: string): string => `${name}-${randomUUID().slice(0, 8)}@example.com`

/** A user and what they sign in with. */
export interface Person {
  readonly email: string
  readonly password: string
  readonly userId: string
  /** For 2FA, which is on. */
  readonly authenticator: Authenticator
}

/** A seller's user as `ops seller create` makes it, with the seller's keys. */
export interface SellerPerson extends Person {
  readonly sellerId: string
  readonly keys: { readonly live: string; readonly test: string }
  readonly postbackSecret: string
}

/** A running service for `ops` to reach, and further settings for `ops`, if any. */
export type OpsTarget = Pick<Stage, "service"> & { readonly settings?: Readonly<Record<string, string>> }

/** Runs an `ops` command on the service's Redis and returns its document. Fails where the command does. */
export const opsOn = async <T>(target: OpsTarget, ...args: ReadonlyArray<string>): Promise<T> => {
  const { service, settings = {} } = target
  const { exitCode, stdout, stderr } = await runOps(args, {
    REDIS_URL: service.redisUrl,
    ENCRYPTION_KEY: Buffer.from(service.encryptionKey).toString("base64"),
    ...settings,
  })
  if (exitCode !== 0) throw new Error(`ops ${args.join(" ")}: ${stdout}${stderr}`)
  return JSON.parse(stdout) as T
}

const newPassword = (): string => `correct horse ${randomUUID()}`

/** A seller with approved KYC, 2FA on and a key of each mode. */
export const makeSellerPerson = async (stage: Stage, name = "seller"): Promise<SellerPerson> => {
  const email = freshEmail(name)
  const password = newPassword()
  const created = await opsOn<{
    readonly user_id: string
    readonly seller_id: string
    readonly totp_secret: string
    readonly api_keys: { readonly live: string; readonly test: string }
    readonly postback_secret: string
  }>(
    stage,
    ...["seller", "create", "--email", email, "--password", password],
    ...["--name", "Loja", "--kyc", "approved"],
  )
  return {
    email,
    password,
    userId: created.user_id,
    authenticator: makeAuthenticator(created.totp_secret),
    sellerId: created.seller_id,
    keys: created.api_keys,
    postbackSecret: created.postback_secret,
  }
}

/** An operator with 2FA on. */
export const makeOperator = async (stage: Stage): Promise<Person> => {
  const email = freshEmail("operator")
  const password = newPassword()
  const created = await opsOn<{ readonly user_id: string; readonly totp_secret: string }>(
    stage,
    ...["admin", "create", "--email", email, "--password", password],
  )
  return {
    email,
    password,
    userId: created.user_id,
    authenticator: makeAuthenticator(created.totp_secret),
  }
}

/** Resets all rate limits, as if a minute had passed. */
export const forgetRates = async (stage: Stage): Promise<void> => {
  const keys = (await stage.redis("KEYS", "rate:*")) as ReadonlyArray<string>
  if (keys.length > 0) await stage.redis("DEL", ...keys)
}

/** Makes all sessions of a user stepped up, as if a second factor had just been verified. */
export const makeSteppedUp = async (stage: Stage, userId: string): Promise<void> => {
  for (const key of (await stage.redis("KEYS", "session:*")) as ReadonlyArray<string>) {
    if ((await stage.redis("HGET", key, "user")) !== userId) continue
    await stage.redis("HSET", key, "mfa_verified_until", Date.now() + limits.stepUpMillis)
  }
}

const signInPath = "/v1/me/auth/sign-in/email"
export const verifyTotpPath = "/v1/me/auth/two-factor/verify-totp"

const busyTriesMax = 20

/**
 * Sends a request with a password until the answer is not 503 with `Retry-After`, which a machine too busy to check a password
 * within ten seconds gives.
 */
export const sendWhenFree = async <A>(send: () => Promise<Answer<A>>): Promise<Answer<A>> => {
  for (let triesLeft = busyTriesMax; ; triesLeft -= 1) {
    const answer = await send()
    if (answer.status !== 503 || triesLeft <= 1) return answer
    await pause(Number(answer.headers.get("retry-after")) * 1_000)
  }
}

/** Takes the first step of a sign-in: the browser then holds a session, or the credential for the second step. */
export const beginSignIn = async (
  stage: Stage,
  { email, password }: Pick<Person, "email" | "password">,
  browser: Browser = makeBrowser(stage.service.url),
): Promise<{ readonly browser: Browser; readonly needsSecondStep: boolean }> => {
  const input = { body: { email, password } }
  const answer = await sendWhenFree(async () => {
    await forgetRates(stage)
    return browser.send<{ readonly twoFactorRedirect?: boolean }>("POST", signInPath, input)
  })
  if (answer.status >= 300) throw new Error(`POST ${signInPath}: ${answer.status} ${answer.text}`)
  return { browser, needsSecondStep: answer.body.twoFactorRedirect === true }
}

/** Signs in with both steps; the device is trusted from then on, and the session is stepped up. */
export const signInWith2fa = async (stage: Stage, person: Person, browser?: Browser): Promise<Browser> => {
  const begun = await beginSignIn(stage, person, browser)
  if (!begun.needsSecondStep) throw new Error(`${person.email} needed no second step`)
  await begun.browser.must("POST", verifyTotpPath, {
    body: { code: await person.authenticator.next(), trustDevice: true },
  })
  return begun.browser
}

/** The token in a mail's link. */
export const tokenIn = (text: string): string => {
  const token = /[?&](?:invite_)?token=([A-Za-z0-9_-]{43,95})(?![A-Za-z0-9_-])/.exec(text)?.[1]
  if (token === undefined) throw new Error(`no link with a token in: ${text}`)
  return token
}

/** What a mail is for, as the mail stream names it. */
export type MailPurpose = "invite" | "team_invite" | "verify_email" | "reset_password" | "recover_two_factor"

type Mail = Readonly<Record<string, string>>

/** How many mails of a purpose the mail stream has for an address. */
const countMails = async (stage: Stage, email: string, wanted: MailPurpose): Promise<number> => {
  const entries = (await stage.redis("XRANGE", "mail", "-", "+")) as ReadonlyArray<[string, Array<string>]>
  return entries.filter(([, fields]) => fields.includes(email) && fields.includes(wanted)).length
}

/** Runs what sends a mail, waits for it, and returns its token as `ops mail` prints it. */
export const mailedToken = async (
  stage: Stage,
  email: string,
  wanted: MailPurpose,
  act: () => Promise<unknown>,
): Promise<string> => {
  const before = await countMails(stage, email, wanted)
  await act()
  await until(`a mail to ${email}`, async () => (await countMails(stage, email, wanted)) > before)
  const { data } = await opsOn<{ readonly data: ReadonlyArray<Mail> }>(stage, "mail", "list")
  const newest = data.find(({ to, purpose }) => to === email && purpose === wanted)
  return tokenIn(newest?.text ?? "")
}

/** Invites an address by `ops`, and returns the mailed token. */
export const invite = (stage: Stage, email: string): Promise<string> =>
  mailedToken(stage, email, "invite", () => opsOn(stage, "invite", "create", "--email", email))

/** Signs a new person up by an invite, in a new browser. 2FA is off. */
export const signUp = async (stage: Stage, name = "seller") => {
  const email = freshEmail(name)
  const password = newPassword()
  const invite_token = await invite(stage, email)
  const browser = makeBrowser(stage.service.url)
  await forgetRates(stage)
  const { user } = await browser.must<{ readonly user: { readonly id: string; readonly seller_id: string } }>(
    "POST",
    "/v1/me/auth/sign-up/email",
    { body: { name: "Ana Souza", email, password, accept_terms: true, invite_token } },
  )
  return { email, password, browser, userId: user.id, sellerId: user.seller_id }
}
