import { afterAll, afterEach, beforeAll, expect, it } from "vitest"
import { makeCharge } from "../e2e/support/charges.ts"
import { clientsOf, receiverSettings } from "../e2e/support/stage.ts"
import { startTlsRedis, type TlsRedis } from "../support/tlsRedis.ts"
import { type Cockpit, describePages, expectLooksRight, openCockpit } from "./support/cockpit.ts"

describePages("endpoints that are Redis Streams", () => {
  let cockpit: Cockpit
  let shop: TlsRedis
  beforeAll(async () => {
    shop = await startTlsRedis()
    cockpit = await openCockpit({ SIMULATOR_DELAY_MS: "50", ...receiverSettings(shop) })
  })
  afterAll(async () => {
    await cockpit?.close()
    await shop?.close()
  })
  afterEach(() => expect(cockpit.complaints()).toEqual([]))

  it("a seller makes one, sees its address without the password, and what Redis answered", async () => {
    const seller = await cockpit.seller()
    const page = await cockpit.open("/app/webhooks", { as: seller })
    await page.getByTestId("endpoint-create").click()
    const dialog = page.getByTestId("dialog")
    await dialog.getByText("rediss://usuário:senha@host:porta").waitFor()
    await dialog.getByTestId("endpoint-url").fill(shop.urlOf("shop:events", { password: shop.password }))
    await dialog.getByText("não aparece de novo").waitFor()
    await dialog.getByTestId("endpoint-preset-all").check()
    await expectLooksRight(page, "endpoint-redis-dialog")
    await dialog.getByTestId("submit").click()
    await page.getByTestId("secret-once").waitFor()
    await page.keyboard.press("Escape")

    await makeCharge(clientsOf(cockpit.stage.service.url, seller).test)
    await page.goto(`${cockpit.stage.service.url}/app/webhooks`)
    await page.getByTestId("endpoint-row").getByRole("link").first().click()
    await page.getByTestId("endpoint-status").waitFor()
    expect(await page.content()).not.toContain(encodeURIComponent(shop.password))
    await expectLooksRight(page, "endpoint-redis")
    await page.getByTestId("tab-deliveries").click()
    await page.getByTestId("delivery-row").first().getByRole("link").first().click()
    await page.getByTestId("delivery-answer").waitFor()
    const [[entryId] = [""]] = await shop.client.xrange("shop:events", "-", "+")
    expect(await page.getByTestId("delivery-answer").textContent()).toBe(entryId)
    await page.getByText("O Redis guardou o evento").filter({ visible: true }).first().waitFor()
    await expectLooksRight(page, "delivery-redis")
    await page.context().close()
  })
})
