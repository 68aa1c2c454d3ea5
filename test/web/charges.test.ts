import jsqr from "jsqr"
import type { Page } from "playwright-core"
import { PNG } from "pngjs"
import { afterAll, afterEach, beforeAll, expect, it } from "vitest"
import type { Refund } from "../../schema/resources/refund.ts"
import type { SellerPerson } from "../e2e/support/accountPeople.ts"
import { chargeWhen, freshKey, makeCharge } from "../e2e/support/charges.ts"
import { clientsOf } from "../e2e/support/stage.ts"
import {
  axe,
  type Cockpit,
  describePages,
  expectLooksRight,
  openCockpit,
  picture,
  ready,
} from "./support/cockpit.ts"
import { confirmStepUp, endStepUp } from "./support/stepUp.ts"

/** Chromium itself reports every refusal. */
const refusals = [/Failed to load resource.* (400|403|404|409|502) /]
const longName = `<img src=x onerror=alert(1)> \u200f\u05e9\u05dc\u05d5\u05dd ${"W".repeat(85)}`

/** What a phone reads from the picture of a QR code. */
const scan = async (page: Page, testId: string): Promise<string | undefined> => {
  const { data, width, height } = PNG.sync.read(await page.getByTestId(testId).screenshot())
  return jsqr.default(new Uint8ClampedArray(data), width, height)?.data
}

const statusOf = (page: Page) => page.getByTestId("charge-status").getAttribute("data-status")

const actsOf = (page: Page) =>
  page.getByTestId("test-act").evaluateAll((buttons) => buttons.map((button) => button.dataset.act))

describePages("the pages of charges", () => {
  let cockpit: Cockpit
  beforeAll(async () => {
    // Only what a test does happens.
    cockpit = await openCockpit({ SIMULATOR_DELAY_MS: "600000" })
  })
  afterAll(() => cockpit?.close())
  afterEach(() => expect(cockpit.complaints()).toEqual([]))

  const clientOf = (seller: SellerPerson) => clientsOf(cockpit.stage.service.url, seller).test

  const makePaid = async (seller: SellerPerson, changes: Readonly<Record<string, unknown>> = {}) => {
    const client = clientOf(seller)
    const { id } = await makeCharge(client, changes)
    await client.post(`/v1/test/transactions/${id}/pay`)
    return chargeWhen(client, id, "paid")
  }

  it("a charge is created by the form, shown with its QR code, and turns paid without a reload", async () => {
    const page = await cockpit.open("/app/charges", { as: await cockpit.seller() })
    await expectLooksRight(page, "charges-empty")
    await page.getByTestId("charge-create").click()
    const dialog = page.getByTestId("dialog")
    await dialog.getByTestId("amount-input").fill("1.012,90")
    await dialog.getByTestId("customer-name").fill("Bia Lima")
    await dialog.getByTestId("customer-email").fill("bia@example.com")
    await dialog.getByTestId("customer-document").fill("529.982.247-25")
    expect(await axe(page)).toEqual([])
    await picture(page, "charge-create")
    await dialog.getByTestId("amount-input").press("Enter")

    const qr = page.getByTestId("charge-qr")
    await qr.waitFor()
    expect(await page.getByTestId("created-status").getAttribute("data-status")).toBe("pending")
    expect(
      await page.getByTestId("share").getByRole("link", { name: "WhatsApp" }).getAttribute("href"),
    ).toContain(
      `https://wa.me/?text=${encodeURIComponent("Olá! Para pagar R$\u00a01.012,90 por Pix, abra: http")}`,
    )
    await expectLooksRight(page, "charge-created")
    await page.getByTestId("created-open").click()
    await expect.poll(() => statusOf(page)).toBe("pending")
    await expect.poll(() => page.getByTestId("dialog").count()).toBe(0)
    const payload = await page.getByTestId("pix-payload").textContent()
    expect(payload).toMatch(/^000201010212/)
    expect(await scan(page, "charge-qr")).toBe(payload)
    await expect.poll(() => actsOf(page)).toEqual(["pay", "expire", "fail"])
    await expectLooksRight(page, "charge-pending")

    const loaded = await page.evaluate("performance.timeOrigin")
    await page.locator('[data-act="pay"]').click()
    await expect.poll(() => statusOf(page)).toBe("paid")
    await expect.poll(() => actsOf(page)).toEqual(["refund", "chargeback"])
    await page.getByText("Cobrança paga").first().waitFor()
    await expect.poll(() => qr.count()).toBe(0)
    expect(await page.evaluate("performance.timeOrigin")).toBe(loaded)
  })

  it("new and changed charges appear in the list by their events, without a request, and wait for who has scrolled", async () => {
    const seller = await cockpit.seller()
    const client = clientOf(seller)
    const old = []
    for (let i = 0; i < 25; i++) old.push(await makeCharge(client))
    const page = await cockpit.open("/app/charges", { as: seller })
    await page.locator('[data-testid="live-status"][data-state="live"]').waitFor()
    const rows = page.getByTestId("charge-row")
    const idsShown = () => rows.evaluateAll((all) => all.map((row) => row.dataset.id))
    await expect.poll(idsShown).toEqual(old.toReversed().map(({ id }) => id))
    // It is read when the page opens, and mostly again when its stream has opened.
    const reads = `performance.getEntriesByType("resource").filter(({ name }) => name.includes("/v1/me/transactions")).length`
    let readsBefore = -1
    const isRead = async () => {
      const now = Number(await page.evaluate(reads))
      const isSame = now === readsBefore
      readsBefore = now
      return isSame
    }
    await expect.poll(isRead, { interval: 1_000 }).toBe(true)
    const asked: Array<string> = []
    // Totals are read again, every ten seconds at most.
    page.on("request", (request) => {
      const { pathname } = new URL(request.url())
      if (!pathname.endsWith("/summary")) asked.push(pathname)
    })

    const first = await makeCharge(client, { metadata: { order: "pedido-7" } })
    await expect.poll(async () => (await idsShown())[0]).toBe(first.id)
    await rows.first().getByText("pedido-7").waitFor()
    const [oldest] = old
    await client.post(`/v1/test/transactions/${oldest?.id}/pay`)
    await expect.poll(() => rows.last().getAttribute("data-status")).toBe("paid")

    await page.evaluate("scrollTo(0, 400)")
    const second = await makeCharge(client)
    const waiting = page.getByTestId("waiting-rows")
    await expect.poll(() => waiting.textContent()).toBe("1 cobrança nova")
    await picture(page, "charges-waiting")
    expect((await idsShown())[0]).toBe(first.id)
    await waiting.click({ timeout: 20_000 })
    await expect.poll(async () => (await idsShown())[0]).toBe(second.id)
    expect(await waiting.count()).toBe(0)
    expect(asked).toEqual([])

    // Whoever ticks rows is not to tick another than they saw.
    const tick = page
      .locator(`[data-testid="charge-row"][data-id="${second.id}"]`)
      .getByTestId("charge-check")
    await tick.check()
    const third = await makeCharge(client)
    await expect.poll(() => waiting.textContent()).toBe("1 cobrança nova")
    expect([(await idsShown())[0], await page.evaluate("scrollY")]).toEqual([second.id, 0])
    await waiting.click()
    await expect.poll(async () => (await idsShown())[0]).toBe(third.id)
    expect(await tick.isChecked()).toBe(true)
    const fourth = await makeCharge(client)
    await expect.poll(() => waiting.textContent()).toBe("1 cobrança nova")
    await tick.uncheck()
    await expect.poll(async () => (await idsShown())[0]).toBe(fourth.id)
  })

  it("a form that cannot be sent says why, in words, and is sent once it is right", async () => {
    const page = await cockpit.open("/app/charges?create=1&amount=1003", {
      as: await cockpit.seller(),
      allows: refusals,
    })
    const dialog = page.getByTestId("dialog")
    const amount = dialog.getByTestId("amount-input")
    await expect.poll(() => amount.inputValue()).toBe("10,03")
    const refusedWith = async (text: RegExp) => {
      await dialog.getByTestId("submit").click()
      await dialog.getByTestId("form-error").filter({ hasText: text }).waitFor()
    }
    await refusedWith(/parceiro bancário/)
    await amount.fill("dez")
    await refusedWith(/valor como 12,90/)
    await amount.fill("")
    await amount.pressSequentially("1047,5")
    expect(await amount.inputValue()).toBe("1.047,5")
    await amount.press("Home")
    await amount.pressSequentially("23")
    expect(await amount.inputValue()).toBe("231.047,5")
    await amount.press("Delete")
    expect(await amount.inputValue()).toBe("23.047,5")
    await amount.blur()
    expect(await amount.inputValue()).toBe("23.047,50")
    await amount.fill("10,00")
    await dialog.getByTestId("customer-document").fill("123")
    await refusedWith(/CPF/)
    await dialog.getByTestId("customer-document").fill("52998224725")
    await dialog.getByTestId("submit").click()
    await page.getByTestId("charge-qr").waitFor()
  })

  it("part of a charge is refunded after a step-up that goes on by itself", async () => {
    const seller = await cockpit.seller()
    const client = clientOf(seller)
    const charge = await makePaid(seller)
    const page = await cockpit.open(`/app/charges/${charge.id}`, { as: seller, allows: refusals })
    await endStepUp(cockpit.stage, page)
    await page.getByRole("button", { name: "Devolver", exact: true }).click()
    const dialog = page.getByTestId("dialog")
    await expect.poll(() => dialog.getByTestId("amount-input").inputValue()).toBe("129,90")
    await dialog.getByTestId("amount-input").fill("129,91")
    await dialog.getByTestId("submit").click()
    await dialog.getByTestId("form-error").filter({ hasText: "129,90" }).waitFor()
    await dialog.getByTestId("amount-input").fill("29,90")
    await dialog.getByTestId("refund-reason").selectOption("Outro motivo")
    await dialog.getByTestId("refund-own-reason").fill("Um item voltou")
    await expectLooksRight(page, "charge-refund")
    await dialog.getByTestId("submit").click()
    await page.getByTestId("step-up").waitFor()
    await expectLooksRight(page, "charge-refund-code")
    await confirmStepUp(page, seller)
    const row = page.getByTestId("refund-row")
    await row.waitFor()
    await expect.poll(() => dialog.count()).toBe(0)
    const { body } = await client.get<{ readonly data: ReadonlyArray<Refund> }>("/v1/refunds")
    expect(body.data.map(({ amount, reason }) => [amount, reason])).toEqual([[2_990, "Um item voltou"]])

    await client.post(`/v1/test/refunds/${body.data[0]?.id}/succeed`)
    await expect.poll(() => row.getAttribute("data-status")).toBe("succeeded")
    await page.getByText("Cobrança devolvida em parte").waitFor()
    await page.getByTestId("postings").locator("summary").click()
    await page.getByTestId("postings").getByText("Devolução concluída").waitFor()
    await expect.poll(() => statusOf(page)).toBe("paid")
    await expectLooksRight(page, "charge-refunded")
    // What is left is offered next.
    await page.getByRole("button", { name: "Devolver", exact: true }).click()
    await expect.poll(() => dialog.getByTestId("amount-input").inputValue()).toBe("100,00")
    await page.keyboard.press("Escape")

    await page.goto(`${cockpit.stage.service.url}/app/refunds`)
    await ready(page)
    await expect.poll(() => page.getByTestId("refund-row").count()).toBe(1)
    await page.getByTestId("refund-row").filter({ hasText: charge.customer.name }).waitFor()
    await expectLooksRight(page, "refunds")
    await page.getByTestId("refund-row").getByRole("link").click()
    await page.getByTestId("charge-status").waitFor()

    await page.goto(`${cockpit.stage.service.url}/app/charges`)
    await page.getByTestId("charge-left").filter({ hasText: "restam R$\u00a0100,00" }).waitFor()
    await expectLooksRight(page, "charges-refunded")
  })

  it("the list of refunds says why on phones too, in one line each, where a reason was given", async () => {
    const seller = await cockpit.seller()
    const client = clientOf(seller)
    const longReason = "O cliente recebeu o item errado duas vezes e preferiu o dinheiro de volta"
    for (const reason of [longReason, null]) {
      const { id } = await makePaid(seller, { reference: "pedido-1152" })
      await client.post(`/v1/transactions/${id}/refunds`, {
        body: { amount: 2_990, reason },
        headers: { "Idempotency-Key": freshKey() },
      })
    }
    const contested = await makePaid(seller)
    await client.post(`/v1/test/transactions/${contested.id}/chargeback`)
    const failing = await makePaid(seller)
    const { body: refund } = await client.post<Refund>(`/v1/transactions/${failing.id}/refunds`, {
      headers: { "Idempotency-Key": freshKey() },
    })
    await client.post(`/v1/test/refunds/${refund.id}/fail`)
    const page = await cockpit.open("/app/refunds", { as: seller, width: 390 })
    const rows = page.getByTestId("refund-row")
    await expect.poll(() => rows.count()).toBe(4)
    const reasons = rows.getByTestId("refund-reason")
    const shown = async () => {
      const lines = await reasons.allInnerTexts()
      return lines.map((line) => line.trim()).filter((line) => line !== "")
    }
    await expect.poll(shown).toEqual([expect.any(String), "Contestação: fraude", longReason])
    const heights = await reasons.evaluateAll((all) => all.map((one) => one.clientHeight))
    expect(heights).toEqual(heights.map((height) => (height === 0 ? 0 : heights[1])))
    const long = rows.filter({ hasText: longReason })
    expect(
      await long.getByText(longReason).evaluate((text) => {
        const line = text.closest(".clamped") ?? text
        return [getComputedStyle(line).textOverflow, line.scrollWidth > line.clientWidth]
      }),
    ).toEqual(["ellipsis", true])
    await expectLooksRight(page, "refunds-reasons")
    await page.context().close()
  })

  it("a refund whose answer a proxy loses is made once, however often the form is sent", async () => {
    const seller = await cockpit.seller()
    const charge = await makePaid(seller)
    const page = await cockpit.open(`/app/charges/${charge.id}`, { as: seller, allows: refusals })
    let sent = 0
    await page.route(/\/refunds$/, async (route) => {
      const response = await route.fetch()
      sent += 1
      const lost = { status: 502, contentType: "text/html", body: "<h1>502 Bad Gateway</h1>" }
      await route.fulfill(sent === 1 ? lost : { response })
    })
    await page.getByRole("button", { name: "Devolver", exact: true }).click()
    const dialog = page.getByTestId("dialog")
    await dialog.getByTestId("amount-input").fill("29,90")
    await dialog.getByTestId("submit").click()
    await dialog
      .getByTestId("form-error")
      .filter({ hasText: "Algo na frente do serviço respondeu" })
      .waitFor()
    await dialog.getByTestId("submit").click()
    await expect.poll(() => dialog.count()).toBe(0)
    const { body } = await clientOf(seller).get<{ readonly data: ReadonlyArray<Refund> }>("/v1/refunds")
    expect([sent, body.data.map(({ amount }) => amount)]).toEqual([2, [2_990]])
  })

  it("the test clock expires a charge, whose page shows it without a reload", async () => {
    const seller = await cockpit.seller()
    // The simulator never pays this amount.
    const { id } = await makeCharge(clientOf(seller), { amount: 1_001, pix: { expires_in_seconds: 3_600 } })
    const charge = await cockpit.open(`/app/charges/${id}`, { as: seller })
    const page = await cockpit.open("/app/test", { beside: charge })
    await expectLooksRight(page, "test")
    const now = async () => Date.parse((await page.getByTestId("clock-now").getAttribute("data-now")) ?? "")
    const before = await now()
    const steps = await page
      .getByTestId("clock-advance")
      .evaluateAll((buttons) => buttons.map((button) => Number(button.dataset.seconds)))
    expect(steps).toEqual([60, 3_600, 86_400, 604_800, 2_592_000])
    await page.locator('[data-testid="clock-advance"][data-seconds="86400"]').click()
    await expect.poll(now).toBeGreaterThanOrEqual(before + 86_400_000)
    await expect.poll(() => statusOf(charge)).toBe("expired")
    await expect.poll(() => actsOf(charge)).toEqual(["pay"])
    await page.getByText("1 dia à frente do tempo real").waitFor()
    // The links of amounts lead to a form that has them.
    await page.getByRole("link", { name: /10,01/ }).click()
    await expect.poll(() => page.getByTestId("dialog").getByTestId("amount-input").inputValue()).toBe("10,01")
  })

  it("names with markup, other directions and 120 characters without a space break no page", async () => {
    const seller = await cockpit.seller()
    const charge = await makeCharge(clientOf(seller), {
      customer: { name: longName, email: "ana@example.com", document: "529.982.247-25" },
      items: [{ name: longName + longName.slice(0, 80), quantity: 1_000_000, unit_amount: 999_999_999_999 }],
      metadata: { ["k".repeat(40)]: longName.repeat(4) },
      amount: 999_999_999_999,
    })
    const page = await cockpit.open("/app/charges", { as: seller })
    await page.getByText(longName).first().waitFor()
    await expectLooksRight(page, "charges-hostile")
    await page.getByTestId("charge-row").getByRole("link").click()
    await page.getByTestId("charge-qr").waitFor()
    expect(page.url()).toContain(charge.id)
    await expectLooksRight(page, "charge-hostile")
    await expect.poll(() => page.locator("img[src='x']").count()).toBe(0)
  })

  it("a charge that is not the seller's says so", async () => {
    const other = await makeCharge(clientOf(await cockpit.seller()))
    const page = await cockpit.open(`/app/charges/${other.id}`, {
      as: await cockpit.seller(),
      allows: refusals,
    })
    await page.getByText("Não encontrado").waitFor()
  })
})
