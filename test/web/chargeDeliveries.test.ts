import { afterAll, afterEach, beforeAll, expect, it } from "vitest"
import { makeCharge } from "../e2e/support/charges.ts"
import { clientsOf, receiverSettings } from "../e2e/support/stage.ts"
import { behaviours, startTlsReceiver, type TlsReceiver } from "../support/tlsReceiver.ts"
import { type Cockpit, describePages, expectLooksRight, openCockpit } from "./support/cockpit.ts"

describePages("how a charge's events were told, on its page", () => {
  let cockpit: Cockpit
  let receiver: TlsReceiver
  beforeAll(async () => {
    receiver = await startTlsReceiver()
    cockpit = await openCockpit({
      SIMULATOR_DELAY_MS: "600000",
      RETRY_SCHEDULE_SECONDS: "0.05,0.05,0.05,0.05,0.05",
      ...receiverSettings(receiver),
    })
  })
  afterAll(async () => {
    await cockpit?.close()
    await receiver?.close()
  })
  afterEach(() => expect(cockpit.complaints()).toEqual([]))

  it("the attempts of an event are folded into one sentence, and those that were given up are sent again from there", async () => {
    const seller = await cockpit.seller()
    receiver.respondWith(({ path }) => behaviours.respond(path === "/broken" ? 500 : 200))
    const page = await cockpit.open("/app/charges", { as: seller })
    for (const path of ["/one", "/two", "/broken"]) {
      const body = { url: receiver.origin + path, events: ["transaction.paid"] }
      const status = await page.evaluate(async (sent) => {
        const headers = { "content-type": "application/json", "x-mode": "test" }
        const init = { method: "POST", headers, body: JSON.stringify(sent) }
        return (await fetch("/v1/me/webhook-endpoints", init)).status
      }, body)
      expect(status).toBe(201)
    }
    const client = clientsOf(cockpit.stage.service.url, seller).test
    const { id } = await makeCharge(client)
    await client.post(`/v1/test/transactions/${id}/pay`)
    await page.goto(`${cockpit.origin}/app/charges/${id}`)
    const told = page.getByTestId("told")
    await expect
      .poll(() => told.locator("summary").textContent(), { timeout: 60_000 })
      .toBe("3 destinos: 2 receberam, 1 falhou 6 vezes")
    await page.getByTestId("told-retry").waitFor()
    await expectLooksRight(page, "charge-told")
    await told.locator("summary").click()
    await expect.poll(() => told.getByTestId("delivery-row").count()).toBe(8)
    await expectLooksRight(page, "charge-told-open")

    receiver.respondWith(behaviours.respond(200))
    const enableAll = (enabled: boolean) =>
      page.evaluate(async (isEnabled) => {
        const headers = { "content-type": "application/json", "x-mode": "test" }
        const { data } = await (await fetch("/v1/me/webhook-endpoints", { headers })).json()
        for (const { id } of data) {
          const init = { method: "PATCH", headers, body: JSON.stringify({ enabled: isEnabled }) }
          await fetch(`/v1/me/webhook-endpoints/${id}`, init)
        }
      }, enabled)
    await enableAll(false)
    await page.getByTestId("told-retry").click()
    await page.getByText("Há um destino desativado ou excluído: para ele nada foi enviado.").waitFor()
    expect(await told.getByTestId("delivery-row").count(), "no attempt is recorded").toBe(8)
    await enableAll(true)
    await page.getByTestId("told-retry").click()
    await expect
      .poll(() => told.locator("summary").textContent(), { timeout: 60_000 })
      .toBe("3 destinos: todos receberam")
    expect(await page.getByTestId("told-retry").count()).toBe(0)
    await page.context().close()
  })
})
