import type { Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, expect, it } from "vitest"
import type { SellerPerson } from "../e2e/support/accountPeople.ts"
import { makeCharge } from "../e2e/support/charges.ts"
import type { ErrorBody } from "../e2e/support/client.ts"
import { clientsOf } from "../e2e/support/stage.ts"
import { type Cockpit, describePages, expectLooksRight, openCockpit } from "./support/cockpit.ts"

describePages("the page of developers", () => {
  let cockpit: Cockpit
  let seller: SellerPerson
  let page: Page
  beforeAll(async () => {
    cockpit = await openCockpit({ SIMULATOR_DELAY_MS: "600000" })
    seller = await cockpit.seller()
    page = await cockpit.open("/app/developers", { as: seller })
  })
  afterAll(() => cockpit?.close())
  afterEach(() => expect(cockpit.complaints()).toEqual([]))

  const rows = () => page.getByTestId("api-key-row")
  const chargeWith = async (key: string) => {
    const { test } = clientsOf(cockpit.stage.service.url, { keys: { test: key, live: key } })
    return (await test.get("/v1/balance")).status
  }
  const create = async (name: string): Promise<string> => {
    await page.getByTestId("api-key-create").click()
    await page.getByTestId("dialog").getByTestId("name-input").fill(name)
    await page.keyboard.press("Enter")
    const secret = (await page.getByTestId("secret-once").textContent()) ?? ""
    return secret
  }

  it("a key is made by its name, shown once, and works; the list has it without its secret", async () => {
    const before = await rows().count()
    const hostile = `<b>Loja</b> ${"x".repeat(50)}`
    const secret = await create(hostile)
    expect(secret).toMatch(/^sk_test_[\w-]{43}$/)
    await expectLooksRight(page, "developers-secret")
    await page.keyboard.press("Escape")
    await expect.poll(() => page.getByTestId("secret-once").count()).toBe(1)
    await page.getByTestId("secret-done").click()
    await expect.poll(() => rows().count()).toBe(before + 1)
    await expect.poll(() => page.getByTestId("secret-once").count()).toBe(0)
    expect(await page.content()).not.toContain(secret)
    await expect.poll(() => rows().first().textContent()).toContain(hostile)
    expect(await chargeWith(secret)).toBe(200)
    await expectLooksRight(page, "developers")
  })

  it("a key is made for chosen acts and addresses, and the list says which, and where it was last used", async () => {
    await page.getByTestId("api-key-create").click()
    const dialog = page.getByTestId("dialog")
    await dialog.getByTestId("name-input").fill("Conciliação")
    await dialog.getByTestId("key-access-chosen").check()
    await dialog.getByTestId("submit").click()
    await expect
      .poll(() => dialog.getByTestId("form-error").textContent())
      .toContain("Escolha ao menos uma permissão.")
    const scope = (name: string) => dialog.locator(`[data-testid="key-scope"][value="${name}"]`)
    for (const name of ["charges:read", "withdrawals:write", "withdrawals:read", "balance:read"])
      await scope(name).check()
    await scope("withdrawals:write").uncheck()
    await dialog.getByTestId("key-addresses").fill("127.0.0.0/8\n203.0.113")
    await dialog.getByTestId("submit").click()
    await expect.poll(() => dialog.getByTestId("form-error").textContent()).toContain("Confira os endereços")
    expect(cockpit.complaints().every((line) => line.includes("400"))).toBe(true)
    await expectLooksRight(page, "developers-key-access")
    await dialog.getByTestId("key-addresses").fill("127.0.0.0/8\n203.0.113.0/24\n2001:db8::/32\n")
    await dialog.getByTestId("submit").click()
    const secret = (await page.getByTestId("secret-once").textContent()) ?? ""
    await page.getByTestId("secret-done").click()
    const row = rows().filter({ hasText: "Conciliação" })
    await row.getByText("Cobranças: ler · Saques: ler · Saldo: ler").waitFor()
    await row.getByText("Só de 3 endereços").click()
    await row.getByText("2001:db8::/32").waitFor()
    expect(await chargeWith(secret)).toBe(200)
    const { test } = clientsOf(cockpit.stage.service.url, { keys: { test: secret, live: secret } })
    expect((await test.get("/v1/ledger")).status).toBe(403)
    await expect
      .poll(
        async () => {
          await page.reload()
          return row.textContent()
        },
        { timeout: 20_000 },
      )
      .toContain("127.0.0.1")
    await row.getByText("Só de 3 endereços").click()
    await expectLooksRight(page, "developers-keys")
  })

  it("a key that is made without choosing may do everything, from anywhere", async () => {
    await create("Sem limites")
    await page.getByTestId("secret-done").click()
    const row = rows().filter({ hasText: "Sem limites" })
    await row.getByText("Acesso total").waitFor()
    expect(await row.textContent()).not.toContain("Só de")
  })

  it("a rotated key is shown once too, and the old one says when it ends", async () => {
    const old = await create("Trocada")
    await page.getByTestId("secret-done").click()
    const row = rows().filter({ hasText: "Trocada" }).first()
    await row.getByRole("button", { name: "Trocar" }).click()
    await page.getByTestId("dialog").getByTestId("submit").click()
    await page.getByTestId("secret-once").waitFor()
    const next = (await page.getByTestId("secret-once").textContent()) ?? ""
    await page.getByTestId("secret-done").click()
    expect(next).not.toBe(old)
    expect([await chargeWith(old), await chargeWith(next)]).toEqual([200, 200])
    await rows().filter({ hasText: "Termina em" }).waitFor()
  })

  it("a key is revoked once that is confirmed, and not before", async () => {
    const secret = await create("Revogada")
    await page.getByTestId("secret-done").click()
    const row = rows().filter({ hasText: "Revogada" })
    const press = () => row.getByRole("button", { name: "Revogar" }).click()
    await press()
    await page.getByTestId("dialog").getByRole("button", { name: "Cancelar" }).click()
    expect(await chargeWith(secret)).toBe(200)
    await press()
    await page.getByTestId("dialog").getByTestId("submit").click()
    await expect.poll(() => row.count()).toBe(0)
    expect(await chargeWith(secret)).toBe(401)
  })

  it("the eleventh key is refused in words, in its dialog", async () => {
    for (let count = await rows().count(); count < 13; count++) {
      await page.getByTestId("api-key-create").click()
      await page.getByTestId("dialog").getByTestId("name-input").fill(`key ${count}`)
      await page.getByTestId("dialog").getByTestId("submit").click()
      await page.locator('[data-testid="secret-once"], [data-testid="form-error"]').waitFor()
      if ((await page.getByTestId("form-error").count()) > 0) break
      await page.getByTestId("secret-done").click()
    }
    await expect.poll(() => page.getByTestId("form-error").textContent()).not.toBe("")
    expect(cockpit.complaints().every((line) => line.includes("409"))).toBe(true)
    await page.keyboard.press("Escape")
    await expect.poll(() => page.getByTestId("dialog").count()).toBe(0)
  })

  const requests = () => page.getByTestId("request-row")
  const requestOf = (id: string) => page.locator(`[data-testid="request-row"][data-id="${id}"]`)
  /** Presses the button that reads the log again until a request is there. */
  const untilShown = (id: string) =>
    expect
      .poll(async () => {
        await page.getByRole("button", { name: "Atualizar" }).click()
        return requestOf(id).count()
      })
      .toBe(1)
  const asked = (id: string) => ({ headers: { "X-Request-Id": id } })

  it("a seller without requests is told what will be here", async () => {
    const newcomer = await cockpit.open("/app/developers", { as: await cockpit.seller(), locale: "en-US" })
    await newcomer.getByText("No requests in the last 7 days").waitFor()
    expect(await newcomer.getByTestId("request-status-filter").count()).toBe(0)
    await newcomer.close()
  })

  it("each request is shown with its answer, key and duration, opens to the rest, and those of live are apart", async () => {
    const { test, live } = clientsOf(cockpit.stage.service.url, seller)
    const given = { headers: { "Idempotency-Key": "pedido-4711" }, body: { amount: "<b>1</b>" } }
    const refused = (await test.post<ErrorBody>("/v1/transactions", given)).body.error
    await test.request("GET", "/v1/transactions/txn_01KA0000000000000000000000", asked("req_of_missing"))
    await test.request("GET", "/v1/balance", asked("req_of_balance"))
    await untilShown("req_of_balance")
    expect(await requestOf("req_of_balance").textContent()).toMatch(/200.*GET \/v1\/balance.*\d+ ms/)
    expect(await requestOf("req_of_missing").textContent()).toContain("GET /v1/transactions/{id}")
    expect(await page.getByTestId("request-details").count()).toBe(0)
    const row = requestOf(refused.request_id)
    expect(await row.textContent()).toContain("validation_failed · amount")
    await row.getByRole("button", { name: "POST /v1/transactions" }).click()
    const details = page.getByTestId("request-details")
    for (const text of [refused.request_id, "pedido-4711", "127.0.0.1", refused.message])
      expect(await details.textContent()).toContain(text)
    await expectLooksRight(page, "developers-requests")
    await row.getByRole("button", { name: "POST /v1/transactions" }).click()
    expect(await details.count()).toBe(0)
    await live.request("GET", "/v1/balance", asked("req_of_live_mode"))
    await page.getByTestId("mode-live").click()
    await untilShown("req_of_live_mode")
    expect(await requestOf("req_of_balance").count()).toBe(0)
    await page.getByTestId("mode-test").click()
  })

  it("the log is narrowed to errors and to a key, which the address keeps, and reads on", async () => {
    const { test } = clientsOf(cockpit.stage.service.url, seller)
    for (let i = 0; i < 12; i++) await test.get(`/v1/transactions?limit=none${i}`)
    await test.request("GET", "/v1/transactions?limit=none", asked("req_of_newest_error"))
    await untilShown("req_of_newest_error")
    await page.getByTestId("request-status-filter").selectOption("2xx")
    await expect.poll(() => requestOf("req_of_balance").count()).toBe(1)
    expect(await requestOf("req_of_newest_error").count()).toBe(0)
    await page.getByTestId("request-status-filter").selectOption("error")
    await expect.poll(() => requestOf("req_of_newest_error").count()).toBe(1)
    expect(new URL(page.url()).searchParams.get("status")).toBe("error")
    expect(await requestOf("req_of_balance").count()).toBe(0)
    const shown = await requests().count()
    await page.getByRole("button", { name: "Mostrar mais" }).click()
    await expect.poll(() => requests().count()).toBeGreaterThan(shown)
    const unused = (await rows().first().getAttribute("data-id")) ?? ""
    await page.getByTestId("request-key-filter").selectOption(unused)
    await page.getByText("Nenhuma requisição com estes filtros").waitFor()
    await page.getByRole("button", { name: "Limpar filtros" }).click()
    await expect.poll(() => requests().count()).toBeGreaterThan(0)
    expect(new URL(page.url()).search).toBe("")
  })

  it("the first charge of the page can be copied and works; live mode has keys of its own", async () => {
    const snippet = (await page.locator(".snippet").first().textContent()) ?? ""
    expect(snippet).toContain(`${cockpit.stage.service.url}/v1/transactions`)
    const body = JSON.parse(/-d '(?<body>\{[\s\S]*\})'/.exec(snippet)?.groups?.body ?? "")
    const { test } = clientsOf(cockpit.stage.service.url, seller)
    expect((await makeCharge(test, body)).amount).toBe(12_990)
    await page.getByTestId("tab-python").click()
    expect(await page.locator(".snippet").first().textContent()).toContain("urllib.request")
    for (const name of ["Referência da API", "Catálogo de eventos", "OpenAPI 3.1"]) {
      const href = await page.getByRole("link", { name }).getAttribute("href")
      expect((await fetch(cockpit.stage.service.url + href)).status).toBe(200)
    }
    await page.getByTestId("mode-live").click()
    await expect.poll(() => rows().count()).toBe(1)
    await page.getByText("sk_live_…").waitFor()
    await page.getByTestId("mode-test").click()
  })
})
