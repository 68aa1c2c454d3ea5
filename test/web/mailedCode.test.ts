import type { Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, expect, it } from "vitest"
import { limits } from "../../schema/limits.ts"
import { userEmailKey, userKey } from "../../src/store/keys.ts"
import { forgetRates, freshEmail, invite, opsOn } from "../e2e/support/accountPeople.ts"
import { makeAuthenticator } from "../e2e/support/accountTotp.ts"
import { eventually } from "../e2e/support/client.ts"
import { type Cockpit, describePages, expectLooksRight, openCockpit, ready } from "./support/cockpit.ts"
import { pressSubmit } from "./support/forms.ts"

const password = "correct horse battery 7"

let cockpit: Cockpit
beforeAll(async () => {
  cockpit = await openCockpit()
})
afterAll(() => cockpit?.close())
afterEach(() => expect(cockpit.complaints()).toEqual([]))

/** Chromium says so of every answer that is no success; these tests provoke some. */
const allows = [/Failed to load resource.* (401|403) /]

const see = (page: Page, name: string) => page.getByTestId(name)

/** Signs somebody up by the pages, longer ago than 2FA is turned on without a mailed code. */
const signUpLongAgo = async (locale: "pt-BR" | "en-US") => {
  const { stage } = cockpit
  const email = freshEmail("late")
  const token = await invite(stage, email)
  const page = await cockpit.open(`/app/sign-up?invite_token=${token}`, { allows, locale })
  await forgetRates(stage)
  await see(page, "name-input").fill("Ana Souza")
  await see(page, "password-input").fill(password)
  await see(page, "terms-checkbox").check()
  await pressSubmit(page)
  await see(page, "two-factor-enable").waitFor()
  const userId = String(await stage.redis("GET", userEmailKey(email)))
  const signedUp = Date.now() - limits.enrolmentWithoutMailMillis - 1_000
  await stage.redis("HSET", userKey(userId), "created_at", signedUp)
  await page.goto(`${stage.service.url}/app/settings`)
  await ready(page)
  return { email, page }
}

/** The code that was mailed to an address. */
const mailedCode = (email: string): Promise<string> =>
  eventually("a mailed code", async () => {
    const { data } = await opsOn<{ readonly data: ReadonlyArray<Record<string, string>> }>(
      cockpit.stage,
      "mail",
    )
    const mail = data.find(({ to, purpose }) => to === email && purpose === "two_factor_code")
    return /^\d{4} \d{4}$/m.exec(mail?.text ?? "")?.[0]
  })

describePages("turning 2FA on long after sign-up", () => {
  it.each([
    ["pt-BR", "Enviamos um código", "Este código não vale", "Saques"],
    ["en-US", "We sent a code", "This code does not count", "ithdrawals"],
  ] as const)(
    "the dashboard in %s asks for the mailed code, and shows the lock that follows",
    async (locale, why, wrong, lock) => {
      const { email, page } = await signUpLongAgo(locale)
      await see(page, "two-factor-enable").click()
      await see(page, "password-input").fill(password)
      await pressSubmit(page)
      await see(page, "mail-code-input").waitFor()
      expect(await page.locator("dialog[open]").textContent()).toContain(why)
      await expectLooksRight(page, `mail-code-${locale}`)

      await see(page, "mail-code-input").fill("0000 0000")
      await pressSubmit(page)
      await expect.poll(() => see(page, "form-error").textContent()).toContain(wrong)
      await see(page, "mail-code-again").click()
      await expect.poll(() => see(page, "mail-code-said").textContent()).not.toBe("")
      await expectLooksRight(page, `mail-code-refused-${locale}`)

      await forgetRates(cockpit.stage)
      await see(page, "mail-code-input").fill(await mailedCode(email))
      await pressSubmit(page)
      const secret = ((await see(page, "totp-secret").textContent()) ?? "").replaceAll(" ", "")
      await see(page, "code-input").fill(await makeAuthenticator(secret).next())
      await see(page, "backup-codes").waitFor()
      await see(page, "secret-done").click()
      await page.reload()
      await ready(page)
      await expect.poll(() => see(page, "page").textContent()).toContain(lock)
    },
  )

  it("five wrong codes at sign-in lead back to the password, and the page says why", async () => {
    const person = await cockpit.seller()
    const page = await cockpit.open("/app/sign-in", { allows })
    await forgetRates(cockpit.stage)
    await see(page, "email-input").fill(person.email)
    await see(page, "password-input").fill(person.password)
    await pressSubmit(page)
    for (let sent = 0; sent <= limits.pendingSignInWrongCodesMax; sent += 1) {
      await forgetRates(cockpit.stage)
      const refused = page.waitForResponse(/two-factor\/verify-totp$/)
      await see(page, "code-input").fill(`00000${sent}`)
      await refused
      await page.locator('form[aria-busy="true"]').waitFor({ state: "detached" })
    }
    await see(page, "email-input").waitFor()
    expect(await see(page, "page").textContent()).toContain("as tentativas para digitar o código acabaram")
    expect(await see(page, "email-input").inputValue()).toBe(person.email)
  })

  it("an operator's settings offer neither to turn 2FA on nor off", async () => {
    const page = await cockpit.open("/app/settings", { as: await cockpit.operator() })
    expect(await see(page, "backup-codes-new").count()).toBe(1)
    expect(await see(page, "two-factor-disable").count()).toBe(0)
    expect(await see(page, "page").textContent()).toContain("ops admin reset-two-factor")
  })
})
