import type { Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, expect, it } from "vitest"
import { partitionOfId } from "../../schema/ids.ts"
import { dayBefore } from "../../web/src/text/today.ts"
import type { SellerPerson } from "../e2e/support/accountPeople.ts"
import { makeCharge } from "../e2e/support/charges.ts"
import { payNow } from "../e2e/support/refunds.ts"
import { clientsOf } from "../e2e/support/stage.ts"
import { withdraw } from "../e2e/support/withdrawals.ts"
import { makePixKey } from "../support/pixKey.ts"
import { type Cockpit, describePages, expectLooksRight, openCockpit, ready } from "./support/cockpit.ts"
import { live, makeEvents } from "./support/feedPages.ts"

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

  const amountOf = async (page: Page, testId: string) =>
    Number(await page.getByTestId(testId).getAttribute("data-amount"))

  it("a seller with nothing is told the next step, and sees what happens without a reload", async () => {
    const seller = await cockpit.seller()
    const page = await cockpit.open("/app", { as: seller })
    const steps = page.getByTestId("first-steps")
    expect(await steps.textContent()).toContain("2 de 4 passos: crie uma cobrança de teste")
    await expectLooksRight(page, "home-empty")
    const client = clientOf(seller)
    const { id } = await makeCharge(client)
    await expect.poll(() => steps.getAttribute("data-next")).toBe("webhook")
    await client.post(`/v1/test/transactions/${id}/pay`)
    await page.locator('.ticker [data-type="transaction.paid"]').waitFor()
    expect(await page.locator(".ticker li").first().textContent()).toContain("Ana Souza")
    await expect.poll(() => amountOf(page, "received")).toBe(12_990)
    await expect.poll(() => amountOf(page, "available")).toBe(12_990)
    await page.getByText("1 de 1 encerrada").waitFor()
    await expectLooksRight(page, "home")
    await steps.getByRole("button").click()
    await steps.waitFor({ state: "detached" })
    await page.reload()
    await ready(page)
    expect(await steps.count()).toBe(0)
    await page.context().close()
  })

  it("events change the figures without a request, in a burst too", async () => {
    const seller = await cockpit.seller()
    const page = await cockpit.open("/app", { as: seller })
    await live(page)
    // Opened again while the stream is, it need not read anew what came before the stream.
    await page.getByRole("link", { name: "Cobranças" }).first().click()
    await page.getByTestId("charge-create").waitFor()
    await page.getByRole("link", { name: "Início" }).first().click()
    await page.getByText("Nada aconteceu ainda").waitFor()
    await ready(page)
    const asked: Array<string> = []
    page.on("request", (request) => asked.push(new URL(request.url()).pathname))
    await makeEvents(cockpit.stage, seller, 20)
    await page.locator(".ticker li").nth(5).waitFor()
    const { id } = await makeCharge(clientOf(seller))
    await clientOf(seller).post(`/v1/test/transactions/${id}/pay`)
    await expect.poll(() => amountOf(page, "received")).toBe(12_990)
    await expect.poll(() => amountOf(page, "available")).toBe(12_990)
    expect(asked.filter((path) => !path.endsWith("/stats") && !path.endsWith("webhook-endpoints"))).toEqual(
      [],
    )
    await page.context().close()
  })

  it("what needs the seller stands under today's figure, and leads to where it is dealt with", async () => {
    const seller = await cockpit.seller()
    const client = clientOf(seller)
    for (const act of ["pay", "chargeback"]) {
      const charge =
        act === "pay" ? await makeCharge(client, { amount: 50_000 }) : await payNow(client, 12_990)
      await client.post(`/v1/test/transactions/${charge.id}/${act}`)
    }
    const key = await makePixKey(
      cockpit.stage,
      { id: seller.sellerId, partition: partitionOfId(seller.sellerId) ?? 0 },
      "test",
    )
    await withdraw(client, key, 5_000)
    const page = await cockpit.open("/app", { as: seller })
    const needs = page.locator("[data-need]")
    expect(await needs.evaluateAll((all) => all.map((one) => [one.dataset.need, one.textContent]))).toEqual([
      ["disputes", "1 contestação em 7 dias, R$\u00a0129,90"],
      ["withdrawals", "1 saque aguarda aprovação"],
    ])
    const figure = (name: string) =>
      page.getByRole("region", { name }).locator(".money").getAttribute("data-amount")
    expect([await figure("Devolvido"), await figure("Contestado")]).toEqual(["0", "12990"])
    await expectLooksRight(page, "home-needs")
    const read = await page.locator("main").ariaSnapshot()
    const places = [
      'heading "Início"',
      'region "Recebido hoje"',
      'navigation "Precisa de você"',
      'region "Primeiros passos"',
      'table "Recebido por hora"',
      'region "Disponível agora"',
      'region "Indicadores"',
      'heading "Acontecendo agora"',
    ].map((part) => read.indexOf(part))
    expect(places.every((place) => place >= 0)).toBe(true)
    expect(places).toEqual(places.toSorted((a, b) => a - b))
    await needs.first().click()
    await page.getByTestId("page").getByText("Contestada").first().waitFor()
    expect(page.url()).toMatch(/\/app\/charges\/txn_/)
    await page.context().close()
  })

  it("several chargebacks of a week lead to what went back in it, with the reasons", async () => {
    const seller = await cockpit.seller()
    for (const amount of [12_990, 4_990]) {
      const { id } = await payNow(clientOf(seller), amount)
      await clientOf(seller).post(`/v1/test/transactions/${id}/chargeback`)
    }
    const page = await cockpit.open("/app", { as: seller })
    await page.getByRole("link", { name: "2 contestações em 7 dias, R$\u00a0179,80" }).click()
    await expect.poll(() => page.getByTestId("refund-row").count()).toBe(2)
    expect(await page.getByTestId("refund-row").allTextContents()).toEqual(
      Array(2).fill(expect.stringContaining("Contestação")),
    )
    expect(await page.getByLabel("Período").inputValue(), "the week that was counted").toBe("7d")
    await expectLooksRight(page, "home-chargebacks")
    await page.context().close()
  })

  it("counts and adds up all chargebacks of a week, also those behind a hundred refunds", async () => {
    const seller = await cockpit.seller()
    const client = clientOf(seller)
    const { id } = await payNow(client, 12_990)
    await client.post(`/v1/test/transactions/${id}/chargeback`)
    const page = await cockpit.open("/app", { as: seller })
    // As if refunds filled the page that is read.
    await page.route(/\/v1\/me\/refunds\?/, (route) =>
      route.fulfill({ json: { data: [], next_cursor: "older" } }),
    )
    await page.reload()
    await ready(page)
    const need = page.locator('[data-need="disputes"]')
    expect(await need.textContent()).toBe("1 contestação em 7 dias, R$\u00a0129,90")
    expect(await need.getAttribute("href")).toMatch(/\/app\/refunds\?from=[\d-]{10}&to=[\d-]{10}$/)
    const other = await payNow(client, 4_990)
    await client.post(`/v1/test/transactions/${other.id}/chargeback`)
    await expect.poll(() => need.textContent()).toBe("2 contestações em 7 dias, R$\u00a0179,80")
    await page.context().close()
  })

  it("what went back adds up all refunds of the period and all chargebacks, and grows with each", async () => {
    const seller = await cockpit.seller()
    const client = clientOf(seller)
    const page = await cockpit.open("/app", { as: seller })
    await live(page)
    const figure = (name: string) =>
      page.getByRole("region", { name }).locator(".money").getAttribute("data-amount")
    const both = async () => [await figure("Devolvido"), await figure("Contestado")]
    expect(await both()).toEqual(["0", "0"])
    // More than one page of refunds has.
    await Promise.all(
      Array.from({ length: 101 }, async () => {
        const { id } = await payNow(client, 1_000)
        await client.post(`/v1/test/transactions/${id}/refund`)
      }),
    )
    const { id } = await payNow(client, 12_990)
    await client.post(`/v1/test/transactions/${id}/chargeback`)
    await expect.poll(both).toEqual(["101000", "12990"])
    await page.getByRole("button", { name: "7 dias" }).click()
    await page.getByText("nada nos 7 dias anteriores").waitFor()
    await expect.poll(both).toEqual(["101000", "12990"])
    await page.context().close()
  })

  it("all money is above the fold at 1280 × 900, and today's figure within the first 300 px at 390", async () => {
    const seller = await cockpit.seller()
    const page = await cockpit.open("/app", { as: seller })
    const bottoms = () =>
      page
        .locator("main .money")
        .evaluateAll((all) =>
          all
            .filter((one) => one.closest(".ticker") === null)
            .map((one) => one.getBoundingClientRect().bottom + scrollY),
        )
    await page.setViewportSize({ width: 1280, height: 900 })
    expect(Math.max(...(await bottoms()))).toBeLessThanOrEqual(900)
    await page.setViewportSize({ width: 390, height: 844 })
    const box = await page.getByTestId("received").boundingBox()
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(300)
    expect(await page.getByTestId("shop-name").textContent()).not.toBe("")
    await page.context().close()
  })

  it("a test clock that is days ahead decides what today is, from the first look on", async () => {
    const seller = await cockpit.seller()
    const client = clientOf(seller)
    await payNow(client, 5_000)
    await client.post("/v1/test/clock/advance", { body: { seconds: 3 * 86_400 } })
    await payNow(client, 1_234)
    const page = await cockpit.open("/app", { as: seller })
    await page.getByText("+3 d").waitFor()
    await expect.poll(() => amountOf(page, "received")).toBe(1_234)
    await page.getByRole("button", { name: "7 dias" }).click()
    await expect.poll(() => amountOf(page, "received")).toBe(6_234)
    await page.context().close()
  })

  it("the period is kept in the address, and each is compared with the one before", async () => {
    const seller = await cockpit.seller()
    const { id } = await makeCharge(clientOf(seller))
    await clientOf(seller).post(`/v1/test/transactions/${id}/pay`)
    const page = await cockpit.open("/app", { as: seller })
    await page.getByText(/nada n[ao] \S+ \S+ até \d\d:\d\d/).waitFor()
    await page.getByRole("button", { name: "7 dias" }).click()
    await page.getByText("nada nos 7 dias anteriores").waitFor()
    expect(new URL(page.url()).searchParams.get("period")).toBe("7d")
    expect(await amountOf(page, "received")).toBe(12_990)
    expect(await page.getByRole("table", { name: "Recebido por dia" }).getByRole("row").count()).toBe(8)
    await page.reload()
    await page.getByRole("button", { name: "30 dias" }).click()
    await page.getByText("nada nos 30 dias anteriores").waitFor()
    expect(await amountOf(page, "received")).toBe(12_990)
    await expectLooksRight(page, "home-30d")
    await page.context().close()
    const english = await cockpit.open("/app", {
      beside: await cockpit.open("/app/charges", { as: seller, locale: "en-US" }),
    })
    await english.getByText(/1 paid · nothing last \w+ until/).waitFor()
    await expectLooksRight(english, "home-english")
    await english.context().close()
  })

  it("chosen days are kept in the address and compared with as many before, and events leave past ones alone", async () => {
    const seller = await cockpit.seller()
    await payNow(clientOf(seller), 12_990)
    const page = await cockpit.open("/app", { as: seller })
    await live(page)
    await page.getByRole("button", { name: "Personalizado" }).click()
    await page.getByText("nada no dia anterior").waitFor()
    expect(await amountOf(page, "received")).toBe(12_990)
    const end = (name: string) => page.getByLabel(name, { exact: true })
    const today = await end("Até").inputValue()
    expect(await end("De").inputValue()).toBe(today)
    await end("De").fill(dayBefore(today, 9))
    await page.getByText("nada nos 10 dias anteriores").waitFor()
    expect(await page.getByRole("table", { name: "Recebido por dia" }).getByRole("row").count()).toBe(11)
    await expectLooksRight(page, "home-custom")
    await end("Até").fill(dayBefore(today, 1))
    await page.getByText("nada nos 9 dias anteriores").waitFor()
    expect(await amountOf(page, "received")).toBe(0)
    const paid = page.locator('.ticker [data-type="transaction.paid"]')
    const before = await paid.count()
    await payNow(clientOf(seller), 5_000)
    await expect.poll(() => paid.count()).toBe(before + 1)
    expect(await amountOf(page, "received")).toBe(0)
    await page.reload()
    await page.getByText("nada nos 9 dias anteriores").waitFor()
    const asked = new URL(page.url()).searchParams
    expect([asked.get("from"), asked.get("to")]).toEqual([dayBefore(today, 9), dayBefore(today, 1)])
    await end("De").fill(dayBefore(today, 365))
    await page.getByText("o período anterior não é mais guardado").waitFor()
    await page.getByRole("button", { name: "Hoje" }).click()
    await expect.poll(() => amountOf(page, "received")).toBe(17_990)
    expect(new URL(page.url()).search).toBe("")
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
    await page.route(/\/v1\/me\/events\?limit=6$/, async (route) => {
      const response = await route.fetch()
      asked += 1
      if (asked > 1) await opened
      await route.fulfill({ response })
    })
    await page.reload()
    await expect.poll(() => asked, { timeout: 30_000 }).toBeGreaterThan(1)
    await makeCharge(clientOf(seller))
    await page.waitForTimeout(500)
    open()
    await page.waitForTimeout(500)
    await expect.poll(() => page.locator(".ticker li").count(), { timeout: 30_000 }).toBe(1)
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
