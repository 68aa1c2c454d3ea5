import { afterAll, afterEach, beforeAll, expect, it } from "vitest"
import { forgetRates, freshEmail, invite, signUp } from "../e2e/support/accountPeople.ts"
import { makeAuthenticator } from "../e2e/support/accountTotp.ts"
import { findKey } from "../e2e/support/stage.ts"
import { type Cockpit, describePages, expectLooksRight, openCockpit, ready } from "./support/cockpit.ts"
import { pressSubmit } from "./support/forms.ts"

const termsUrl = "https://example.com/termos"

let cockpit: Cockpit
beforeAll(async () => {
  cockpit = await openCockpit({ TERMS_URL: termsUrl })
})
afterAll(() => cockpit?.close())
afterEach(() => expect(cockpit.complaints()).toEqual([]))

/** Chromium says so of every answer that is no success; broken links get some. */
const allows = [/Failed to load resource.* (400|401|403|404|429) /]
const password = "correct horse battery 7"

describePages("how the pages of accounts look", () => {
  it("the pages of mailed links and of asking for them", async () => {
    const page = await cockpit.open("/app/sign-in?next=/settings", { allows })
    const paths = {
      "sign-in": "/sign-in",
      "ask-password": "/sign-in?ask=password",
      "ask-verification": "/sign-in?ask=verification",
      "ask-second-factor": "/sign-in?ask=second-factor",
      "reset-password": "/reset-password?token=none",
      "two-factor-recovery": "/two-factor-recovery?token=none",
      "verify-email-refused": "/verify-email?token=none",
      "sign-up-refused": "/sign-up?invite_token=none",
    }
    for (const [name, path] of Object.entries(paths)) {
      await page.goto(`${cockpit.stage.service.url}/app${path}`)
      await ready(page)
      await expectLooksRight(page, name)
    }
  })

  it("the pages of a sign-up, and its settings", async () => {
    const { stage } = cockpit
    const token = await invite(stage, freshEmail(`a${"x".repeat(50)}`))
    const page = await cockpit.open(`/app/sign-up?invite_token=${token}`, { allows })
    expect(await page.getByTestId("terms-link").getAttribute("href")).toBe(termsUrl)
    await expectLooksRight(page, "sign-up")
    await forgetRates(stage)
    await page.getByTestId("name-input").fill(`<b>${"x".repeat(117)}`)
    await page.getByTestId("password-input").fill(password)
    await page.getByTestId("terms-checkbox").check()
    await pressSubmit(page)
    await page.getByTestId("two-factor-enable").waitFor()
    await expectLooksRight(page, "sign-up-done")
    await page.getByTestId("two-factor-enable").click()
    await pressSubmit(page)
    const secret = ((await page.getByTestId("totp-secret").textContent()) ?? "").replaceAll(" ", "")
    await page.locator(".totp-qr img").waitFor()
    await expectLooksRight(page, "enrolment")
    await page.getByTestId("code-input").fill(await makeAuthenticator(secret).next())
    await page.getByTestId("backup-codes").waitFor()
    await expectLooksRight(page, "backup-codes")

    await page.goto(`${stage.service.url}/app/settings`)
    await ready(page)
    expect(await page.getByTestId("terms-link").getAttribute("href")).toBe(termsUrl)
    await expectLooksRight(page, "settings")
    for (const opener of [
      "kyc-open",
      "own-name-change",
      "password-change",
      "backup-codes-new",
      "two-factor-disable",
    ]) {
      await page.getByTestId(opener).click()
      await page.getByTestId("dialog").waitFor()
      await expectLooksRight(page, `settings-${opener}`)
      await page.keyboard.press("Escape")
      await page.getByTestId("dialog").waitFor({ state: "detached" })
    }
  })

  it("the question after the terms have changed", async () => {
    const person = await signUp(cockpit.stage)
    await cockpit.stage.redis(
      "HSET",
      await findKey(cockpit.stage, `user:*:${person.userId}`),
      "terms_version",
      "old",
    )
    const page = await cockpit.open("/app/sign-in", { allows })
    await forgetRates(cockpit.stage)
    await page.getByTestId("email-input").fill(person.email)
    await page.getByTestId("password-input").fill(person.password)
    await pressSubmit(page)
    expect(await page.getByTestId("terms-link").getAttribute("href")).toBe(termsUrl)
    await expectLooksRight(page, "terms-linked")
  })

  it("an operator's settings, in English", async () => {
    const page = await cockpit.open("/app/settings", { as: await cockpit.operator(), locale: "en-US" })
    await expect.poll(() => page.getByTestId("kyc-open").count()).toBe(0)
    await expectLooksRight(page, "settings-operator")
  })
})
