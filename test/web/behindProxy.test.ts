import { randomBytes } from "node:crypto"
import type { Browser } from "playwright-core"
import { afterAll, beforeAll, expect, it } from "vitest"
import { forgetRates, makeSellerPerson, type SellerPerson } from "../e2e/support/accountPeople.ts"
import { makeCharge } from "../e2e/support/charges.ts"
import { clientsOf, openStage, type Stage } from "../e2e/support/stage.ts"
import { launchChromium } from "../support/chromium.ts"
import { startTestRedis, type TestRedis } from "../support/redis.ts"
import { describePages, ready } from "./support/cockpit.ts"
import { type ReverseProxy, startReverseProxy } from "./support/reverseProxy.ts"

const prefix = "/corrente"

let redis: TestRedis
let proxy: ReverseProxy
let one: Stage
let two: Stage
let browser: Browser
let person: SellerPerson
beforeAll(async () => {
  redis = await startTestRedis()
  proxy = await startReverseProxy({ prefix })
  const settings = {
    ENCRYPTION_KEY: randomBytes(32).toString("base64"),
    PUBLIC_URL: proxy.origin + prefix,
    TRUSTED_PROXIES: "127.0.0.1,::1",
  }
  one = await openStage(settings, { redisUrl: redis.url })
  two = await openStage(settings, { redisUrl: redis.url })
  proxy.passTo(one.service.port, two.service.port)
  person = await makeSellerPerson(one)
  browser = await launchChromium()
})
afterAll(async () => {
  await browser?.close()
  await proxy?.close()
  await Promise.all([one?.close(), two?.close()])
  await redis?.stop()
})

describePages("the dashboard below a path of a proxy, with two processes", () => {
  it("signs in, shows what happens as it happens, and leads to payment pages", async () => {
    const context = await browser.newContext({ locale: "pt-BR" })
    const page = await context.newPage()
    const faults: Array<string> = []
    page.on("pageerror", (error) => faults.push(String(error)))
    const see = (name: string) => page.getByTestId(name)
    await forgetRates(one)
    await page.goto(`${proxy.origin}${prefix}/app/charges`)
    await see("email-input").fill(person.email)
    await see("password-input").fill(person.password)
    await see("submit").click()
    await see("code-input").fill(await person.authenticator.next())
    await see("sign-out").waitFor()
    await ready(page)
    expect(new URL(page.url()).pathname).toBe(`${prefix}/app/charges`)
    // A charge that either process makes appears by itself.
    await expect.poll(() => see("live-status").getAttribute("data-state")).toBe("live")
    for (const { service } of [one, two]) {
      const { id, payment_url = "" } = await makeCharge(clientsOf(service.url, person).test)
      await page.locator(`a[href="${prefix}/app/charges/${id}"]`).first().waitFor()
      expect(payment_url.startsWith(`${proxy.origin}${prefix}/pay/`), payment_url).toBe(true)
      const payer = await context.newPage()
      await payer.goto(payment_url)
      await payer.getByTestId("pay-qr").waitFor()
      await payer.close()
    }
    await page.reload()
    await ready(page)
    expect(faults).toEqual([])
    expect(proxy.outside()).toEqual([])
    expect(Math.min(...proxy.passed())).toBeGreaterThan(3)
    await context.close()
  })
})
