import { fileURLToPath } from "node:url"
import type { BrowserContext, Page } from "playwright-core"
import { build } from "vite"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { formLimits } from "../../schema/formLimits.ts"
import type { Passkey } from "../../schema/resources/passkey.ts"
import { sharedChromium, whyNoChromium } from "../support/chromium.ts"
import { makeTestPasskey } from "../support/passkey.ts"
import { addAuthenticator } from "../support/virtualAuthenticator.ts"
import { type Browser, makeBrowser } from "./support/accountBrowser.ts"
import {
  beginSignIn,
  forgetRates,
  makeOperator,
  makeSellerPerson,
  opsOn,
  type Person,
  signInWith2fa,
} from "./support/accountPeople.ts"
import { openStage, type Stage } from "./support/stage.ts"

const passkey = "/v1/me/auth/passkey"
const routes = {
  beginAdding: `${passkey}/generate-register-options`,
  add: `${passkey}/verify-registration`,
  begin: `${passkey}/generate-authenticate-options`,
  use: `${passkey}/verify-authentication`,
  list: `${passkey}/list-user-passkeys`,
  remove: `${passkey}/delete-passkey`,
  rename: `${passkey}/update-passkey`,
} as const

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage?.close())
beforeEach(() => forgetRates(stage))

interface Options {
  readonly challenge: string
  readonly rp: { readonly id: string }
}

/** Adds a passkey in software, in a browser that is stepped up. */
const add = async (browser: Browser, name?: string) => {
  const made = makeTestPasskey()
  const { challenge, rp } = await browser.must<Options>("GET", routes.beginAdding)
  const response = made.register({ challenge, rpId: rp.id, origin: stage.service.url })
  const body = { response, ...(name === undefined ? {} : { name }) }
  return { made, answer: await browser.send<Passkey>("POST", routes.add, { body }) }
}

const sign = async (browser: Browser, made: ReturnType<typeof makeTestPasskey>) => {
  const { challenge, rpId } = await browser.must<{ challenge: string; rpId: string }>("GET", routes.begin)
  return made.use({ challenge, rpId, origin: stage.service.url })
}

describe("the routes of passkeys", () => {
  it("a passkey is named by 1 to 64 characters, listed, renamed and removed, and its user is mailed", async () => {
    const person = await makeSellerPerson(stage)
    const browser = await signInWith2fa(stage, person)
    const longest = "x".repeat(formLimits.passkeyNameLengthMax)
    const { answer } = await add(browser, longest)
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({ name: longest, userId: person.userId, counter: 0, lastUsedAt: null })
    for (const name of ["", `${longest}x`, "two\nlines"]) {
      const refused = await add(browser, name)
      expect([refused.answer.status, JSON.stringify(refused.answer.body)]).toEqual([
        400,
        expect.stringContaining('"param":"name"'),
      ])
    }
    expect((await add(browser)).answer.body.name).toBe("Passkey")
    const [first, second] = await browser.must<ReadonlyArray<Passkey>>("GET", routes.list)
    expect([first?.name, second?.name]).toEqual([longest, "Passkey"])

    const renamed = await browser.must<{ passkey: Passkey }>("POST", routes.rename, {
      body: { id: first?.id, name: "Celular da Ana" },
    })
    expect(renamed.passkey).toEqual({ ...first, name: "Celular da Ana" })
    await browser.must("POST", routes.remove, { body: { id: first?.id } })
    expect(await browser.must("GET", routes.list)).toEqual([second])
    expect((await browser.send("POST", routes.remove, { body: { id: first?.id } })).status).toBe(404)

    const mails = await opsOn<{ data: ReadonlyArray<Record<string, string>> }>(stage, "mail")
    const purposes = mails.data.filter(({ to }) => to === person.email).map(({ purpose }) => purpose)
    expect(purposes).toEqual(expect.arrayContaining(["passkey_added", "passkey_removed"]))
    const acts = await browser.must<{ data: ReadonlyArray<{ action: string }> }>("GET", "/v1/me/audit")
    expect(acts.data.map(({ action }) => action)).toEqual(
      expect.arrayContaining(["user.passkey_added", "user.passkey_removed"]),
    )
  })

  it("the sign-in and the session say whether a passkey can be used, and it steps the session up", async () => {
    const person = await makeSellerPerson(stage)
    const adding = await signInWith2fa(stage, person)
    const methods = async (browser: Browser) =>
      (await browser.must<{ session: { twoFactorMethods: unknown } }>("GET", "/v1/me/auth/get-session"))
        .session.twoFactorMethods
    const { made } = await add(adding)
    // It confirms nothing in the session that added it.
    expect(await methods(adding)).toEqual(["totp"])
    expect((await adding.send("GET", routes.begin)).status).toBe(409)

    const browser = makeBrowser(stage.service.url)
    const begun = await browser.must("POST", "/v1/me/auth/sign-in/email", {
      body: { email: person.email, password: person.password },
    })
    expect(begun).toEqual({ twoFactorRedirect: true, twoFactorMethods: ["totp", "passkey"] })
    const assertion = await sign(browser, made)
    const wrong = { ...assertion, response: { ...assertion.response, signature: "AAAA" } }
    expect((await browser.send("POST", routes.use, { body: { response: wrong } })).status).toBe(401)
    const signedIn = await browser.must<{ user: { id: string }; session: { twoFactorMethods: unknown } }>(
      "POST",
      routes.use,
      { body: { response: assertion, trustDevice: true } },
    )
    expect(signedIn.user.id).toBe(person.userId)
    expect(signedIn.session.twoFactorMethods).toEqual(["totp", "passkey"])
    expect(browser.cookie("lm.trust_device")).toBeDefined()
    expect(browser.cookie("lm.two_factor")).toBeUndefined()
    // Stepped up already; the next step-up gives the session another token.
    await browser.must("PUT", "/v1/me/security/step-up-prefs", { body: { webhook: true } })
    const before = browser.cookie("lm.session")
    await browser.must("POST", routes.use, { body: { response: await sign(browser, made) } })
    expect(browser.cookie("lm.session")).not.toBe(before)

    // A trusted device does not take it for a step-up, and a passkey then does.
    const trusted = await beginSignIn(stage, person, browser)
    expect(trusted.needsSecondStep).toBe(false)
    const change = () => browser.send("PUT", "/v1/me/security/step-up-prefs", { body: { webhook: true } })
    const refused = await change()
    expect([refused.status, refused.headers.get("x-mfa-step-up")]).toEqual([403, "required"])
    await browser.must("POST", routes.use, { body: { response: await sign(browser, made) } })
    expect((await change()).status).toBe(200)
    expect(await makeBrowser(stage.service.url).send("GET", routes.begin)).toMatchObject({ status: 401 })
  })

  it("an operator adds a passkey and steps up with it, and a new second factor by ops removes it", async () => {
    const person = await makeOperator(stage)
    const { made, answer } = await add(await signInWith2fa(stage, person))
    expect(answer.status).toBe(200)
    const { browser } = await beginSignIn(stage, person)
    await browser.must("POST", routes.use, { body: { response: await sign(browser, made) } })
    await browser.must("GET", "/v1/admin/sellers")
    await opsOn(stage, "admin", "reset-two-factor", "--email", person.email)
    expect(await stage.redis("KEYS", `passkeys:*:${person.userId}`)).toEqual([])
  })
})

/** better-auth's client and its passkey plugin as a page loads them. */
const clientScript = async (): Promise<string> => {
  const entry = "virtual:client"
  const source = `
    import { createAuthClient } from "better-auth/client"
    import { twoFactorClient } from "better-auth/client/plugins"
    import { passkeyClient } from "@better-auth/passkey/client"
    globalThis.auth = createAuthClient({
      baseURL: location.origin, basePath: "/v1/me/auth", plugins: [twoFactorClient(), passkeyClient()],
    })`
  const built = await build({
    root: fileURLToPath(new URL("../", import.meta.url)),
    configFile: false,
    logLevel: "error",
    plugins: [
      {
        name: "client",
        resolveId: (id) =>
          id === entry ? fileURLToPath(new URL("../client.virtual.js", import.meta.url)) : null,
        load: (id) => (id.endsWith("client.virtual.js") ? source : null),
      },
    ],
    build: { write: false, rolldownOptions: { input: entry, output: { format: "iife" } } },
  })
  const [output] = Array.isArray(built) ? built : [built]
  if (output === undefined || !("output" in output)) throw new Error("nothing was built")
  return output.output[0].code
}

describe.skipIf(whyNoChromium !== undefined)("better-auth's passkey client in a browser", () => {
  let script = ""
  const contexts: Array<BrowserContext> = []
  beforeAll(async () => {
    script = await clientScript()
  })
  afterAll(async () => {
    for (const context of contexts) await context.close()
  })

  /** A page of the service's origin with the client. */
  const openPage = async (): Promise<Page> => {
    const context = await (await sharedChromium()).newContext()
    contexts.push(context)
    const page = await context.newPage()
    const url = `${stage.service.url}/client-of-a-test`
    await page.route(url, (route) =>
      route.fulfill({ contentType: "text/html", body: "<!doctype html><title>Client</title>" }),
    )
    await page.goto(url)
    await page.addScriptTag({ content: script })
    return page
  }

  /** Runs an expression with the client as `auth`, and returns what it answers. */
  const ask = <A>(page: Page, expression: string, given: object = {}) =>
    page.evaluate(
      `(async (given) => { const { data, error } = await (${expression}); return { data, error } })(${JSON.stringify(given)})`,
    ) as Promise<{
      readonly data: A
      readonly error: { readonly status: number; readonly code?: string } | null
    }>

  const signIn = async (page: Page, { email, password }: Person) => {
    await forgetRates(stage)
    const { data } = await ask<{ twoFactorMethods?: ReadonlyArray<string> }>(
      page,
      "auth.signIn.email(given)",
      { email, password },
    )
    return data.twoFactorMethods
  }

  it("better-auth's client adds a passkey, signs in and steps up with it, renames and removes it", async () => {
    const person = await makeSellerPerson(stage)
    const page = await openPage()
    const authenticator = await addAuthenticator(page)
    expect(await signIn(page, person)).toEqual(["totp"])
    await ask(page, "auth.twoFactor.verifyTotp(given)", { code: await person.authenticator.next() })
    const added = await ask<Passkey>(page, "auth.passkey.addPasskey(given)", { name: "Notebook" })
    expect(added.error).toBeNull()
    expect(added.data).toMatchObject({ name: "Notebook", transports: "internal", lastUsedAt: null })
    expect(await authenticator.count()).toBe(1)
    // The authenticator knows that it has one already.
    const twice = await ask(page, "auth.passkey.addPasskey(given)", { name: "Again" })
    expect(twice.error?.code).toBe("ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED")

    await ask(page, "auth.signOut()")
    expect((await ask(page, "auth.signIn.passkey()")).error?.status).toBe(401)
    expect(await signIn(page, person)).toEqual(["totp", "passkey"])
    const signedIn = await ask<{ user: { id: string }; session: { id: string } }>(
      page,
      "auth.signIn.passkey()",
    )
    expect(signedIn.error).toBeNull()
    expect(signedIn.data.user.id).toBe(person.userId)
    const now = await ask<{ session: { id: string } }>(page, "auth.getSession()")
    expect(now.data.session.id).toBe(signedIn.data.session.id)

    const steppedUp = await ask<{ session: { id: string } }>(page, "auth.signIn.passkey()")
    expect(steppedUp.data.session.id).toBe(signedIn.data.session.id)
    const renamed = await ask<{ passkey: Passkey }>(
      page,
      'auth.$fetch("/passkey/update-passkey", { method: "POST", body: given })',
      { id: added.data.id, name: "Celular" },
    )
    expect(renamed.data.passkey).toMatchObject({ name: "Celular", counter: expect.any(Number) })
    expect(renamed.data.passkey.counter).toBeGreaterThan(added.data.counter)
    await authenticator.rewind()
    expect((await ask(page, "auth.signIn.passkey()")).error?.status).toBe(401)
    await ask(page, 'auth.$fetch("/passkey/delete-passkey", { method: "POST", body: given })', {
      id: added.data.id,
    })
    const left = await ask(page, 'auth.$fetch("/passkey/list-user-passkeys", { method: "GET" })')
    expect(left.data).toEqual([])
  })

  it("a session without a step-up adds no passkey by better-auth's client", async () => {
    const person = await makeSellerPerson(stage)
    const page = await openPage()
    await addAuthenticator(page)
    await signIn(page, person)
    await ask(page, "auth.twoFactor.verifyTotp(given)", { code: await person.authenticator.next() })
    for (const key of (await stage.redis("KEYS", "session:*")) as ReadonlyArray<string>) {
      if ((await stage.redis("HGET", key, "user")) === person.userId)
        await stage.redis("HSET", key, "mfa_verified_until", Date.now() - 1)
    }
    const refused = await ask(page, "auth.passkey.addPasskey(given)", { name: "Notebook" })
    expect(refused.error?.status).toBe(403)
  })
})
