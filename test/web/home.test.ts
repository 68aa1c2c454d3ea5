import { afterAll, afterEach, beforeAll, expect, it } from "vitest"
import type { SellerPerson } from "../e2e/support/accountPeople.ts"
import { makeCharge } from "../e2e/support/charges.ts"
import { clientsOf } from "../e2e/support/stage.ts"
import { type Cockpit, describePages, expectLooksRight, openCockpit } from "./support/cockpit.ts"

/** Chromium itself says so of every request that the service did not answer. */
const away = [/Failed to load resource/]

describePages("the home page and the search", () => {
  let cockpit: Cockpit
  beforeAll(async () => {
    cockpit = await openCockpit({ SIMULATOR_DELAY_MS: "600000" })
  })
  afterAll(() => cockpit?.close())
  afterEach(() => expect(cockpit.complaints()).toEqual([]))

  const clientOf = (seller: SellerPerson) => clientsOf(cockpit.stage.service.url, seller).test

  it("a seller with nothing is told the next steps, and sees what happens without a reload", async () => {
    const seller = await cockpit.seller()
    const page = await cockpit.open("/app", { as: seller })
    const isDone = (step: string) => page.locator(`[data-step="${step}"]`).getAttribute("data-done")
    expect([await isDone("charge"), await isDone("webhook"), await isDone("key")]).toEqual([
      ...["false", "false", "true"],
    ])
    await expectLooksRight(page, "home-empty")
    const client = clientOf(seller)
    const { id } = await makeCharge(client)
    await client.post(`/v1/test/transactions/${id}/pay`)
    await page.getByText("1 de 1 criada").waitFor()
    await expect.poll(() => isDone("charge")).toBe("true")
    await page.locator('.ticker [data-type="transaction.paid"]').waitFor()
    await expect
      .poll(() => page.locator(".figure .money").evaluateAll((all) => all.map((one) => one.dataset.amount)))
      .toEqual(["12990", "12990"])
    await expectLooksRight(page, "home")
    await page.context().close()
  })

  it("what happens while the newest events are read again stays among them", async () => {
    const seller = await cockpit.seller()
    const page = await cockpit.open("/app", { as: seller })
    let open = () => {}
    const opened = new Promise<void>((done) => {
      open = done
    })
    let asked = 0
    // The stream's opening has them read a second time: it comes after the first.
    await page.route(/(?<!\/v1\/me)\/events(\?|$)/, async (route) => {
      while (asked === 0) await page.waitForTimeout(20)
      await route.continue()
    })
    await page.route(/\/v1\/me\/events\?limit=10$/, async (route) => {
      const response = await route.fetch()
      asked += 1
      if (asked > 1) await opened
      await route.fulfill({ response })
    })
    await page.reload()
    await expect.poll(() => asked, { timeout: 30_000 }).toBeGreaterThan(1)
    await makeCharge(clientOf(seller))
    await page.getByText("de 1 criada").waitFor({ timeout: 30_000 })
    await page.waitForTimeout(500)
    open()
    await page.waitForTimeout(500)
    await expect.poll(() => page.locator(".ticker li").count(), { timeout: 30_000 }).toBe(1)
    await page.context().close()
  })

  it("the search finds a charge by txid, e-mail address and id, and is walked through by keys", async () => {
    const seller = await cockpit.seller()
    const client = clientOf(seller)
    const customer = { name: "Bia Lima", email: "bia@example.com", document: "529.982.247-25" }
    const charge = await makeCharge(client, { customer })
    await makeCharge(client)
    const page = await cockpit.open("/app/charges", { as: seller })
    const input = page.getByTestId("search-input")
    const hits = page.getByTestId("search-result")
    for (const text of [charge.pix.txid, "bia@example.com", charge.id]) {
      await input.fill(text)
      await expect
        .poll(() => hits.evaluateAll((all) => all.map((hit) => hit.dataset.id)))
        .toEqual([charge.id])
      await expect.poll(() => hits.first().textContent()).toMatch(/Cobrança.*129,90.*Pendente/)
      await page.keyboard.press("Escape")
      await expect.poll(() => hits.count()).toBe(0)
      await expect.poll(() => input.inputValue()).toBe("")
    }
    await input.fill("ninguem@example.com")
    await page.getByText("Nada encontrado").waitFor()
    await input.fill(charge.id)
    await hits.waitFor()
    await expectLooksRight(page, "search")
    await input.press("ArrowDown")
    await page.keyboard.press("Enter")
    await page.getByTestId("charge-qr").waitFor()
    expect(page.url()).toContain(charge.id)
    await page.context().close()
  })

  it("while the service is away pages say so, and afterwards they go on by themselves", async () => {
    const seller = await cockpit.seller()
    const page = await cockpit.open("/app/charges", { as: seller, allows: away })
    const live = page.getByTestId("live-status")
    const state = () => live.getAttribute("data-state")
    await expect.poll(state).toBe("live")
    await cockpit.stage.service.kill9()
    await expect.poll(state).toBe("offline")
    await cockpit.stage.service.restart()
    await expect.poll(state).toBe("live")
    const { id } = await makeCharge(clientOf(seller))
    await page.locator(`[data-testid="charge-row"][data-id="${id}"]`).waitFor()
  })
})
