import { createAuthClient } from "better-auth/client"
import { twoFactorClient } from "better-auth/client/plugins"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { makeBrowser } from "./support/accountBrowser.ts"
import {
  forgetRates,
  freshEmail,
  invite,
  mailedToken,
  makeSteppedUp,
  signUp,
} from "./support/accountPeople.ts"
import { type Authenticator, makeAuthenticator, secretOf } from "./support/accountTotp.ts"
import { openStage, type Stage } from "./support/stage.ts"

/** better-auth's public client as its users make it, in a browser of its own. */
const makeAuthClient = (origin: string) => {
  const browser = makeBrowser(origin)
  const client = createAuthClient({
    baseURL: origin,
    basePath: "/v1/me/auth",
    plugins: [twoFactorClient()],
    fetchOptions: { customFetchImpl: browser.fetch },
  })
  return { ...browser, client }
}
type AuthBrowser = ReturnType<typeof makeAuthClient>

/** The data of an answer to the client; fails the test when the answer is an error. */
const dataOf = <T>({ data, error }: { readonly data: T | null; readonly error: unknown }): T => {
  expect(error).toBeNull()
  if (data === null) throw new Error("the answer has no data")
  return data
}

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage?.close())
beforeEach(() => forgetRates(stage))

const newBrowser = () => makeAuthClient(stage.service.url)

/** Somebody who has signed up, and has not signed in with the client yet. */
const newPerson = async () => {
  const { email, password, userId } = await signUp(stage)
  return { email, password, userId }
}

const signIn = async (browser: AuthBrowser, person: { email: string; password: string }) => {
  const { email, password } = person
  return dataOf(await browser.client.signIn.email({ email, password })) as unknown as {
    readonly user?: { readonly id: string }
    readonly twoFactorRedirect?: boolean
    readonly twoFactorMethods?: ReadonlyArray<string>
  }
}

interface Enrolled {
  readonly email: string
  readonly password: string
  readonly userId: string
  readonly browser: AuthBrowser
  readonly authenticator: Authenticator
  readonly backupCodes: ReadonlyArray<string>
}

/** Somebody with 2FA on, enabled by the client, in the browser that did it. */
const newEnrolled = async (): Promise<Enrolled> => {
  const person = await newPerson()
  const browser = newBrowser()
  await signIn(browser, person)
  const { totpURI, backupCodes } = dataOf(
    await browser.client.twoFactor.enable({ password: person.password }),
  ) as { totpURI: string; backupCodes: Array<string> }
  const authenticator = makeAuthenticator(secretOf(totpURI))
  dataOf(await browser.client.twoFactor.verifyTotp({ code: await authenticator.next() }))
  return { ...person, browser, authenticator, backupCodes }
}

describe("better-auth's client", () => {
  it("better-auth's client signs up by invite, and is signed in", async () => {
    const email = freshEmail("sign-up")
    const fields = { accept_terms: true, invite_token: await invite(stage, email) }
    const { client, cookie } = newBrowser()
    const { user } = dataOf(
      await client.signUp.email({ name: "Ana", email, password: "correct horse battery", ...fields }),
    )
    expect(user).toMatchObject({ email, name: "Ana", role: "seller" })
    expect(user.createdAt).toBeInstanceOf(Date)
    expect(cookie("lm.session")).toBeDefined()
    expect(dataOf(await client.getSession()).user.email).toBe(email)
  })

  it("better-auth's client verifies the address by the mailed token, once", async () => {
    const email = freshEmail("verify")
    const { client } = newBrowser()
    const fields = { accept_terms: true, invite_token: await invite(stage, email) }
    const token = await mailedToken(stage, email, "verify_email", async () =>
      dataOf(await client.signUp.email({ name: "Ana", email, password: "correct horse battery", ...fields })),
    )
    expect(dataOf(await client.getSession()).user.emailVerified).toBe(false)
    dataOf(await client.verifyEmail({ query: { token } }))
    expect(dataOf(await client.getSession()).user.emailVerified).toBe(true)
    expect((await client.verifyEmail({ query: { token } })).error?.status).toBe(400)
  })

  it("better-auth's client signs in with the right password only", async () => {
    const person = await newPerson()
    const browser = newBrowser()
    const { client } = browser
    const refused = await client.signIn.email({ email: person.email, password: "wrong password" })
    expect(refused.error).toMatchObject({ status: 401 })
    expect((await client.getSession()).data).toBeNull()

    expect((await signIn(browser, person)).user?.id).toBe(person.userId)
    const { session, user } = dataOf(await client.getSession())
    expect(user).toMatchObject({ id: person.userId, email: person.email, twoFactorEnabled: false })
    expect(session.userId).toBe(person.userId)
    expect(session.expiresAt).toBeInstanceOf(Date)
    expect(JSON.stringify(session)).not.toContain(browser.cookie("lm.session"))
  })

  it("better-auth's client signs out, and the session's cookie no longer works", async () => {
    const person = await newPerson()
    const browser = newBrowser()
    await signIn(browser, person)
    const token = browser.cookie("lm.session") ?? ""
    dataOf(await browser.client.signOut())
    expect(browser.cookie("lm.session")).toBeUndefined()
    expect((await browser.client.getSession()).data).toBeNull()
    browser.setCookie("lm.session", token)
    expect((await browser.client.getSession()).data).toBeNull()
  })

  it("better-auth's client turns 2FA on only with the right password and a right code", async () => {
    const person = await newPerson()
    const browser = newBrowser()
    const { client } = browser
    await signIn(browser, person)
    expect((await client.twoFactor.enable({ password: "wrong password" })).error?.status).toBe(401)
    const { totpURI, backupCodes } = dataOf(await client.twoFactor.enable({ password: person.password })) as {
      totpURI: string
      backupCodes: Array<string>
    }
    expect(totpURI).toMatch(/^otpauth:\/\/totp\/.+[?&]secret=[A-Z2-7]+/)
    expect(new Set(backupCodes).size).toBe(10)
    expect(dataOf(await client.getSession()).user).toMatchObject({ twoFactorEnabled: false })

    expect((await client.twoFactor.verifyTotp({ code: "000000" })).error?.status).toBe(401)
    const code = await makeAuthenticator(secretOf(totpURI)).next()
    dataOf(await client.twoFactor.verifyTotp({ code }))
    expect(dataOf(await client.getSession()).user).toMatchObject({ twoFactorEnabled: true })
  })

  it("better-auth's client must take a second step, except on a trusted device", async () => {
    const person = await newEnrolled()
    const browser = newBrowser()
    const { client } = browser
    expect(await signIn(browser, person)).toMatchObject({
      twoFactorRedirect: true,
      twoFactorMethods: ["totp"],
    })
    expect((await client.getSession()).data).toBeNull()
    const code = await person.authenticator.next()
    dataOf(await client.twoFactor.verifyTotp({ code, trustDevice: true }))
    expect(dataOf(await client.getSession()).user.id).toBe(person.userId)

    dataOf(await client.signOut())
    expect((await signIn(browser, person)).user?.id).toBe(person.userId)
    expect((await signIn(newBrowser(), person)).twoFactorRedirect).toBe(true)
  })

  it("better-auth's client uses a backup code as the second step, once", async () => {
    const person = await newEnrolled()
    const [code = ""] = person.backupCodes
    const first = newBrowser()
    await signIn(first, person)
    dataOf(await first.client.twoFactor.verifyBackupCode({ code }))
    expect(dataOf(await first.client.getSession()).user.id).toBe(person.userId)

    const second = newBrowser()
    await signIn(second, person)
    expect((await second.client.twoFactor.verifyBackupCode({ code })).error?.status).toBe(401)
    expect((await second.client.getSession()).data).toBeNull()
  })

  it("better-auth's client changes the second factor only after a code, at the sign-in or since", async () => {
    const person = await newEnrolled()
    const { password } = person
    const browser = newBrowser()
    const { client } = browser
    await signIn(browser, person)
    const code = await person.authenticator.next()
    dataOf(await client.twoFactor.verifyTotp({ code, trustDevice: true }))
    dataOf(await client.twoFactor.generateBackupCodes({ password }))

    // A trusted device is signed in by the password alone.
    dataOf(await client.signOut())
    expect((await signIn(browser, person)).user?.id).toBe(person.userId)
    expect((await client.twoFactor.generateBackupCodes({ password })).error?.status).toBe(403)
    expect((await client.twoFactor.disable({ password })).error?.status).toBe(403)
    expect(dataOf(await client.getSession()).user).toMatchObject({ twoFactorEnabled: true })

    dataOf(await client.twoFactor.verifyTotp({ code: await person.authenticator.next() }))
    dataOf(await client.twoFactor.disable({ password }))
    expect((await client.getSession()).data).toBeNull()
  })

  it("better-auth's client makes new backup codes, and the old ones stop working", async () => {
    const person = await newEnrolled()
    const { password } = person
    const { backupCodes } = dataOf(await person.browser.client.twoFactor.generateBackupCodes({ password }))
    expect(backupCodes).toHaveLength(10)

    const browser = newBrowser()
    await signIn(browser, person)
    const { client } = browser
    const [old = ""] = person.backupCodes
    expect((await client.twoFactor.verifyBackupCode({ code: old })).error?.status).toBe(401)
    dataOf(await client.twoFactor.verifyBackupCode({ code: backupCodes[0] ?? "" }))
  })

  it("better-auth's client turns 2FA off, which ends its session; the password is then enough", async () => {
    const person = await newEnrolled()
    const { password } = person
    expect(
      (await person.browser.client.twoFactor.disable({ password: "wrong password" })).error?.status,
    ).toBe(401)
    dataOf(await person.browser.client.twoFactor.disable({ password }))
    expect((await person.browser.client.getSession()).data).toBeNull()
    expect((await signIn(newBrowser(), person)).user?.id).toBe(person.userId)
  })

  it("better-auth's client changes the password, and ends other sessions on request", async () => {
    const person = await newPerson()
    const { email, password } = person
    const [browser, other] = [newBrowser(), newBrowser()]
    await signIn(browser, person)
    await signIn(other, person)
    const { client } = browser
    const newPassword = "another horse battery"
    const wrong = await client.changePassword({ currentPassword: "wrong password", newPassword })
    expect(wrong.error?.status).toBe(401)
    expect(dataOf(await client.changePassword({ currentPassword: password, newPassword }))).toMatchObject({
      token: null,
      user: { id: person.userId, email },
    })
    expect(dataOf(await other.client.getSession()).user.id).toBe(person.userId)

    const before = browser.cookie("lm.session") ?? ""
    const change = { currentPassword: newPassword, newPassword: password, revokeOtherSessions: true }
    expect(dataOf(await client.changePassword(change)).token).toBeNull()
    expect((await other.client.getSession()).data).toBeNull()
    expect(dataOf(await client.getSession()).user.id).toBe(person.userId)
    // A copy of the session's former cookie is signed out, too.
    other.setCookie("lm.session", before)
    expect((await other.client.getSession()).data).toBeNull()
    await forgetRates(stage)
    await signIn(other, person)

    expect((await client.revokeOtherSessions()).error?.status).toBe(403)
    await makeSteppedUp(stage, person.userId)
    expect(dataOf(await client.revokeOtherSessions()).status).toBe(true)
    expect((await other.client.getSession()).data).toBeNull()
    expect(dataOf(await client.getSession()).user.id).toBe(person.userId)
  })

  it("better-auth's client resets a lost password by the mailed token, once, which ends earlier sessions", async () => {
    const person = await newPerson()
    const { email } = person
    const earlier = newBrowser()
    await signIn(earlier, person)
    const { client } = newBrowser()
    const token = await mailedToken(stage, email, "reset_password", async () =>
      dataOf(await client.requestPasswordReset({ email, redirectTo: `${stage.service.url}/reset` })),
    )
    const newPassword = "another horse battery"
    dataOf(await client.resetPassword({ newPassword, token }))

    expect((await earlier.client.getSession()).data).toBeNull()
    expect((await client.signIn.email({ email, password: person.password })).error?.status).toBe(401)
    await signIn(newBrowser(), { email, password: newPassword })
    expect((await client.resetPassword({ newPassword, token })).error?.status).toBe(400)
  })
})
