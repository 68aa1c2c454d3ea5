import { afterAll, afterEach, beforeAll, expect, it } from "vitest"
import { forgetRates, mailedToken, opsOn } from "../e2e/support/accountPeople.ts"
import { makeCharge } from "../e2e/support/charges.ts"
import { clientsOf } from "../e2e/support/stage.ts"
import { until } from "../support/until.ts"
import { type Cockpit, describePages, openCockpit, signInByPages } from "./support/cockpit.ts"
import { live } from "./support/feedPages.ts"
import { type ReverseProxy, startReverseProxy } from "./support/reverseProxy.ts"

let proxy: ReverseProxy
let cockpit: Cockpit
beforeAll(async () => {
  proxy = await startReverseProxy({ isSecure: true })
  const settings = {
    PUBLIC_URL: proxy.origin,
    TRUSTED_PROXIES: "127.0.0.1,::1",
    PROCESSES: "2",
    // Nothing is paid by itself.
    SIMULATOR_DELAY_MS: "600000",
  }
  cockpit = await openCockpit(settings, { publicOrigin: proxy.origin })
  proxy.passTo(cockpit.stage.service.port)
})
afterAll(async () => {
  await cockpit?.close()
  await proxy?.close()
})
afterEach(() => expect(cockpit.complaints()).toEqual([]))

const testClient = (person: Parameters<typeof clientsOf>[1]) =>
  clientsOf(cockpit.stage.service.url, person).test

describePages("the dashboard over TLS, behind a proxy and with two processes", () => {
  it("somebody signs in with a code over https, by Secure cookies, and sees a charge without a reload", async () => {
    const person = await cockpit.seller()
    const page = await cockpit.open("/app/sign-in")
    const insecure: Array<string> = []
    page.on("response", async (response) => {
      const { "strict-transport-security": strict = "" } = await response.allHeaders()
      if (!/^max-age=\d+/.test(strict)) insecure.push(response.url())
    })
    await signInByPages(cockpit, page, person)
    const cookies = await page.context().cookies()
    for (const name of ["lm.session", "__Host-lm.session"]) {
      expect(cookies.map((cookie) => [cookie.name, cookie.secure, cookie.httpOnly])).toContainEqual([
        name,
        true,
        true,
      ])
    }
    expect(cookies.filter(({ secure }) => !secure)).toEqual([])
    await page.locator('#menu a[href$="/app/charges"]').click()
    await live(page)
    // Either process may make it, and either may have the stream.
    for (let count = 0; count < 4; count++) {
      const { id } = await makeCharge(testClient(person))
      await page.locator(`[data-testid="charge-row"][data-id="${id}"][data-status="pending"]`).waitFor()
    }
    expect(new URL(page.url()).origin).toBe(proxy.origin)
    expect(insecure).toEqual([])
    await page.context().close()
  })

  it("a payment page over https turns to paid by itself, and so does the charge in the dashboard", async () => {
    const person = await cockpit.seller()
    const { id, payment_url = "" } = await makeCharge(testClient(person))
    expect(payment_url.startsWith(`${proxy.origin}/pay/`), payment_url).toBe(true)
    const page = await cockpit.open("/app/charges", { as: person })
    await live(page)
    const payer = await page.context().newPage()
    cockpit.watch(payer)
    await payer.goto(payment_url)
    await payer.getByTestId("pay-qr").waitFor()
    await testClient(person).post(`/v1/test/transactions/${id}/pay`)
    await payer.locator('[data-testid="pay-status"][data-status="paid"]').waitFor()
    await page.locator(`[data-testid="charge-row"][data-id="${id}"][data-status="paid"]`).waitFor()
    await page.context().close()
  })

  it("a mailed link leads to the https address, where a new password can be set", async () => {
    const { stage } = cockpit
    const person = await cockpit.seller()
    const page = await cockpit.open("/app/sign-in?ask=password")
    await forgetRates(stage)
    await mailedToken(stage, person.email, "reset_password", async () => {
      await page.getByTestId("email-input").fill(person.email)
      await page.getByTestId("submit").click()
    })
    const { data } = await opsOn<{ readonly data: ReadonlyArray<{ to: string; text: string }> }>(
      stage,
      "mail",
      "list",
    )
    const link = /https?:\/\/\S+/.exec(data.find(({ to }) => to === person.email)?.text ?? "")?.[0] ?? ""
    expect(link.startsWith(`${proxy.origin}/app/reset-password?token=`), link).toBe(true)
    await page.goto(link)
    const password = `a wholly new password ${person.userId}`
    await page.getByTestId("password-input").fill(password)
    await page.getByTestId("submit").click()
    await until("the sign-in", () => new URL(page.url()).pathname === "/app/sign-in")
    await signInByPages(cockpit, page, { ...person, password })
    await page.context().close()
  })
})
