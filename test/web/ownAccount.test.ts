import type { Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, expect, it } from "vitest"
import { forgetRates, freshEmail, mailedToken, signUp } from "../e2e/support/accountPeople.ts"
import { findKey } from "../e2e/support/stage.ts"
import { type Cockpit, describePages, expectLooksRight, openCockpit, ready } from "./support/cockpit.ts"
import { pressSubmit } from "./support/forms.ts"

let cockpit: Cockpit
beforeAll(async () => {
  cockpit = await openCockpit()
})
afterAll(() => cockpit?.close())
afterEach(() => expect(cockpit.complaints()).toEqual([]))

/** Chromium says so of every answer that is no success; these tests provoke some. */
const allows = [/Failed to load resource.* (400|401) /]

const see = (page: Page, name: string) => page.getByTestId(name)
const textOf = (page: Page) => see(page, "page").textContent()

/** Signs in by the pages, without 2FA. */
const signIn = async (page: Page, { email, password }: { email: string; password: string }) => {
  await forgetRates(cockpit.stage)
  await see(page, "email-input").fill(email)
  await see(page, "password-input").fill(password)
  await pressSubmit(page)
}

/** Dates a user's acceptance back, as if the terms had changed since; undefined is none at all. */
const accepted = async (userId: string, version: string | undefined) => {
  const key = await findKey(cockpit.stage, `user:*:${userId}`)
  if (version === undefined) await cockpit.stage.redis("HDEL", key, "terms_version")
  else await cockpit.stage.redis("HSET", key, "terms_version", version)
}

describePages("what users do about their own account", () => {
  it("terms that have changed are accepted before anything else, once", async () => {
    const person = await signUp(cockpit.stage)
    await accepted(person.userId, "2025-07-01")
    const page = await cockpit.open("/app/sign-in?next=/events", { allows })
    await signIn(page, person)
    await expect.poll(() => textOf(page)).toContain("Você aceitou a versão 2025-07-01")
    expect(await textOf(page)).toContain("2026-01-01")
    await expectLooksRight(page, "terms")
    // No page to link to is set.
    expect(await see(page, "terms-link").count()).toBe(0)
    // Another page asks as well, and so does this one when it is loaded anew.
    await page.goto(`${cockpit.stage.service.url}/app/settings`)
    await see(page, "terms-checkbox").waitFor()
    // Without the tick nothing is sent.
    await see(page, "submit").click()
    expect(await see(page, "terms-checkbox").count()).toBe(1)
    await see(page, "terms-checkbox").check()
    await see(page, "submit").click()
    await expect.poll(() => see(page, "terms").textContent()).toBe("Versão 2026-01-01, aceita")
    await page.reload()
    await ready(page)
    await expect.poll(() => see(page, "terms").textContent()).toBe("Versão 2026-01-01, aceita")
    expect(await see(page, "terms-checkbox").count()).toBe(0)
  })

  it("whoever does not accept changed terms can sign out, and pages of mailed links stay open", async () => {
    const person = await signUp(cockpit.stage)
    await accepted(person.userId, "2025-07-01")
    const page = await cockpit.open("/app/sign-in", { allows })
    await signIn(page, person)
    await see(page, "terms-checkbox").waitFor()
    const token = await mailedToken(cockpit.stage, person.email, "verify_email", () =>
      person.browser.must("POST", "/v1/me/auth/send-verification-email", { body: { email: person.email } }),
    )
    await page.goto(`${cockpit.stage.service.url}/app/verify-email?token=${token}`)
    await expect.poll(() => textOf(page)).toContain("Seu e-mail está confirmado")
    await page.goto(`${cockpit.stage.service.url}/app`)
    await see(page, "sign-out").click()
    await see(page, "email-input").waitFor()
  })

  it("an account that never accepted any terms is not held up, and accepts in the settings", async () => {
    const page = await cockpit.open("/app/settings", { as: await cockpit.seller() })
    await expect.poll(() => see(page, "terms").textContent()).toBe("Versão 2026-01-01, ainda não aceita")
    await expectLooksRight(page, "settings-unaccepted")
    await see(page, "terms-accept").click()
    await expect.poll(() => see(page, "terms").textContent()).toBe("Versão 2026-01-01, aceita")
  })

  it("the verification is mailed again from the sign-in, after a dead link, and in the settings", async () => {
    const { stage } = cockpit
    const person = await signUp(stage)
    const page = await cockpit.open("/app/verify-email?token=none", { allows })
    await see(page, "form-error").waitFor()
    await see(page, "ask-verification").click()
    await see(page, "email-input").fill(person.email)
    await forgetRates(stage)
    await mailedToken(stage, person.email, "verify_email", () => pressSubmit(page))
    await expect.poll(() => textOf(page)).toContain("O link vale por 24 horas")
    // The same is said of an address without an account.
    await see(page, "email-input").fill(freshEmail("nobody"))
    await pressSubmit(page)
    await expect.poll(() => see(page, "notice").textContent()).toContain("Link enviado")

    await page.goto(`${stage.service.url}/app/sign-in`)
    await see(page, "ask-verification").click()
    await expect.poll(() => new URL(page.url()).search).toBe("?ask=verification")
    await page.goto(`${stage.service.url}/app/sign-in?next=/settings`)
    await signIn(page, person)
    await see(page, "verification-again").waitFor()
    await forgetRates(stage)
    const token = await mailedToken(stage, person.email, "verify_email", () =>
      see(page, "verification-again").click(),
    )
    await expect.poll(() => see(page, "notice").textContent()).toContain("E-mail enviado")
    await page.goto(`${stage.service.url}/app/verify-email?token=none`)
    await see(page, "verification-again").waitFor()
    await page.goto(`${stage.service.url}/app/verify-email?token=${token}`)
    await expect.poll(() => textOf(page)).toContain("Seu e-mail está confirmado")
    await page.goto(`${stage.service.url}/app/settings`)
    await see(page, "own-name-change").waitFor()
    expect(await see(page, "verification-again").count()).toBe(0)
  })

  it("sellers and operators change their own name in the settings", async () => {
    for (const as of [await cockpit.seller(), await cockpit.operator()]) {
      const page = await cockpit.open("/app/settings", { as })
      await see(page, "own-name-change").click()
      await see(page, "own-name-input").fill("Ana <b>Beatriz</b>")
      await see(page, "own-name-input").press("Enter")
      await expect.poll(() => see(page, "dialog").count()).toBe(0)
      await expect.poll(() => textOf(page)).toContain("Ana <b>Beatriz</b>")
      await page.reload()
      await ready(page)
      await expect.poll(() => textOf(page)).toContain("Ana <b>Beatriz</b>")
    }
  })

  it("a name that is refused says why", async () => {
    const page = await cockpit.open("/app/settings", { as: await cockpit.seller(), allows })
    await see(page, "own-name-change").click()
    await see(page, "own-name-input").fill("\u202e")
    await see(page, "own-name-input").press("Enter")
    await expect.poll(() => see(page, "form-error").textContent()).toContain("1 a 120 caracteres")
  })
})
