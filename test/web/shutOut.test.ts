import { afterAll, afterEach, beforeAll, expect, it } from "vitest"
import { sessionCookieName } from "../../schema/api/security.ts"
import { forgetRates } from "../e2e/support/accountPeople.ts"
import { type Cockpit, describePages, expectLooksRight, openCockpit, ready } from "./support/cockpit.ts"

describePages("people who are shut out", () => {
  let cockpit: Cockpit
  beforeAll(async () => {
    cockpit = await openCockpit()
  })
  afterAll(() => cockpit?.close())
  afterEach(() => expect(cockpit.complaints()).toEqual([]))

  it("an operator ends a user's sessions and disables it, its pages say so, and signing in does", async () => {
    const seller = await cockpit.seller()
    const desk = await cockpit.open(`/app/admin/sellers/${seller.sellerId}`, { as: await cockpit.operator() })
    const act = async (button: string, reason?: string) => {
      await desk.getByTestId(button).click()
      const dialog = desk.getByTestId("dialog")
      if (reason !== undefined) await dialog.getByTestId("reason-input").fill(reason)
      await dialog.getByTestId("submit").click()
      await dialog.waitFor({ state: "detached" })
    }
    const page = await cockpit.open("/app", { as: seller, allows: [/40[13]/] })
    await act("user-end-sessions", "Notebook roubado")
    await page.waitForURL(/sign-in/)
    await act("user-disable", "Notebook roubado")
    await desk.locator('[data-testid="user-status"][data-status="disabled"]').waitFor()
    await expectLooksRight(desk, "admin-seller-user-disabled")

    await forgetRates(cockpit.stage)
    await page.getByTestId("email-input").fill(seller.email)
    await page.getByTestId("password-input").fill(seller.password)
    await page.getByTestId("submit").click()
    await expect.poll(() => page.getByTestId("form-error").textContent()).toContain("desativado")
    await act("user-enable")
    await desk.locator('[data-testid="user-status"][data-status="active"]').waitFor()
    await forgetRates(cockpit.stage)
    await page.getByTestId("submit").click()
    await page.getByTestId("code-input").waitFor()
    await desk.close()
    await page.close()
  })

  it("a step-up in one tab gives the browser a new token, and signs out none of its other tabs", async () => {
    const seller = await cockpit.seller()
    const first = await cockpit.open("/app/charges", { as: seller })
    const second = await cockpit.open("/app/charges", { beside: first })
    const tokens = async () =>
      (await first.context().cookies())
        .filter(({ name }) => name === sessionCookieName)
        .map(({ value }) => value)
    const before = await tokens()
    const code = await seller.authenticator.next()
    // Requests are under way all the time, until some more have begun after the step-up.
    const statuses = second.evaluate(async () => {
      const found = new Set<number>()
      for (let roundsLeft = 10; roundsLeft > 0; ) {
        const answers = await Promise.all(Array.from({ length: 8 }, () => fetch("/v1/me/seller")))
        for (const { status } of answers) found.add(status)
        if ("isSteppedUp" in globalThis) roundsLeft -= 1
      }
      return [...found]
    })
    const stepUp = (sent: string) =>
      fetch("/v1/me/auth/step-up", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ code: sent }),
      }).then(({ status }) => status)
    expect(await first.evaluate(stepUp, code)).toBe(200)
    await second.evaluate(() => Object.assign(globalThis, { isSteppedUp: true }))
    expect(await statuses).toEqual([200])
    expect(await tokens()).not.toEqual(before)
    await second.reload()
    await ready(second)
    expect(new URL(second.url()).pathname).toBe("/app/charges")
    await first.context().close()
  })

  it("signing out clears what the browser keeps, but for the colours and the language of its pages", async () => {
    const seller = await cockpit.seller()
    // What is being read while the session ends is refused.
    const page = await cockpit.open("/app/settings", { as: seller, allows: [/401/] })
    await page.evaluate(() => {
      for (const [key, value] of [
        ["corrente.theme", "dark"],
        ["corrente.language", "en"],
        ["of.another", "kept"],
      ] as const) {
        localStorage.setItem(key, value)
      }
    })
    await page.reload()
    await ready(page)
    await page.getByTestId("sign-out").first().click()
    await page.waitForURL(/sign-in/)
    const kept = await page.evaluate(() => ({ ...localStorage }))
    expect(kept).toMatchObject({ "corrente.theme": "dark", "corrente.language": "en" })
    expect(kept).not.toHaveProperty(["of.another"])
    await page.close()
  })
})
