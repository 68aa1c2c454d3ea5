import { afterAll, afterEach, beforeAll, expect, it } from "vitest"
import type { Notifications } from "../../schema/resources/notifications.ts"
import { alertsOf, commonUrl, faultOf, rowsOf } from "../../web/src/pages/account/alertRules.ts"
import { receiverSettings } from "../e2e/support/stage.ts"
import { behaviours, startTlsReceiver, type TlsReceiver } from "../support/tlsReceiver.ts"
import { type Cockpit, describePages, expectLooksRight, openCockpit, ready } from "./support/cockpit.ts"

it("the form has one address, and keeps an alert that goes to another", () => {
  const stored: Notifications = {
    data: [
      { when: "chargeback", mail: true, url: "https://b.example/x" },
      { when: "payout_failed", mail: false, url: "https://a.example/x" },
      { when: "large_charge", mail: false, url: "https://a.example/x", min_amount: 123_456 },
      { when: "new_sign_in", mail: true },
    ],
  }
  expect(commonUrl(stored)).toBe("https://a.example/x")
  const rows = rowsOf(stored)
  expect(rows.find(({ when }) => when === "large_charge")?.amount).toBe("1.234,56")
  const sent = alertsOf(rows, "https://new.example/x")
  expect(new Map(sent.data.map(({ when, url }) => [when, url]))).toEqual(
    new Map([
      ["payout_failed", "https://new.example/x"],
      ["chargeback", "https://b.example/x"],
      ["large_charge", "https://new.example/x"],
      ["new_sign_in", undefined],
    ]),
  )
  expect(sent.data.find(({ when }) => when === "large_charge")?.min_amount).toBe(123_456)
})

it("an alert for the chat needs its address, and one with an amount needs that", () => {
  const row = { when: "balance_below", mail: false, chat: true, amount: "", otherUrl: undefined } as const
  expect(faultOf(row, "")).toBe("noUrl")
  expect(faultOf(row, "https://a.example")).toBe("noAmount")
  expect(faultOf({ ...row, amount: "10" }, "https://a.example")).toBeUndefined()
  expect(faultOf({ ...row, chat: false }, "")).toBeUndefined()
})

describePages("alerts", () => {
  let cockpit: Cockpit
  let receiver: TlsReceiver
  beforeAll(async () => {
    receiver = await startTlsReceiver({
      behaviour: ({ path }) => behaviours.respond(path === "/gone" ? 404 : 200),
    })
    cockpit = await openCockpit(receiverSettings(receiver))
  })
  afterAll(async () => {
    await cockpit?.close()
    await receiver?.close()
  })
  afterEach(() => expect(cockpit.complaints()).toEqual([]))

  it("a seller chooses them, tries the chat, and finds them as they were saved", async () => {
    const seller = await cockpit.seller()
    const page = await cockpit.open("/app/settings", { as: seller })
    await page.getByTestId("alerts-open").click()
    await page.getByTestId("alert-chargeback").waitFor()
    await ready(page)
    const row = (when: string) => page.getByTestId(`alert-${when}`)
    expect(await row("new_sign_in").getByTestId("alert-mail").isChecked()).toBe(true)
    expect(await row("new_sign_in").getByTestId("alert-mail").isDisabled()).toBe(true)

    await row("payout_failed").getByTestId("alert-mail").check()
    await row("balance_below").getByTestId("alert-chat").check()
    const amount = row("balance_below").getByTestId("amount-input")
    await amount.fill("5000")
    await page.getByTestId("submit").click()
    await expect.poll(() => page.getByTestId("form-error").textContent()).toContain("endereço do chat")

    await page.getByTestId("alert-url").fill(`${receiver.origin}/gone`)
    await page.getByTestId("alert-test").click()
    await page.getByText("não chegou: http_404").waitFor()
    await page.getByTestId("alert-url").fill(`${receiver.origin}/chat`)
    await page.getByTestId("alert-test").click()
    await page.getByText("A mensagem de teste chegou.").waitFor()
    expect(receiver.requests.at(-1)?.body).toContain("Teste da Corrente")
    await page.getByTestId("submit").click()
    await page.getByText("Alertas salvos.").waitFor()
    await expectLooksRight(page, "alerts")

    await page.reload()
    await ready(page)
    expect(await page.getByTestId("alert-url").inputValue()).toBe(`${receiver.origin}/chat`)
    expect(await row("payout_failed").getByTestId("alert-mail").isChecked()).toBe(true)
    expect(await row("balance_below").getByTestId("alert-chat").isChecked()).toBe(true)
    expect(await amount.inputValue()).toBe("5.000,00")
    await page.context().close()
  })

  it("the page is in English too", async () => {
    const seller = await cockpit.seller()
    const page = await cockpit.open("/app/settings/alerts", { as: seller, locale: "en-US" })
    await page.getByText("Tell when").first().waitFor()
    await expectLooksRight(page, "alerts-en")
    await page.context().close()
  })
})
