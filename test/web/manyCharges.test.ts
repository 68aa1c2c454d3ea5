import type { Locator, Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, expect, it } from "vitest"
import { fillCharges } from "../../bench/support/filler.ts"
import type { Transaction } from "../../schema/resources/transaction.ts"
import type { SellerPerson } from "../e2e/support/accountPeople.ts"
import { chargeWhen, makeCharge } from "../e2e/support/charges.ts"
import { type Client, readAll } from "../e2e/support/client.ts"
import { clientsOf } from "../e2e/support/stage.ts"
import { type Cockpit, describePages, expectLooksRight, openCockpit } from "./support/cockpit.ts"

/** Beside the one that is sought. */
const others = 3_000
const pageSize = 25
const pagesDeep = 20

describePages("the pages of a seller with thousands of charges", () => {
  let cockpit: Cockpit
  let seller: SellerPerson
  let client: Client
  /** The oldest of all: the only one that is paid, and that customer's only one. */
  let oldest: Transaction
  /** All ids, newest first, as the API lists them. */
  let ids: ReadonlyArray<string>
  /** Of the one session that all tabs share: each sign-in takes a new code, of which there is one in 30 seconds. */
  let home: Page
  beforeAll(async () => {
    cockpit = await openCockpit({ SIMULATOR_DELAY_MS: "600000" })
    const { service } = cockpit.stage
    seller = await cockpit.seller()
    client = clientsOf(service.url, seller).test
    const customer = { name: "Zuleica Prado", email: "zuleica@example.com", document: "529.982.247-25" }
    const { id } = await makeCharge(client, { customer })
    await client.post(`/v1/test/transactions/${id}/pay`)
    oldest = await chargeWhen(client, id, "paid")
    await fillCharges(
      { redis: { url: service.redisUrl }, apiKey: seller.keys.test, encryptionKey: service.encryptionKey },
      others,
    )
    ids = (await readAll<Transaction>(client, "/v1/transactions", "limit=100")).map((charge) => charge.id)
    home = await cockpit.open("/app", { as: seller })
  }, 300_000)
  afterAll(() => cockpit?.close())
  afterEach(() => expect(cockpit.complaints()).toEqual([]))

  const rowsOf = (page: Page) =>
    page.getByTestId("charge-row").evaluateAll((all) => all.map((row) => row.dataset.id))

  /** The charges among what the search found, which customers come before. */
  const chargesOf = (hits: Locator) =>
    hits.evaluateAll((all) => all.map((hit) => hit.dataset.id).filter((id) => id?.startsWith("txn_")))

  it("the list of the API has every charge once, and the sought one last", () => {
    expect(ids).toHaveLength(others + 1)
    expect(new Set(ids).size).toBe(others + 1)
    expect(ids.at(-1)).toBe(oldest.id)
  })

  it("the home page tells the one payment among thousands of charges that nobody has paid yet", async () => {
    await home.getByText("1 de 1 encerrada").waitFor()
    await home
      .getByText(/^1 paga/)
      .first()
      .waitFor()
    await expectLooksRight(home, "home-many")
  })

  it("the list begins with the newest and reads on page by page, in order and without a repetition", async () => {
    const page = await cockpit.open("/app/charges", { beside: home })
    await expect.poll(() => rowsOf(page)).toEqual(ids.slice(0, pageSize))
    for (let pages = 2; pages <= pagesDeep; pages++) {
      await page.locator(".more button").click()
      await expect.poll(() => page.getByTestId("charge-row").count()).toBe(pages * pageSize)
    }
    expect(await rowsOf(page)).toEqual(ids.slice(0, pagesDeep * pageSize))
    await page.close()
  })

  it("a status that one charge in thousands has, and the search of its customer, find the oldest one", async () => {
    const page = await cockpit.open("/app/charges?status=paid", { beside: home })
    await expect.poll(() => rowsOf(page)).toEqual([oldest.id])
    expect(await page.locator(".more button").count()).toBe(0)
    await expectLooksRight(page, "charges-many-paid")
    await page.keyboard.press("/")
    const input = page.getByTestId("search-input")
    const hits = page.getByTestId("search-result")
    for (const text of ["zuleica@example.com", oldest.pix.txid, oldest.id]) {
      await input.fill(text)
      await expect.poll(() => chargesOf(hits)).toEqual([oldest.id])
      await input.fill("")
      await expect.poll(() => hits.count()).toBe(0)
    }
    await page.close()
  })

  it("a status of thousands shows the newest of them", async () => {
    const page = await cockpit.open("/app/charges?status=pending", { beside: home })
    await expect.poll(() => rowsOf(page)).toEqual(ids.slice(0, pageSize))
    await page.locator('.status-tab[data-status="pending"][aria-pressed="true"]').getByText("3.000").waitFor()
    await page.close()
  })

  it("the search of a customer with thousands of charges finds the newest twenty", async () => {
    const page = await cockpit.open("/app/charges", { beside: home })
    const hits = page.getByTestId("search-result")
    await page.keyboard.press("/")
    await page.getByTestId("search-input").fill("maria.souza@example.com")
    await expect.poll(() => chargesOf(hits)).toEqual(ids.slice(0, 20))
    await page.close()
  })
})
