import { afterAll, afterEach, beforeAll, expect, it } from "vitest"
import { opsOn } from "../e2e/support/accountPeople.ts"
import { chargeWhen, makeCharge } from "../e2e/support/charges.ts"
import { clientsOf, receiverSettings } from "../e2e/support/stage.ts"
import { startTlsReceiver, type TlsReceiver } from "../support/tlsReceiver.ts"
import { type Cockpit, describePages, expectLooksRight, openCockpit, ready } from "./support/cockpit.ts"
import { allSeqsOf, live, makeEvents, seqsOf } from "./support/feedPages.ts"

const numbers = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, at) => from - at)

describePages("the page of events", () => {
  let cockpit: Cockpit
  let receiver: TlsReceiver
  beforeAll(async () => {
    receiver = await startTlsReceiver({ behaviour: () => ({ kind: "respond", status: 500 }) })
    cockpit = await openCockpit({
      SIMULATOR_DELAY_MS: "600000",
      ...receiverSettings(receiver),
    })
  })
  afterAll(async () => {
    await cockpit?.close()
    await receiver?.close()
  })
  afterEach(() => expect(cockpit.complaints()).toEqual([]))

  it("a seller with nothing is told what would stand here, and then sees the first event come", async () => {
    const seller = await cockpit.seller()
    const page = await cockpit.open("/app/events", { as: seller })
    await page.getByText("Nenhum evento ainda").waitFor()
    await expectLooksRight(page, "events-empty")
    await live(page)
    await makeEvents(cockpit.stage, seller, 1)
    await expect.poll(() => seqsOf(page)).toEqual([1])
    await expect
      .poll(() => page.getByTestId("event-row").getAttribute("data-type"))
      .toBe("transaction.created")
    await page.context().close()
  })

  it("a paused feed stays as it is, and catches up with 600 events without losing or repeating one", async () => {
    const seller = await cockpit.seller()
    await makeEvents(cockpit.stage, seller, 150)
    const page = await cockpit.open("/app/events", { as: seller })
    await live(page)
    await expect.poll(async () => (await seqsOf(page))[0]).toBe(150)
    const pause = page.getByTestId("feed-pause")
    await expect.poll(() => pause.getAttribute("aria-pressed")).toBe("false")
    await pause.click()
    await expect.poll(() => pause.getAttribute("aria-pressed")).toBe("true")
    await makeEvents(cockpit.stage, seller, 600)
    await page.getByText("Eventos novos à espera: 600").waitFor()
    expect((await seqsOf(page))[0]).toBe(150)
    await pause.click()
    await expect.poll(async () => (await seqsOf(page))[0]).toBe(750)
    // The oldest come from the list, page by page.
    await expect.poll(() => allSeqsOf(page, 750)).toEqual(numbers(750, 1))
    expect((await seqsOf(page)).length).toBeLessThan(60)
    await page.context().close()
  })

  it("while somebody reads further down, new events wait above until they are asked for", async () => {
    const seller = await cockpit.seller()
    await makeEvents(cockpit.stage, seller, 60)
    const page = await cockpit.open("/app/events", { as: seller })
    await live(page)
    const list = page.getByRole("listbox")
    await list.evaluate((element) => element.scrollTo(0, 1_040))
    await expect.poll(async () => (await seqsOf(page))[0]).toBe(52)
    const top = () => list.evaluate((element) => element.scrollTop)
    await makeEvents(cockpit.stage, seller, 7)
    const newer = page.getByRole("button", { name: "Mostrar os novos (7)" })
    await newer.waitFor()
    expect([await top(), (await seqsOf(page))[0]]).toEqual([1_040, 52])
    await newer.click()
    await expect.poll(() => seqsOf(page)).toEqual(expect.arrayContaining([67, 60]))
    await expect.poll(() => top()).toBe(0)
    await page.context().close()
  })

  it("types of the address are a filter, for what is there and for what comes", async () => {
    const seller = await cockpit.seller()
    const { test } = clientsOf(cockpit.stage.service.url, seller)
    const charge = await makeCharge(test)
    await test.post(`/v1/test/transactions/${charge.id}/pay`, { body: {} })
    await chargeWhen(test, charge.id, "paid")
    const page = await cockpit.open("/app/events?types=transaction.paid", { as: seller })
    await live(page)
    const types = () =>
      page.getByTestId("event-row").evaluateAll((rows) => rows.map((row) => row.dataset.type))
    await expect.poll(() => types()).toEqual(["transaction.paid"])
    const next = await makeCharge(test)
    await test.post(`/v1/test/transactions/${next.id}/pay`, { body: {} })
    await expect.poll(types).toEqual(["transaction.paid", "transaction.paid"])
    await page.getByRole("button", { name: "Todos" }).click()
    await expect.poll(async () => (await types()).length).toBe(4)
    await page.getByRole("button", { name: "Devoluções" }).click()
    await page.getByText("Nenhum evento desses tipos").waitFor()
    expect(new URL(page.url()).searchParams.get("types")).toBe("refund.*")
    await page.context().close()
  })

  it("types that none of thousands of newer events has are searched for, and further on request", async () => {
    const seller = await cockpit.seller()
    await makeEvents(cockpit.stage, seller, 1)
    const page = await cockpit.open("/app/events", { as: seller })
    await live(page)
    const cursors: Array<string | null> = []
    // As pages are answered that found none among the entries that one examines.
    await page.route(/\/v1\/me\/events\?types=/, async (route) => {
      const url = new URL(route.request().url())
      cursors.push(url.searchParams.get("cursor"))
      if (cursors.length <= 5)
        return route.fulfill({ json: { data: [], next_cursor: String(cursors.length) } })
      url.searchParams.delete("cursor")
      await route.continue({ url: url.href })
    })
    await page.getByRole("button", { name: "Cobranças" }).click()
    await page.getByText("Nada entre os mais recentes").waitFor({ timeout: 30_000 })
    expect(cursors).toEqual([null, "1", "2", "3", "4"])
    await page.getByRole("button", { name: "Mostrar mais" }).click()
    await expect.poll(() => seqsOf(page), { timeout: 30_000 }).toEqual([1])
    expect(cursors[5]).toBe("5")
    await expect.poll(() => page.getByRole("button", { name: "Mostrar mais" }).count()).toBe(0)
    await page.context().close()
  })

  it("a type that does not exist is refused in words, and all events are one press away", async () => {
    const seller = await cockpit.seller()
    await makeEvents(cockpit.stage, seller, 1)
    const page = await cockpit.open("/app/events?types=nothing.*", { as: seller, allows: [/400/] })
    await expect.poll(() => page.getByRole("alert").textContent()).not.toBe("")
    await page.getByRole("button", { name: "Todos" }).click()
    await expect.poll(() => seqsOf(page)).toEqual([1])
    await page.context().close()
  })

  it("an event opens with its JSON, its resource and its deliveries, by a press, by keys and by its address", async () => {
    const seller = await cockpit.seller()
    const { test } = clientsOf(cockpit.stage.service.url, seller)
    const name = `<img src=x> مريم ${"x".repeat(90)}`
    await opsOn(
      { service: cockpit.stage.service, settings: receiverSettings(receiver) },
      ...["endpoint", "create", "--seller", seller.sellerId, "--mode", "test"],
      ...["--url", `${receiver.origin}/hook`, "--events", "transaction.paid"],
    )
    const customer = { name, email: "mario@example.com", document: "529.982.247-25" }
    const charge = await makeCharge(test, { customer })
    await test.post(`/v1/test/transactions/${charge.id}/pay`, { body: {} })
    const page = await cockpit.open("/app/events", { as: seller })
    const paid = page.locator('[data-testid="event-row"][data-type="transaction.paid"]')
    await paid.click()
    const id = (await paid.getAttribute("data-id")) ?? ""
    expect(new URL(page.url()).searchParams.get("id")).toBe(id)
    await page.getByTestId("delivery-row").first().waitFor()
    await expect
      .poll(() => page.getByTestId("delivery-row").first().getAttribute("data-status"))
      .toBe("failed")
    await expect
      .poll(() => page.getByRole("link", { name: charge.id }).getAttribute("href"))
      .toBe(`/app/charges/${charge.id}`)
    const json = (await page.locator(".event-json").textContent()) ?? ""
    expect(JSON.parse(json)).toMatchObject({ id, data: { object: { customer: { name } } } })
    await expect.poll(() => page.locator("img[src='x']").count()).toBe(0)
    await expectLooksRight(page, "events-detail")

    await page.getByRole("button", { name: "Fechar o evento" }).click()
    await page.getByRole("listbox").focus()
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    await page.getByText("Evento interno").waitFor()

    await page.goto(`${cockpit.stage.service.url}/app/events?id=${id}&types=refund.*`)
    await ready(page)
    await page.getByText(charge.id).first().waitFor()
    await page.context().close()
  })

  it("an event that is not kept is told of in words", async () => {
    const seller = await cockpit.seller()
    const page = await cockpit.open("/app/events?id=evt_00000000000000000000000000", {
      as: seller,
      allows: [/404/],
    })
    await page.getByText("Não encontrado.").waitFor()
    await page.context().close()
  })

  it("a burst of 1,000 events keeps the document small, ends exact, and every look is right", async () => {
    const seller = await cockpit.seller()
    const page = await cockpit.open("/app/events", { as: seller })
    await live(page)
    let most = 0
    let isDone = false
    const watching = (async () => {
      while (!isDone) most = Math.max(most, (await seqsOf(page)).length)
    })()
    await makeEvents(cockpit.stage, seller, 1_000)
    await expect.poll(async () => (await seqsOf(page))[0]).toBe(1_000)
    isDone = true
    await watching
    expect(most).toBeLessThan(60)
    await expect.poll(() => allSeqsOf(page, 1_000)).toEqual(numbers(1_000, 1))
    await expectLooksRight(page, "events")
    await page.context().close()
  })
})
