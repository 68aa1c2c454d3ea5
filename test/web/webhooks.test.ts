import type { Page } from "playwright-core"
import { Webhook } from "standardwebhooks"
import { afterAll, afterEach, beforeAll, expect, it } from "vitest"
import type { SellerPerson } from "../e2e/support/accountPeople.ts"
import { makeCharge } from "../e2e/support/charges.ts"
import { clientsOf, receiverSettings } from "../e2e/support/stage.ts"
import { behaviours, startTlsReceiver, type TlsReceiver } from "../support/tlsReceiver.ts"
import { type Cockpit, describePages, expectLooksRight, openCockpit, ready } from "./support/cockpit.ts"
import { confirmStepUp, endStepUp } from "./support/stepUp.ts"

/** Chromium itself reports every refusal. */
const refusals = [/Failed to load resource.* (400|403|404|409) /]
const hostile = `<img src=x onerror=alert(1)> \u200fשלום ${"W".repeat(120)}`

/** As long as a customer's name can be. */
const payer = hostile.slice(0, 120)

describePages("the pages of webhooks", () => {
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

  /** A page of webhooks of a new seller. */
  const opened = async (path = "/app/webhooks") => {
    receiver.respondWith(behaviours.respond(200))
    const seller = await cockpit.seller()
    return { seller, page: await cockpit.open(path, { as: seller, allows: refusals }) }
  }

  const goTo = async (page: Page, path: string) => {
    await page.goto(cockpit.stage.service.url + path)
    await ready(page)
  }

  /** Creates an endpoint by the form, at a path of its own at the receiver; answers its secret. */
  const createEndpoint = async (page: Page, events: ReadonlyArray<string>, description = "") => {
    const url = `${receiver.origin}/${crypto.randomUUID()}`
    await page.getByTestId("endpoint-create").click()
    const dialog = page.getByTestId("dialog")
    await dialog.getByTestId("endpoint-url").fill(url)
    await dialog.getByTestId("endpoint-description").fill(description)
    await dialog.getByTestId("endpoint-preset-all").check()
    if (!events.includes("*")) {
      await dialog.getByTestId("endpoint-preset-choose").check()
      for (const type of events)
        await dialog.locator(`[data-testid="endpoint-event"][value="${type}"]`).check()
    }
    await dialog.getByTestId("submit").click()
    const secret = (await page.getByTestId("secret-once").textContent()) ?? ""
    return { secret, path: new URL(url).pathname }
  }

  const openEndpoint = async (page: Page, tab: "overview" | "deliveries" | "settings" = "overview") => {
    await page.getByTestId("endpoint-row").getByRole("link").first().click()
    await page.getByTestId("endpoint-status").waitFor()
    await openTab(page, tab)
  }

  const openTab = (page: Page, tab: "overview" | "deliveries" | "settings") =>
    page.getByTestId(`tab-${tab}`).click()

  /** What a page does every 30 s and more seldom is never done from now on. */
  const withoutSlowClocks = (page: Page) =>
    page.evaluate(`{
      const { setInterval } = window
      window.setInterval = (act, millis) => millis < 30_000 ? setInterval(act, millis) : 0
    }`)

  /** A charge that a test control pays; its `transaction.paid` is what endpoints get. */
  const pay = async (seller: SellerPerson) => {
    const client = clientsOf(cockpit.stage.service.url, seller).test
    const { id } = await makeCharge(client, {
      customer: { name: payer, email: "ana@example.com", document: "529.982.247-25" },
    })
    await client.post(`/v1/test/transactions/${id}/pay`)
    return id
  }

  const requestsAt = (path: string) => receiver.requests.filter((request) => request.path === path)

  it("deliveries that none of the newest is are sought in older pages, and not said to be none before the end", async () => {
    const { page } = await opened()
    // By their cursors, since the page reads again by itself what it has read.
    const asked = new Set<number>()
    const pagesMax = 10
    await page.route(/\/v1\/me\/webhook-deliveries\?/, (route) => {
      const number = Number(new URL(route.request().url()).searchParams.get("cursor") ?? "0")
      asked.add(number)
      return route.fulfill({
        json: { data: [], next_cursor: number === pagesMax ? null : String(number + 1) },
      })
    })
    await goTo(page, "/app/deliveries?state=failed")
    await page.getByText("Nada entre os mais recentes").waitFor({ timeout: 30_000 })
    await expect.poll(() => asked.size).toBe(pagesMax)
    await page.getByRole("button", { name: "Mostrar mais" }).click()
    await page.getByText("Nenhuma entrega com estes filtros").waitFor({ timeout: 30_000 })
    await page.context().close()
  })

  it("a seller with nothing is told what an endpoint is", async () => {
    const { page } = await opened()
    await page.getByText("Nenhum endpoint ainda").waitFor()
    await expectLooksRight(page, "webhooks-empty")
    await page.getByTestId("all-deliveries").click()
    await page.getByText("Nenhuma entrega ainda").waitFor()
    await page.context().close()
  })

  it("an endpoint is made after a step-up, and its secret, shown once, verifies what arrives", async () => {
    const { seller, page } = await opened()
    await endStepUp(cockpit.stage, page)
    await page.getByTestId("endpoint-create").click()
    const dialog = page.getByTestId("dialog")
    expect(await dialog.getByTestId("endpoint-preset-payments").isChecked()).toBe(true)
    await page.setViewportSize({ width: 1280, height: 900 })
    for (const preset of ["choose", "payments"]) {
      await dialog.getByTestId(`endpoint-preset-${preset}`).check()
      expect(await dialog.evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)).toBe(0)
      await expectLooksRight(page, `endpoint-dialog-${preset}`)
    }
    const path = `/${crypto.randomUUID()}`
    await dialog.getByTestId("endpoint-url").fill(receiver.origin + path)
    await dialog.getByTestId("endpoint-preset-all").check()
    await dialog.getByTestId("endpoint-preset-choose").check()
    await dialog.getByTestId("submit").click()
    await expect
      .poll(() => dialog.getByTestId("form-error").textContent())
      .toBe("Escolha ao menos um evento.")
    await dialog.locator('[data-testid="endpoint-event"][value="transaction.paid"]').check()
    await dialog.getByTestId("endpoint-description").fill(hostile)
    await dialog.getByTestId("submit").click()
    await confirmStepUp(page, seller)
    const secret = (await page.getByTestId("secret-once").textContent()) ?? ""
    expect(secret).toMatch(/^whsec_[A-Za-z0-9]{43}$/)
    await page.keyboard.press("Escape")
    await page.keyboard.press("Escape")
    await expect.poll(() => page.getByTestId("secret-once").isVisible()).toBe(true)
    await expectLooksRight(page, "secret-dialog")
    await page.getByTestId("secret-done").click()
    await expect.poll(() => page.getByTestId("secret-once").count()).toBe(0)
    await page.getByTestId("endpoint-row").waitFor()

    await pay(seller)
    await expect.poll(() => requestsAt(path).length, { timeout: 60_000 }).toBe(1)
    const [request] = requestsAt(path)
    const event = new Webhook(secret).verify(request?.rawBody ?? "", { ...request?.headers })
    expect(event).toMatchObject({
      type: "transaction.paid",
      data: { object: { customer: { name: payer } } },
    })
    await expect.poll(() => page.getByTestId("endpoint-row").textContent()).toContain("100%")
    await expectLooksRight(page, "webhooks")

    await openEndpoint(page, "deliveries")
    const row = page.locator('[data-testid="delivery-row"][data-status="success"]')
    await row.waitFor()
    await row.getByRole("link").click()
    await page.getByTestId("tab-sent").click()
    await page.getByTestId("delivery-payload").waitFor()
    await expect.poll(() => page.getByTestId("delivery-payload").textContent()).toContain("\\u200f")
    await expect.poll(() => page.getByTestId("delivery-signed-content").textContent()).toContain("\u200f")
    await expect.poll(() => page.getByTestId("delivery-retry").count()).toBe(0)
    await expectLooksRight(page, "delivery-success")
    await page.context().close()
  })

  it("a failing endpoint says so before any log, and why is found; once its receiver is mended, sent again it arrives", async () => {
    const { seller, page } = await opened()
    const { path } = await createEndpoint(page, ["transaction.paid"])
    await page.getByTestId("secret-done").click()
    receiver.respondWith(behaviours.respond(500, "<b>database is down</b>"))
    await pay(seller)
    const card = page.getByTestId("endpoint-row")
    await expect.poll(() => card.textContent()).toMatch(/0% · 6 falhas em 24 h/)
    expect(await card.getByRole("img").getAttribute("aria-label")).toBe(
      "Últimas 24 horas: 0 entregues, 6 falhas",
    )
    expect(await card.getByRole("heading").textContent()).toBe(`${new URL(receiver.origin).host}${path}`)
    await expectLooksRight(page, "webhooks-failing")
    await card.getByRole("link", { name: "Corrigir" }).click()

    const dead = page.locator('[data-testid="delivery-row"][data-status="dead"]')
    await dead.waitFor()
    expect(new URL(page.url()).search).toBe("?tab=deliveries&state=failed")
    expect(await page.getByTestId("delivery-row").count()).toBe(1)
    expect(await dead.textContent()).toMatch(
      /6 tentativas, nenhuma recebida.*Falhou \(6 de 6\).*HTTP 500 · \d+ ms/,
    )
    await expectLooksRight(page, "endpoint-deliveries-failing")
    await dead.getByRole("link").click()
    const panel = page.getByTestId("delivery-panel")
    await expect.poll(() => panel.getByTestId("attempt").count()).toBe(6)
    await expect
      .poll(() => panel.getByTestId("delivery-answer").textContent())
      .toBe("<b>database is down</b>")
    await expectLooksRight(page, "delivery-panel")
    await panel.getByTestId("attempt").first().click()
    await expect.poll(() => panel.getByTestId("delivery-status").textContent()).toBe("Esta tentativa falhou")
    await panel.getByTestId("attempt").last().click()
    await expect.poll(() => panel.getByTestId("delivery-status").textContent()).toBe("Falhou (6 de 6)")
    await panel.getByTestId("tab-again").click()
    await expect
      .poll(() => panel.getByTestId("delivery-curl").textContent())
      .toContain(`'${receiver.origin}${path}'`)
    await page.keyboard.press("Escape")
    await expect.poll(() => panel.count()).toBe(0)
    expect(await dead.getByRole("link").evaluate((link) => link === document.activeElement)).toBe(true)

    const desk = await cockpit.open("/app/admin/deliveries", { as: await cockpit.operator() })
    expect(await desk.getByTestId("dead-row").first().locator(".seller-link").first().textContent()).toBe(
      "Loja",
    )
    await expectLooksRight(desk, "admin-deliveries-dead")
    await desk.context().close()

    await page.setViewportSize({ width: 390, height: 844 })
    await dead.getByRole("link").click()
    await expect.poll(() => page.getByTestId("delivery-status").getAttribute("data-status")).toBe("dead")
    expect(page.url()).toContain("/app/deliveries/whd_")
    await expectLooksRight(page, "delivery-dead")
    receiver.respondWith(behaviours.respond(200))
    await page.getByTestId("delivery-retry").click()
    await expect
      .poll(() => page.getByTestId("delivery-status").getAttribute("data-status"), { timeout: 60_000 })
      .toBe("success")
    await expect.poll(() => page.getByTestId("attempt").count()).toBe(7)
    await expect.poll(() => page.getByTestId("delivery-retry").count()).toBe(0)
    await page.context().close()
  })

  it("deliveries are filtered, walked through by j and k, and sent again, those chosen or all that failed", async () => {
    const { seller, page } = await opened()
    const { path } = await createEndpoint(page, ["*"])
    await page.getByTestId("secret-done").click()
    receiver.respondWith(behaviours.respond(503))
    for (let count = 0; count < 3; count++) await pay(seller)
    await openEndpoint(page, "deliveries")
    const rows = page.getByTestId("delivery-row")
    const dead = page.locator('[data-testid="delivery-row"][data-status="dead"]')
    await expect.poll(() => dead.count(), { timeout: 60_000 }).toBe(3)

    await page.getByTestId("delivery-code-filter").selectOption("503")
    await page.getByTestId("delivery-type-filter").selectOption("transaction.paid")
    await page.getByTestId("delivery-state-filter").selectOption("failed")
    await expect
      .poll(() => new URL(page.url()).search)
      .toBe("?tab=deliveries&code=503&type=transaction.paid&state=failed")
    await page.reload()
    await ready(page)
    await expect.poll(() => rows.count()).toBe(3)
    await page.getByTestId("delivery-type-filter").selectOption("transaction.refunded")
    await page.getByText("Nenhuma entrega com estes filtros").waitFor()
    await page.getByRole("button", { name: "Limpar filtros" }).click()
    await expect.poll(() => rows.count()).toBe(3)

    const ids = await rows.evaluateAll((all) => all.map((row) => row.dataset.id))
    const open = () => new URL(page.url()).searchParams.get("delivery")
    await page.keyboard.press("j")
    await page.keyboard.press("j")
    await page.keyboard.press("Enter")
    await page.getByTestId("delivery-panel").waitFor()
    await expect.poll(open).toBe(ids[1])
    await page.keyboard.press("j")
    await expect.poll(open).toBe(ids[2])
    await page.keyboard.press("j")
    await expect.poll(open).toBe(ids[2])
    await page.keyboard.press("k")
    await page.keyboard.press("k")
    await expect.poll(open).toBe(ids[0])
    await page.keyboard.press("Escape")

    receiver.respondWith(behaviours.respond(200))
    const before = requestsAt(path).length
    await rows.nth(1).getByRole("checkbox").check()
    await expectLooksRight(page, "endpoint-deliveries-chosen")
    await page.getByTestId("resend-chosen").click()
    await expect.poll(() => requestsAt(path).length - before, { timeout: 60_000 }).toBe(1)
    await expect.poll(() => dead.count()).toBe(2)
    await expect
      .poll(() => page.getByTestId("resend-all").textContent())
      .toBe("Reenviar todas as que falharam (2)")
    await page.getByTestId("resend-all").click()
    await expect
      .poll(() => page.getByTestId("resend-count").textContent())
      .toContain("2 entregas serão enviadas de novo.")
    expect(requestsAt(path).length - before).toBe(1)
    await page.getByTestId("dialog").getByTestId("submit").click()
    await page.getByText("2 novas tentativas na fila").waitFor()
    await expect.poll(() => requestsAt(path).length - before, { timeout: 60_000 }).toBe(3)
    await expect.poll(() => dead.count()).toBe(0)
    await expect.poll(() => page.getByTestId("resend-all").count()).toBe(0)
    await page.setViewportSize({ width: 390, height: 844 })
    const heights = await rows.evaluateAll((all) =>
      all.map((row) => Math.round(row.getBoundingClientRect().height)),
    )
    expect(new Set(heights)).toEqual(new Set([64]))
    await page.context().close()
  })

  it("what cannot be sent to a disabled destination is not recorded as tried again, and the destination can be enabled there", async () => {
    const { seller, page } = await opened()
    const { path } = await createEndpoint(page, ["transaction.paid"])
    await page.getByTestId("secret-done").click()
    receiver.respondWith(behaviours.respond(500))
    for (let count = 0; count < 2; count++) await pay(seller)
    await openEndpoint(page, "deliveries")
    const rows = page.getByTestId("delivery-row")
    await expect.poll(() => page.getByText("Falhou (6 de 6)").count(), { timeout: 60_000 }).toBe(2)
    await openTab(page, "overview")
    const failure = page.getByTestId("last-failure")
    expect(await failure.locator("..").textContent()).toContain("HTTP 500")
    await openTab(page, "settings")
    await page.getByTestId("endpoint-disable").click()
    await page.getByTestId("dialog").getByTestId("submit").click()
    await page.getByTestId("endpoint-disabled").waitFor()

    await goTo(page, "/app/deliveries")
    await expect.poll(() => rows.first().textContent()).toContain(`${new URL(receiver.origin).host}${path}`)
    receiver.respondWith(behaviours.respond(200))
    const before = requestsAt(path).length
    const attempts = () => rows.locator(".attempt-dots .visually-hidden").allTextContents()
    await page.getByTestId("resend-all").click()
    const disabled = page.getByTestId("resend-disabled")
    await expect.poll(() => disabled.textContent()).toContain("2 entregas não podem ser enviadas.")
    await expectLooksRight(page, "deliveries-resend-disabled")
    await page.getByTestId("dialog").getByTestId("submit").click()
    await page.getByText("Marque um destino para ativar, ou cancele.").waitFor()
    await page.keyboard.press("Escape")
    expect(await attempts()).toEqual(Array(2).fill("6 tentativas, nenhuma recebida"))

    await rows.first().getByRole("link").click()
    const panel = page.getByTestId("delivery-panel")
    await panel.getByText("O destino está desativado: nada seria enviado.").waitFor()
    await expect.poll(() => panel.getByTestId("delivery-retry").textContent()).toBe("Ativar e reenviar")
    await expectLooksRight(page, "delivery-disabled")
    await page.keyboard.press("Escape")
    expect(requestsAt(path).length).toBe(before)

    await page.getByTestId("resend-all").click()
    await disabled.getByTestId("resend-enable").check()
    await expect
      .poll(() => page.getByTestId("dialog").getByTestId("submit").textContent())
      .toBe("Ativar e reenviar 2")
    await page.getByTestId("dialog").getByTestId("submit").click()
    await expect.poll(() => requestsAt(path).length - before, { timeout: 60_000 }).toBe(2)
    await expect
      .poll(() => page.locator('[data-testid="delivery-row"][data-status="success"]').count(), {
        timeout: 60_000,
      })
      .toBe(2)
    await page.context().close()
  })

  it("pings and test events of any type tell how they went", async () => {
    const { page } = await opened()
    const { path } = await createEndpoint(page, ["withdrawal.failed"])
    await page.getByTestId("secret-done").click()
    await openEndpoint(page)
    await page.getByTestId("endpoint-ping").click()
    await page.getByText("Entrega de teste: Entregue. Respondeu 200").waitFor()
    await page.getByTestId("endpoint-test").click()
    await page.getByTestId("test-event-type").selectOption("refund.failed")
    await page.getByTestId("dialog").getByTestId("submit").click()
    await page.getByText("Evento de teste: nada aconteceu de verdade.").waitFor()
    const types = requestsAt(path).map(({ body }) => (JSON.parse(body) as { readonly type: string }).type)
    expect(types).toEqual(["ping", "refund.failed"])
    await page.context().close()
  })

  it("a replaced secret signs beside the old one, and both verify", async () => {
    const { seller, page } = await opened()
    const { secret, path } = await createEndpoint(page, ["*"])
    await page.getByTestId("secret-done").click()
    await openEndpoint(page, "settings")
    await expectLooksRight(page, "endpoint-settings")
    await page.getByTestId("endpoint-rotate").click()
    await page.getByTestId("dialog").getByTestId("submit").click()
    const next = (await page.getByTestId("secret-once").textContent()) ?? ""
    expect(next).not.toBe(secret)
    await page.getByTestId("secret-done").click()
    await pay(seller)
    await expect.poll(() => requestsAt(path).length, { timeout: 60_000 }).toBeGreaterThan(0)
    const [request] = requestsAt(path)
    for (const key of [secret, next])
      expect(() => new Webhook(key).verify(request?.rawBody ?? "", { ...request?.headers })).not.toThrow()
    await page.context().close()
  })

  it("what failed, and what was missed while the endpoint was disabled, is recovered", async () => {
    const { seller, page } = await opened()
    const { path } = await createEndpoint(page, ["transaction.paid"])
    await page.getByTestId("secret-done").click()
    await openEndpoint(page, "deliveries")
    receiver.respondWith(behaviours.respond(500))
    await pay(seller)
    await page.locator('[data-testid="delivery-row"][data-status="dead"]').waitFor()
    await openTab(page, "settings")
    await page.getByTestId("endpoint-disable").click()
    await page.getByTestId("dialog").getByTestId("submit").click()
    await page.getByTestId("endpoint-disabled").waitFor()
    await openTab(page, "overview")
    await expect.poll(() => page.getByTestId("banner-recover").textContent()).toBe("Ativar e recuperar 1")
    await expectLooksRight(page, "endpoint-disabled")
    await pay(seller)
    receiver.respondWith(behaviours.respond(200))
    await page.getByTestId("banner-ping").click()
    await page.getByText("Entrega de teste: Entregue. Respondeu 200").waitFor()
    const before = requestsAt(path).length
    await page.getByTestId("banner-recover").click()
    await page.getByTestId("recover-since").waitFor()
    await expectLooksRight(page, "recover-dialog")
    await page.getByTestId("dialog").getByTestId("submit").click()
    await page.getByText("Entregas na fila de envio: 1. Eventos perdidos que serão enviados: 1.").waitFor()
    await expect.poll(() => page.getByTestId("endpoint-disabled").count()).toBe(0)
    await expect.poll(() => requestsAt(path).length - before, { timeout: 60_000 }).toBe(2)
    await withoutSlowClocks(page)
    await openTab(page, "deliveries")
    await openTab(page, "overview")
    const plotted = () => page.locator(".plot-legend").first().textContent()
    await expect.poll(plotted).toMatch(/Entregues 2.*Falhas 6/)
    await expectLooksRight(page, "endpoint-history")
    await page.getByTestId("history-range").selectOption("month")
    const days = page.getByRole("table", { name: "Tentativas por resultado" }).locator("tbody tr")
    await expect.poll(() => days.count()).toBe(30)
    await expect.poll(plotted).toMatch(/Entregues 2.*Falhas 6/)
    await expectLooksRight(page, "endpoint-history-month")
    await page.context().close()
  })

  it("a disabled endpoint counts all deliveries that failed, and its dialog begins with the first of them", async () => {
    const { seller, page } = await opened()
    const { path } = await createEndpoint(page, ["transaction.paid"])
    await page.getByTestId("secret-done").click()
    receiver.respondWith(behaviours.respond(500))
    for (let i = 0; i < 3; i++) await pay(seller)
    const client = clientsOf(cockpit.stage.service.url, seller).test
    const dead = async () =>
      (await client.get<{ data: ReadonlyArray<unknown> }>("/v1/webhook-deliveries?status=dead")).body.data
    await expect.poll(async () => (await dead()).length, { timeout: 60_000 }).toBe(3)
    // As if they had more attempts than one answer of the API has.
    await page.route(/\/v1\/me\/webhook-deliveries\?/, (route) =>
      route.continue({ url: route.request().url().replace("limit=100", "limit=5") }),
    )
    await openEndpoint(page, "settings")
    await page.getByTestId("endpoint-disable").click()
    await page.getByTestId("dialog").getByTestId("submit").click()
    await expect.poll(() => page.getByTestId("banner-recover").textContent()).toBe("Ativar e recuperar 3")
    await page.getByTestId("banner-recover").click()
    const count = page.getByTestId("recover-count")
    expect(await count.textContent()).toBe("3 entregas falharam neste período.")
    await expectLooksRight(page, "recover-dialog-counted")
    const since = await page.getByTestId("recover-since").inputValue()
    await page.getByTestId("recover-since").fill("2099-01-01T00:00")
    await expect.poll(() => count.textContent()).toBe("Nenhuma entrega falhou neste período.")
    await page.getByTestId("recover-since").fill(since)
    receiver.respondWith(behaviours.respond(200))
    const before = requestsAt(path).length
    await page.getByTestId("dialog").getByTestId("submit").click()
    await page.getByText("Entregas na fila de envio: 3.").waitFor()
    await expect.poll(() => requestsAt(path).length - before, { timeout: 60_000 }).toBe(3)
    await page.context().close()
  })

  it("where the test clock is ahead, the page of an endpoint says which of its times follow it", async () => {
    const { seller, page } = await opened()
    await createEndpoint(page, ["transaction.paid"])
    await page.getByTestId("secret-done").click()
    await openEndpoint(page, "settings")
    expect(await page.getByTestId("real-clock").count()).toBe(0)
    const client = clientsOf(cockpit.stage.service.url, seller).test
    expect((await client.post("/v1/test/clock/advance", { body: { seconds: 172_800 } })).status).toBe(200)
    await pay(seller)
    await page.reload()
    await ready(page)
    await page.getByTestId("real-clock").getByText("hora real").waitFor()
    await expectLooksRight(page, "endpoint-real-clock")
    await openTab(page, "overview")
    await page.getByTestId("real-clock").getByText("relógio de teste").waitFor()
    await page.context().close()
  })

  it("an endpoint is changed, shows what waits for its turn, and is deleted", async () => {
    const { seller, page } = await opened()
    const { path } = await createEndpoint(page, ["transaction.paid"], hostile)
    await page.getByTestId("secret-done").click()
    await openEndpoint(page, "settings")
    await page.getByTestId("endpoint-edit").click()
    const dialog = page.getByTestId("dialog")
    expect(await dialog.getByTestId("endpoint-preset-choose").isChecked()).toBe(true)
    await dialog.getByTestId("endpoint-preset-all").check()
    await dialog.getByTestId("endpoint-ordering").check()
    await dialog.getByTestId("submit").click()
    await expect.poll(() => dialog.count()).toBe(0)
    receiver.respondWith({ kind: "silent" })
    const charge = await pay(seller)
    await expect.poll(() => requestsAt(path).length, { timeout: 60_000 }).toBe(1)
    const client = clientsOf(cockpit.stage.service.url, seller).test
    await client.post(`/v1/test/transactions/${charge}/refund`)
    await openTab(page, "overview")
    await page.getByTestId("waiting-row").first().waitFor()
    await expectLooksRight(page, "endpoint-ordered")
    receiver.respondWith(behaviours.respond(200))
    await openTab(page, "settings")
    await page.getByTestId("endpoint-remove").click()
    await dialog.getByTestId("submit").click()
    await page.getByText("Nenhum endpoint ainda").waitFor()
    await page.context().close()
  })

  it("the postback secret is replaced and the tracker set, changed and removed", async () => {
    const { page } = await opened()
    await page.getByTestId("postback-rotate").click()
    await page.getByTestId("dialog").getByTestId("submit").click()
    await expect.poll(() => page.getByTestId("secret-once").textContent()).toMatch(/^whsec_/)
    await page.getByTestId("secret-done").click()
    await page.getByTestId("tracker-open").click()
    await page.getByTestId("tracker-set").click()
    const dialog = page.getByTestId("dialog")
    await dialog.getByLabel("Endereço").fill(`${receiver.origin}/tracker`)
    await dialog.getByLabel("Cabeçalhos").fill("X-Api-Token: secret-value")
    await dialog.getByTestId("submit").click()
    await page.getByText("X-Api-Token").waitFor()
    await expect.poll(() => page.getByText("secret-value").count()).toBe(0)
    await expectLooksRight(page, "tracker")
    await page.getByTestId("tracker-remove").click()
    await dialog.getByTestId("submit").click()
    await page.getByText("Nenhum rastreador neste modo.").waitFor()
    await page.context().close()
  })

  it("refusals of an endpoint say what is wrong", async () => {
    const { page } = await opened()
    await page.getByTestId("endpoint-create").click()
    const dialog = page.getByTestId("dialog")
    await dialog.getByTestId("endpoint-url").fill("https://127.0.0.1/hook")
    await dialog.getByTestId("submit").click()
    await expect
      .poll(() => dialog.getByTestId("form-error").textContent())
      .toBe(
        "Use um endereço público que exista, em https e na porta 443. Webhooks aceitam também rediss, com um stream.",
      )
    await goTo(page, "/app/deliveries/whd_unknown")
    await page.getByText("Não encontrado.").waitFor()
    await goTo(page, "/app/webhooks/we_unknown")
    await page.getByText("Não encontrado.").first().waitFor()
    await page.context().close()
  })
})
