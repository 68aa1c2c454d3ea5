import type { Locator } from "playwright-core"
import { afterAll, afterEach, beforeAll, expect, it } from "vitest"
import { chargeWhen, makeCharge } from "../e2e/support/charges.ts"
import { clientsOf, receiverSettings } from "../e2e/support/stage.ts"
import { behaviours, startTlsReceiver, type TlsReceiver } from "../support/tlsReceiver.ts"
import { type Cockpit, describePages, openCockpit, signInByPages } from "./support/cockpit.ts"

/** What a morning takes at most, without the sign-in's two. */
const clicksMax = 10

/** The first and the last day of the month before, as fields have them. */
const lastMonth = (): readonly [from: string, to: string] => {
  const today = new Date()
  const dayOf = (month: number, day: number) =>
    new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + month, day)).toISOString().slice(0, 10)
  return [dayOf(-1, 1), dayOf(0, 0)]
}

describePages("a stranger's morning", () => {
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

  it(`sees the day, refunds half of an order, resends what an endpoint missed, and saves last month, in ${clicksMax} clicks`, async () => {
    const seller = await cockpit.seller()
    const first = await cockpit.open("/app/settings", { as: seller })
    await first.evaluate(async (url) => {
      const body = JSON.stringify({ url, events: ["transaction.paid"] })
      const headers = { "content-type": "application/json", "x-mode": "test" }
      await fetch("/v1/me/webhook-endpoints", { method: "POST", headers, body })
    }, receiver.url)
    receiver.respondWith(behaviours.respond(500))
    const { test: client } = clientsOf(cockpit.stage.service.url, seller)
    const customer = { name: "Fátima Al-Rashid", email: "fatima@example.com", document: "529.982.247-25" }
    const order = await makeCharge(client, { amount: 20_000, customer, reference: "pedido-1152" })
    for (const { id } of [order, await makeCharge(client), await makeCharge(client)]) {
      await client.post(`/v1/test/transactions/${id}/pay`)
      await chargeWhen(client, id, "paid")
    }
    await first.context().close()

    const page = await cockpit.open("/app/sign-in", {})
    await signInByPages(cockpit, page, seller)
    let clicks = 0
    const click = async (target: Locator) => {
      clicks += 1
      await target.click()
    }
    // What came in, against last week.
    await page.getByText(/3 pagas · nada n[ao] \S+ \S+ até/).waitFor()

    // The order, by the payer's name; half of it goes back.
    await page.keyboard.press("/")
    await page.getByTestId("search-input").fill("fátima")
    await page.getByTestId("search-result").first().waitFor()
    await page.keyboard.press("Enter")
    await click(page.getByRole("button", { name: "Devolver", exact: true }))
    await click(page.getByRole("button", { name: "Metade" }))
    await click(page.getByTestId("submit"))
    await page.getByTestId("refund-row").waitFor()

    // Why an endpoint fails, and all that it missed.
    receiver.respondWith(behaviours.respond(200))
    await click(page.getByRole("link", { name: "Webhooks" }).first())
    await click(page.getByTestId("endpoint-row").getByRole("link").first())
    await click(page.getByTestId("tab-deliveries"))
    await page.getByTestId("delivery-row").first().getByText("HTTP 500").waitFor()
    await click(page.getByTestId("resend-all"))
    await page.getByTestId("resend-count").waitFor()
    await click(page.getByTestId("submit"))
    await page
      .getByText(/3 .*na fila/)
      .first()
      .waitFor()

    // Last month, for the accountant.
    const [from, to] = lastMonth()
    await click(page.getByRole("link", { name: "Saldo" }).first())
    await page.getByTestId("statement-from").fill(from)
    await page.getByTestId("statement-to").fill(to)
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      click(page.getByTestId("export-xlsx")),
    ])
    expect(download.suggestedFilename()).toContain(`${from}-${to}.xlsx`)
    expect(clicks).toBeLessThanOrEqual(clicksMax)
    await page.context().close()
  })
})
