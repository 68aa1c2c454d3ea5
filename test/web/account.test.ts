import { readFileSync } from "node:fs"
import jsqr from "jsqr"
import type { Page } from "playwright-core"
import { PNG } from "pngjs"
import { afterAll, afterEach, beforeAll, expect, it } from "vitest"
import {
  beginSignIn,
  forgetRates,
  freshEmail,
  invite,
  mailedToken,
  type Person,
  signUp,
} from "../e2e/support/accountPeople.ts"
import { makeAuthenticator } from "../e2e/support/accountTotp.ts"
import { type Cockpit, describePages, openCockpit, ready } from "./support/cockpit.ts"
import { pressSubmit } from "./support/forms.ts"

const hostileName = `<img src=x onerror="document.title=1">${"x".repeat(80)}`
const password = "correct horse battery 7"

let cockpit: Cockpit
beforeAll(async () => {
  cockpit = await openCockpit()
})
afterAll(() => cockpit?.close())
afterEach(() => expect(cockpit.complaints()).toEqual([]))

/** Chromium says so of every answer that is no success; these tests provoke some. */
const allows = [/Failed to load resource.* (400|401|403|404|429) /]

const see = (page: Page, name: string) => page.getByTestId(name)

/** Types address and password, and sends them with Enter. */
const enter = async (page: Page, email: string, secret: string) => {
  await forgetRates(cockpit.stage)
  await see(page, "email-input").fill(email)
  await see(page, "password-input").fill(secret)
  await pressSubmit(page)
}

/** The sixth digit of an app's code sends it; a backup code is sent with Enter. */
const giveCode = async (page: Page, code: string) => {
  await see(page, "code-input").fill(code)
  if (!/^\d{6}$/.test(code.replaceAll(" ", ""))) await pressSubmit(page)
}

const signedIn = async (page: Page) => {
  await see(page, "sign-out").waitFor()
  await ready(page)
}

const signOut = async (page: Page) => {
  await see(page, "sign-out").click()
  await see(page, "email-input").waitFor()
}

/** The text of the QR code that the page shows. */
const textOfQr = async (page: Page): Promise<string | undefined> => {
  const { data, width, height } = PNG.sync.read(await page.locator(".totp-qr img").screenshot())
  return jsqr.default(new Uint8ClampedArray(data), width, height)?.data
}

/** Turns 2FA on where the page asks for the password; returns secret and backup codes. */
const enrol = async (page: Page) => {
  await see(page, "password-input").fill(password)
  await pressSubmit(page)
  const secret = ((await see(page, "totp-secret").textContent()) ?? "").replaceAll(" ", "")
  await page.locator(".totp-qr img").waitFor()
  expect(await textOfQr(page)).toContain(`secret=${secret}`)
  const authenticator = makeAuthenticator(secret)
  await giveCode(page, await authenticator.next())
  const shown = see(page, "backup-codes").locator("li")
  await expect.poll(() => shown.count()).toBe(10)
  return { authenticator, codes: await shown.allTextContents() }
}

describePages("the pages of accounts", () => {
  it("an invited person signs up, turns 2FA on, and signs in by code, by backup code and on a trusted device", async () => {
    const { stage } = cockpit
    const email = freshEmail("invited")
    const token = await invite(stage, email)
    const page = await cockpit.open(`/app/sign-up?invite_token=${token}`, { allows })
    await expect.poll(() => see(page, "email-input").inputValue()).toBe(email)
    const verification = await mailedToken(stage, email, "verify_email", async () => {
      await see(page, "name-input").fill(hostileName)
      await see(page, "password-input").fill(password)
      await see(page, "terms-checkbox").check()
      await see(page, "email-input").fill(freshEmail("another"))
      await pressSubmit(page)
      await expect
        .poll(() => see(page, "form-error").textContent())
        .toContain("Este convite foi enviado a outro")
      await see(page, "email-input").fill(email)
      await pressSubmit(page)
      await see(page, "two-factor-enable").waitFor()
    })
    await see(page, "two-factor-enable").click()
    const { authenticator, codes } = await enrol(page)
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      see(page, "backup-codes-download").click(),
    ])
    const file = readFileSync(await download.path(), "utf8")
    for (const code of codes) expect(file.split("\n")).toContain(code)
    await see(page, "secret-done").click()

    const verifying = await cockpit.open(`/app/verify-email?token=${verification}`, { beside: page })
    await expect.poll(() => see(verifying, "page").textContent()).toContain("Seu e-mail está confirmado")
    await verifying.goto(`${stage.service.url}/app/settings`)
    await ready(verifying)
    await expect.poll(() => see(verifying, "page").textContent()).toContain(hostileName)
    await expect.poll(() => verifying.title()).toContain("Configurações")
    await signOut(verifying)

    await page.goto(`${stage.service.url}/app/sign-in`)
    await enter(page, email, password)
    const code = await authenticator.next()
    await giveCode(page, `${code.slice(0, 3)} ${code.slice(3)}`)
    await signedIn(page)
    await signOut(page)

    await enter(page, email, password)
    await page.getByLabel(/Confiar/).check()
    await giveCode(page, codes[0] ?? "")
    await signedIn(page)
    await signOut(page)

    await enter(page, email, password)
    await signedIn(page)
    // A trusted device does not count as a step-up: the form asks, and then what was asked for happens.
    await page.goto(`${stage.service.url}/app/settings`)
    await see(page, "name-change").click()
    await see(page, "name-input").fill("Loja nova")
    await see(page, "dialog").getByTestId("name-input").press("Enter")
    const stepUp = see(page, "step-up")
    await stepUp.getByTestId("code-input").fill("000000")
    await stepUp.getByTestId("form-error").waitFor()
    await expect.poll(() => stepUp.getByTestId("code-input").inputValue()).toBe("")
    await stepUp.getByTestId("other-code").click()
    await stepUp.getByTestId("code-input").fill(codes[1] ?? "")
    await stepUp.getByTestId("code-input").press("Enter")
    await expect.poll(() => see(page, "page").textContent()).toContain("Loja nova")
    await expect.poll(() => see(page, "dialog").count()).toBe(0)
  })

  it("somebody without 2FA is led to turn it on where it is needed, and then what was asked for happens", async () => {
    const { stage } = cockpit
    const person = await signUp(stage)
    const page = await cockpit.open("/app/sign-in?next=/settings", { allows })
    await enter(page, person.email, person.password)
    await signedIn(page)
    await see(page, "kyc-open").click()
    await see(page, "document-input").fill("111.111.111-11")
    await see(page, "legal-name-input").fill(hostileName)
    await see(page, "legal-name-input").press("Enter")
    const dialog = see(page, "step-up-dialog")
    await dialog.getByTestId("password-input").fill(person.password)
    await dialog.getByTestId("password-input").press("Enter")
    const secret = (await dialog.getByTestId("totp-secret").textContent()) ?? ""
    const authenticator = makeAuthenticator(secret.replaceAll(" ", ""))
    await dialog.getByTestId("code-input").fill(await authenticator.next())
    await dialog.getByTestId("secret-done").click()
    await expect.poll(() => see(page, "form-error").textContent()).toContain("CPF ou CNPJ inválido")
    await see(page, "document-input").fill("529.982.247-25")
    await see(page, "document-input").press("Enter")
    await expect.poll(() => see(page, "kyc-status").getAttribute("data-status")).toBe("pending")
  })

  it("a code is sent once with its sixth digit, typed or pasted, and a refused one not again until it changes", async () => {
    const person = await cockpit.seller()
    const page = await cockpit.open("/app/sign-in", { allows })
    await enter(page, person.email, person.password)
    const field = see(page, "code-input")
    const sent: Array<string> = []
    page.on("request", (request) => {
      if (request.url().endsWith("/two-factor/verify-totp")) sent.push(request.postDataJSON().code)
    })
    const refused = () => page.waitForResponse(/two-factor\/verify-totp$/)
    await field.pressSequentially("00000")
    const first = refused()
    await field.press("1")
    await first
    await expect.poll(() => see(page, "form-error").textContent()).toContain("Código")
    // The same code pasted over itself is no new one.
    await field.fill("000001")
    await field.fill("00 0001")
    expect(sent).toEqual(["000001"])
    const second = refused()
    await field.fill("000 002")
    await second
    await page.locator('form[aria-busy="true"]').waitFor({ state: "detached" })
    expect(sent).toEqual(["000001", "000002"])
    await see(page, "code-input").fill(await person.authenticator.next())
    await signedIn(page)
    expect(sent.length).toBe(3)
  })

  it("the password of a sign-in is hidden, known to password managers, and may be pasted", async () => {
    const page = await cockpit.open("/app/sign-in")
    const field = see(page, "password-input")
    const attributes = ["type", "autocomplete"].map((name) => field.getAttribute(name))
    expect(await Promise.all(attributes)).toEqual(["password", "current-password"])
    const isPasted = await field.evaluate((input) =>
      input.dispatchEvent(new ClipboardEvent("paste", { bubbles: true, cancelable: true })),
    )
    expect(isPasted).toBe(true)
    await page.close()
  })

  it("a forgotten password is replaced by the mailed link, once", async () => {
    const { stage } = cockpit
    const person = await signUp(stage)
    const page = await cockpit.open("/app/sign-in", { allows })
    await see(page, "forgot-password").click()
    await see(page, "email-input").fill(person.email)
    const token = await mailedToken(stage, person.email, "reset_password", async () => {
      await forgetRates(stage)
      await pressSubmit(page)
      await expect.poll(() => see(page, "notice").textContent()).toContain("Link enviado")
    })
    await page.goto(`${stage.service.url}/app/reset-password?token=${token}`)
    await see(page, "password-input").fill(person.email)
    await pressSubmit(page)
    await expect.poll(() => see(page, "form-error").textContent()).toContain("fácil de adivinhar")
    await see(page, "password-input").fill(password)
    await pressSubmit(page)
    await expect.poll(() => see(page, "notice").textContent()).toContain("Senha alterada")
    await enter(page, person.email, person.password)
    await expect.poll(() => see(page, "form-error").textContent()).toContain("E-mail ou senha incorretos")
    await enter(page, person.email, password)
    await signedIn(page)

    await page.goto(`${stage.service.url}/app/reset-password?token=${token}`)
    await see(page, "password-input").fill("another horse battery")
    await pressSubmit(page)
    await expect.poll(() => see(page, "form-error").textContent()).toContain("Este link não vale mais")
  })

  it("a recovery link turns 2FA off only after a click, and says until when withdrawals are locked", async () => {
    const { stage } = cockpit
    const person = await cockpit.seller()
    const page = await cockpit.open("/app/sign-in", { allows })
    await enter(page, person.email, person.password)
    await see(page, "code-input").waitFor()
    await see(page, "lost-second-factor").click()
    await expect.poll(() => see(page, "email-input").inputValue()).toBe(person.email)
    const token = await mailedToken(stage, person.email, "recover_two_factor", () =>
      enter(page, person.email, person.password),
    )
    const opened = await cockpit.open(`/app/two-factor-recovery?token=${token}`, { allows })
    expect((await beginSignIn(stage, person)).needsSecondStep).toBe(true)
    await see(opened, "submit").click()
    await expect.poll(() => see(opened, "page").textContent()).toContain("Os saques estão bloqueados até")
    expect((await beginSignIn(stage, person)).needsSecondStep).toBe(false)
    await opened.goto(`${stage.service.url}/app/two-factor-recovery?token=${token}`)
    await see(opened, "submit").click()
    await expect.poll(() => see(opened, "form-error").textContent()).toContain("Este link não vale mais")
  })

  it("a session that was ended elsewhere says so, and after the sign-in the page is shown again", async () => {
    const person = await cockpit.seller()
    const mine = await cockpit.open("/app/settings", { as: person })
    const other = await cockpit.open("/app/settings?from=here", { as: person, allows })
    await mine.reload()
    await ready(mine)
    await expect.poll(() => see(mine, "session-row").count()).toBe(2)
    await see(mine, "session-end").click()
    await expect.poll(() => see(mine, "session-row").count()).toBe(1)
    await expect.poll(() => new URL(other.url()).pathname, { timeout: 60_000 }).toBe("/app/sign-in")
    await expect.poll(() => see(other, "page").textContent()).toContain("Sua sessão terminou")
    await enter(other, person.email, person.password)
    await signedIn(other)
    expect(new URL(other.url()).pathname + new URL(other.url()).search).toBe("/app/settings?from=here")
  })

  it("nobody is led to another site, and too many tries say how long to wait", async () => {
    const person = await signUp(cockpit.stage)
    const page = await cockpit.open("/app/sign-in?next=//evil.example", { allows })
    await forgetRates(cockpit.stage)
    await see(page, "email-input").fill(person.email)
    await see(page, "password-input").fill("wrong horse battery")
    for (let tries = 0; tries < 6; tries += 1) await pressSubmit(page)
    await expect.poll(() => see(page, "form-error").textContent()).toMatch(/Tente de novo em \d+ segundos/)
    await enter(page, person.email, person.password)
    await signedIn(page)
    expect(new URL(page.url()).pathname).toBe("/app")
  })

  it("password, backup codes, preferences and 2FA itself are changed in the settings", async () => {
    const person: Person = await cockpit.seller()
    const page = await cockpit.open("/app/settings", { as: person, allows })
    await see(page, "password-change").click()
    await see(page, "password-input").fill("wrong horse battery")
    await see(page, "new-password-input").fill(password)
    await pressSubmit(page)
    await expect.poll(() => see(page, "form-error").textContent()).toBe("Senha incorreta.")
    await see(page, "password-input").fill(person.password)
    await pressSubmit(page)
    await expect.poll(() => see(page, "dialog").count()).toBe(0)

    await see(page, "backup-codes-new").click()
    await see(page, "password-input").fill(password)
    await pressSubmit(page)
    await see(page, "backup-codes").waitFor()
    await page.keyboard.press("Escape")
    await expect.poll(() => see(page, "backup-codes").count()).toBe(1)
    await see(page, "secret-done").click()

    await see(page, "step-up-webhook").uncheck()
    await expect.poll(() => see(page, "notice").textContent()).toContain("Preferências salvas")
    await page.reload()
    await ready(page)
    await expect.poll(() => see(page, "step-up-webhook").isChecked()).toBe(false)
    await expect.poll(() => see(page, "step-up-account").isChecked()).toBe(true)

    await see(page, "two-factor-disable").click()
    await see(page, "password-input").fill(password)
    await pressSubmit(page)
    await see(page, "forgot-password").waitFor()
    await expect.poll(() => see(page, "notice").textContent()).toContain("bloqueados por 24 horas")
    await enter(page, person.email, password)
    await signedIn(page)
  })
})
