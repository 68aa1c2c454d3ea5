import type { Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, expect, it } from "vitest"
import { trustCookieName } from "../../src/http/contract/cookies.ts"
import { forgetRates, type Person } from "../e2e/support/accountPeople.ts"
import { addAuthenticator } from "../support/virtualAuthenticator.ts"
import { type Cockpit, describePages, expectLooksRight, openCockpit, ready } from "./support/cockpit.ts"
import { pressSubmit } from "./support/forms.ts"
import { confirmStepUp, endStepUp } from "./support/stepUp.ts"

let cockpit: Cockpit
beforeAll(async () => {
  cockpit = await openCockpit()
})
afterAll(() => cockpit?.close())
afterEach(() => expect(cockpit.complaints()).toEqual([]))

/** Chromium says so of every answer that is no success; these tests provoke some. */
const allows = [/Failed to load resource.* (401|403|409) /]

const see = (page: Page, name: string) => page.getByTestId(name)
const rows = (page: Page) => see(page, "passkey-row")

/** Adds a passkey by the settings, whose session is stepped up. */
const add = async (page: Page, name: string) => {
  const before = await rows(page).count()
  await see(page, "passkey-add").click()
  await see(page, "passkey-name-input").fill(name)
  await see(page, "dialog").getByTestId("submit").click()
  await expect.poll(() => rows(page).count()).toBe(before + 1)
}

const signOut = async (page: Page) => {
  await see(page, "sign-out").click()
  await see(page, "email-input").waitFor()
}

/** Gives address and password on a device that is not trusted, and waits for the second step. */
const begin = async (page: Page, { email, password }: Person) => {
  await page.context().clearCookies({ name: trustCookieName })
  await forgetRates(cockpit.stage)
  await see(page, "email-input").fill(email)
  await see(page, "password-input").fill(password)
  await pressSubmit(page)
  await see(page, "code-input").waitFor()
}

const settings = async (page: Page) => {
  await page.goto(`${cockpit.origin}/app/settings`)
  await ready(page)
}

describePages("passkeys in the dashboard", () => {
  it.each([
    ["pt-BR", "Você ainda não tem passkeys", "Usar passkey", "já tem uma passkey", "não confirmou a passkey"],
    ["en-US", "You have no passkeys yet", "Use a passkey", "has a passkey of your", "did not confirm"],
  ] as const)(
    "the dashboard in %s adds a passkey, signs in and steps up with it, renames and removes it",
    async (locale, none, offer, known, cancelled) => {
      const person = await cockpit.seller()
      const page = await cockpit.open("/app/settings", { as: person, locale, allows })
      const authenticator = await addAuthenticator(page)
      expect(await see(page, "page").textContent()).toContain(none)
      await add(page, "Notebook da loja")
      await see(page, "passkey-add").click()
      await expectLooksRight(page, `passkey-add-${locale}`)
      await see(page, "dialog").getByTestId("submit").click()
      await expect.poll(() => see(page, "form-error").textContent()).toContain(known)
      await page.keyboard.press("Escape")
      await expectLooksRight(page, `passkeys-${locale}`)

      await signOut(page)
      await begin(page, person)
      await expect.poll(() => see(page, "use-passkey").textContent()).toBe(offer)
      await expectLooksRight(page, `passkey-sign-in-${locale}`)
      await see(page, "use-passkey").click()
      await see(page, "sign-out").waitFor()

      await settings(page)
      await rows(page).getByTestId("passkey-rename").click()
      await see(page, "passkey-name-input").fill("Celular da Ana")
      await pressSubmit(page)
      await expect.poll(() => rows(page).textContent()).toContain("Celular da Ana")

      await endStepUp(cockpit.stage, page)
      await rows(page).getByTestId("passkey-remove").click()
      await see(page, "dialog").getByTestId("submit").click()
      await see(page, "step-up").getByTestId("use-passkey").waitFor()
      await expectLooksRight(page, `passkey-step-up-${locale}`)
      await see(page, "step-up").getByTestId("use-passkey").click()
      await expect.poll(() => rows(page).count()).toBe(0)
      expect(await see(page, "page").textContent()).toContain(none)

      await add(page, "Outra")
      await signOut(page)
      await begin(page, person)
      await authenticator.forget()
      await see(page, "use-passkey").click()
      await expect.poll(() => see(page, "form-error").textContent()).toContain(cancelled)
      await see(page, "code-input").fill(await person.authenticator.next())
      await see(page, "sign-out").waitFor()
    },
  )

  it("the session that added a passkey is asked for a code, and the next one is offered the passkey", async () => {
    const person = await cockpit.seller()
    const page = await cockpit.open("/app/settings", { as: person, allows })
    await addAuthenticator(page)
    await add(page, "Notebook")
    await endStepUp(cockpit.stage, page)
    await rows(page).getByTestId("passkey-remove").click()
    await see(page, "dialog").getByTestId("submit").click()
    await see(page, "step-up").waitFor()
    expect(await see(page, "use-passkey").count()).toBe(0)
    await page.keyboard.press("Escape")
    await see(page, "passkey-add").click()
    await see(page, "dialog").getByTestId("submit").click()
    await forgetRates(cockpit.stage)
    await confirmStepUp(page, person)
    // Once confirmed the browser is asked by itself; this authenticator has one already.
    await see(page, "form-error").waitFor()
  })

  it("an operator adds a passkey in the settings, and signs in with it", async () => {
    const person = await cockpit.operator()
    const page = await cockpit.open("/app/settings", { as: person, allows })
    await addAuthenticator(page)
    await add(page, "Chave do cofre")
    await signOut(page)
    await begin(page, person)
    await see(page, "use-passkey").click()
    await see(page, "sign-out").waitFor()
  })
})
