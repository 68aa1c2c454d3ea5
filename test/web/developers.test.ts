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

  it("a refused call is shown with its reason, its field and the name of its key, and those of live apart", async () => {
    const errors = page.getByTestId("request-error-row")
    const { test, live } = clientsOf(cockpit.stage.service.url, seller)
    const refused: Array<string> = []
    for (let i = 0; i < 7; i++) {
      const { body } = await test.post<ErrorBody>("/v1/transactions", { body: { amount: `<b>${i}</b>` } })
      refused.push(body.error.request_id)
    }
    const refresh = page.getByRole("button", { name: "Atualizar" })
    await expect
      .poll(async () => {
        await refresh.click()
        return page.locator(`[data-id="${refused.at(-1)}"]`).count()
      })
      .toBe(1)
    await expect.poll(() => errors.first().textContent()).toContain("POST /v1/transactions")
    expect(await errors.first().textContent()).toContain("missing_idempotency_key")
    const missing = (await test.get<ErrorBody>("/v1/transactions?limit=none")).body.error
    await expect
      .poll(async () => {
        await refresh.click()
        return page
          .locator(`[data-id="${missing.request_id}"]`)
          .textContent()
          .catch(() => "")
      })
      .toMatch(/400.*validation_failed.*limit.*/)
    const shown = await errors.count()
    await page.getByRole("button", { name: "Mostrar os" }).click()
    await expect.poll(() => errors.count()).toBeGreaterThan(shown)
    await expectLooksRight(page, "developers-errors")
    await live.get("/v1/transactions/txn_none")
    await page.getByTestId("mode-live").click()
    await expect.poll(() => page.locator('[data-testid="request-error-row"]').count()).toBeLessThanOrEqual(1)
    expect(await page.locator(`[data-id="${missing.request_id}"]`).count()).toBe(0)
    await page.getByTestId("mode-test").click()
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
