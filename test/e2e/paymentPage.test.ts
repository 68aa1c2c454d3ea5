import { readFileSync } from "node:fs"
import { mkdir } from "node:fs/promises"
import { createRequire } from "node:module"
import jsqr from "jsqr"
import type { Browser, BrowserContextOptions, Page } from "playwright-core"
import { PNG } from "pngjs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Transaction } from "../../schema/resources/transaction.ts"
import { sellerKey } from "../../src/store/keys.ts"
import { launchChromium, whyNoChromium } from "../support/chromium.ts"
import { chargeWhen, makeCharge } from "./support/charges.ts"
import { openStage, type Seller, type Stage } from "./support/stage.ts"

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")
const folder = process.env.SCREENSHOTS
const hostileName = `<img src=x onerror=alert(1)>"'\u202eevil\u2066 ${"a".repeat(60)}`

/** Never paid by the simulator. */
const unpaid = { amount: 12_901 }

let stage: Stage
let seller: Seller
let browser: Browser

const urlOf = ({ payment_url }: Transaction): string => {
  if (payment_url === undefined) throw new Error("the charge has no payment_url")
  return payment_url
}

/** A page on which anything that goes wrong is recorded. */
const openPage = async (
  url: string,
  { hasOwnClock = false, ...options }: BrowserContextOptions & { readonly hasOwnClock?: boolean } = {},
) => {
  const context = await browser.newContext({ locale: "pt-BR", ...options })
  const page = await context.newPage()
  // A clock that the test moves ahead.
  if (hasOwnClock) await page.clock.install()
  const faults: Array<string> = []
  const requested: Array<string> = []
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) faults.push(message.text())
  })
  page.on("pageerror", (error) => faults.push(String(error)))
  page.on("request", (request) => requested.push(request.url()))
  await page.goto(url)
  return { page, context, faults, requested }
}

const one = (page: Page, id: string) => page.getByTestId(id)
const statusOf = (page: Page) => one(page, "pay-status").getAttribute("data-status")

const decodeQr = async (page: Page): Promise<string | undefined> => {
  const { data, width, height } = PNG.sync.read(await one(page, "pay-qr").screenshot())
  return jsqr.default(new Uint8ClampedArray(data), width, height)?.data
}

interface Violation {
  readonly id: string
  readonly impact: string
}
const violationsOf = async (page: Page): Promise<ReadonlyArray<Violation>> => {
  await page.evaluate(axe)
  const found = await page.evaluate<ReadonlyArray<Violation>>(
    "axe.run().then(({ violations }) => violations.map(({ id, impact }) => ({ id, impact })))",
  )
  return found.filter(({ impact }) => ["serious", "critical"].includes(impact))
}

const act = async (charge: Transaction, name: string): Promise<void> => {
  const answer = await seller.test.post(`/v1/test/transactions/${charge.id}/${name}`)
  if (answer.status !== 200) throw new Error(answer.text)
}

const sizes = [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
]

const keepPicture = async (page: Page, name: string): Promise<void> => {
  if (folder === undefined) return
  await mkdir(folder, { recursive: true })
  await page.screenshot({ path: `${folder}/pay-${name}.png`, fullPage: true })
}

const reason = whyNoChromium === undefined ? "" : ` (skipped: ${whyNoChromium})`
describe.skipIf(whyNoChromium !== undefined)(`a payment page in Chromium${reason}`, () => {
  beforeAll(async () => {
    stage = await openStage({ SIMULATOR_DELAY_MS: "600000" })
    seller = await stage.newSeller({ name: "Padaria da Ana" })
    browser = await launchChromium()
  })
  afterAll(async () => {
    await browser?.close()
    await stage?.close()
  })

  it("the page shows amount, seller, code and countdown, and turns to paid without a reload", async () => {
    const charge = await makeCharge(seller.test, {
      ...unpaid,
      ...{ reference: "1152", description: "Café especial", show_on_page: true },
      ...{ return_url: "https://shop.example/orders/1152", pix: { expires_in_seconds: 900 } },
    })
    const { page, context, faults, requested } = await openPage(urlOf(charge))
    await page.evaluate("window.sameLoad = true")
    expect(await statusOf(page)).toBe("pending")
    expect(await one(page, "pay-amount").textContent()).toMatch(/R\$\s129,01/)
    expect(await one(page, "pay-seller").textContent()).toBe("Padaria da Ana")
    expect(await one(page, "pay-payload").inputValue()).toBe(charge.pix.payload)
    expect(await decodeQr(page)).toBe(charge.pix.payload)
    expect(await one(page, "pay-order").textContent()).toBe("Café especial · Pedido 1152")
    const first = await one(page, "pay-countdown").textContent()
    expect(first).toMatch(/^1[0-5]:[0-5]\d$/)
    await expect.poll(() => one(page, "pay-countdown").textContent()).not.toBe(first)

    await act(charge, "pay")
    await expect.poll(() => statusOf(page)).toBe("paid")
    expect(await page.evaluate("window.sameLoad")).toBe(true)
    expect(await page.locator(".outcome h2").textContent()).toBe("Pagamento confirmado")
    expect(await one(page, "pay-qr").count()).toBe(0)
    expect(await one(page, "pay-payload").count()).toBe(0)
    expect(await one(page, "pay-countdown").count()).toBe(0)
    // What only the service knows of the payment comes without a reload too.
    const { body: paid } = await seller.test.get<Transaction>(`/v1/transactions/${charge.id}`)
    await expect.poll(() => one(page, "pay-receipt").textContent()).toContain(paid.end_to_end_id)
    expect(await one(page, "pay-return").getAttribute("href")).toBe("https://shop.example/orders/1152")
    expect(await page.getByRole("link", { name: "Ver comprovante" }).isVisible()).toBe(true)

    const { origin } = new URL(urlOf(charge))
    expect(requested.filter((url) => !url.startsWith(`${origin}/`) && !url.startsWith("data:"))).toEqual([])
    expect(faults).toEqual([])
    await context.close()
  })

  it.each([
    ["that is open since before the payment", "refund", "refunded", true],
    ["that was opened after the payment", "refund", "refunded", false],
    ["that was opened after the payment", "chargeback", "chargeback", false],
  ] as const)("a paid page %s turns to what becomes of the money by itself (%s)", async (...of) => {
    const [, name, status, isOpenBefore] = of
    const charge = await makeCharge(seller.test, unpaid)
    if (!isOpenBefore) await act(charge, "pay")
    const { page, context, faults } = await openPage(urlOf(charge), { hasOwnClock: true })
    if (isOpenBefore) await act(charge, "pay")
    await expect.poll(() => statusOf(page)).toBe("paid")
    await one(page, "pay-receipt").waitFor()
    await page.evaluate("window.sameLoad = true")

    await act(charge, name)
    await page.clock.fastForward(30_000)
    await expect.poll(() => statusOf(page)).toBe(status)
    expect(await page.evaluate("window.sameLoad")).toBe(true)
    expect(await page.locator(".outcome h2").textContent()).toContain(
      name === "refund" ? "reembolsado" : "devolvido",
    )
    expect(await one(page, "pay-receipt").count()).toBe(0)
    expect(await violationsOf(page)).toEqual([])
    await keepPicture(page, `turned-${status}-${isOpenBefore ? "since-before" : "since-paid"}`)
    expect(faults).toEqual([])
    await context.close()
  })

  it("a paid page asks what became of the money every 30 s, for ten minutes, and then when it is shown again", async () => {
    const charge = await makeCharge(seller.test, unpaid)
    await act(charge, "pay")
    const { page, context, requested } = await openPage(urlOf(charge), { hasOwnClock: true })
    const asked = () => requested.filter((url) => url.endsWith("/events")).length
    await page.clock.runFor(600_000)
    await expect.poll(asked).toBe(20)
    await page.clock.runFor(3_600_000)
    expect(asked()).toBe(20)

    await act(charge, "refund")
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    await expect.poll(() => statusOf(page)).toBe("refunded")
    // On a busy machine the last of the twenty may be answered only now.
    const askedInAll = asked()
    expect(askedInAll).toBeLessThanOrEqual(21)
    await page.clock.runFor(60_000)
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    await page.clock.runFor(60_000)
    expect(asked()).toBe(askedInAll)
    await context.close()
  })

  it.each(["expire", "fail"] as const)(
    "a charge that cannot be paid any more says so by itself (%s)",
    async (name) => {
      const charge = await makeCharge(seller.test, unpaid)
      const { page, context } = await openPage(urlOf(charge), { locale: "en-US" })
      await act(charge, name)
      await expect.poll(() => statusOf(page)).toBe(`${name}${name === "expire" ? "d" : "ed"}`)
      expect(await one(page, "pay-qr").count()).toBe(0)
      await context.close()
    },
  )

  it("without JavaScript the page has the code, its picture and the expiry, and a reload shows the payment", async () => {
    const charge = await makeCharge(seller.test, unpaid)
    const { page, context, faults } = await openPage(urlOf(charge), { javaScriptEnabled: false })
    expect(await one(page, "pay-payload").textContent()).toBe(charge.pix.payload)
    expect(await decodeQr(page)).toBe(charge.pix.payload)
    expect(await one(page, "pay-countdown").textContent()).toMatch(/^\d{2}\/\d{2}\/\d{4}, \d{2}:\d{2}$/)
    expect(await page.locator("#copy").isVisible()).toBe(false)
    await act(charge, "pay")
    await page.getByRole("link", { name: "recarregue a página" }).click()
    expect(await statusOf(page)).toBe("paid")
    expect(faults).toEqual([])
    await context.close()
  })

  it("a phone shows the copy button first, and the picture and the code once they are unfolded", async () => {
    const charge = await makeCharge(seller.test, unpaid)
    const { page, context } = await openPage(urlOf(charge), { viewport: { width: 390, height: 844 } })
    expect(await page.locator("#scan").textContent()).toBe("Cole o código Pix que você copiou aqui.")
    await page.locator(".qr-fold summary").click()
    await expect.poll(() => page.locator("#scan").textContent()).toContain("Escaneie o QR Code")
    await page.locator(".qr-fold summary").click()
    const copy = await page.locator("#copy").boundingBox()
    expect(copy?.height).toBeGreaterThanOrEqual(52)
    expect(copy?.y).toBeLessThan(500)
    expect(await one(page, "pay-qr").isVisible()).toBe(false)
    expect(await one(page, "pay-payload").isVisible()).toBe(false)
    await page.getByText("ou mostre o QR Code a outra pessoa").click()
    expect(await one(page, "pay-qr").isVisible()).toBe(true)
    await page.setViewportSize({ width: 1280, height: 900 })
    await expect.poll(() => one(page, "pay-qr").isVisible()).toBe(true)
    await page.getByText("Ver o código").click()
    expect(await one(page, "pay-payload").isVisible()).toBe(true)
    await context.close()
  })

  it("the button copies the code and says so", async () => {
    const charge = await makeCharge(seller.test, unpaid)
    const { page, context } = await openPage(urlOf(charge), {
      permissions: ["clipboard-read", "clipboard-write"],
    })
    await page.getByRole("button", { name: "Copiar código Pix" }).click()
    await expect.poll(() => page.locator("#copy").textContent()).toBe("Código copiado")
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(charge.pix.payload)
    await expect.poll(() => page.locator("#copy").textContent()).toBe("Copiar código Pix")
    await context.close()
  })

  it("a page of a service that was away turns to paid once it is back", async () => {
    const charge = await makeCharge(seller.test, unpaid)
    const { page, context } = await openPage(urlOf(charge))
    await stage.service.restart()
    await act(charge, "pay")
    await chargeWhen(seller.test, charge.id, "paid")
    await expect.poll(() => statusOf(page), { timeout: 60_000 }).toBe("paid")
    await context.close()
  })

  const looks = sizes.flatMap((viewport) =>
    (["light", "dark"] as const).map((colorScheme) => ({ viewport, colorScheme })),
  )
  const acts = {
    pending: [],
    paid: ["pay"],
    expired: ["expire"],
    failed: ["fail"],
    refunded: ["pay", "refund"],
    chargeback: ["pay", "chargeback"],
  }

  it.each(looks)(
    "every state is readable by all and fits at $viewport.width px in the $colorScheme theme",
    async ({ viewport, colorScheme }) => {
      const hostile = await stage.newSeller({ name: hostileName })
      const hostileCharge = await makeCharge(hostile.test, { amount: 999_999_999_901 })
      const named = await stage.newSeller({ name: "Loja da Ana" })
      await stage.redis("HSET", sellerKey(named.id), "legal_name", "Ana São João Souza Comércio Ltda")
      const hostileNamed = await stage.newSeller({ name: hostileName })
      await stage.redis("HSET", sellerKey(hostileNamed.id), "legal_name", "L".repeat(120))
      const shots = [
        { name: "hostile", url: urlOf(hostileCharge), locale: "pt-BR" },
        { name: "legal-name", url: urlOf(await makeCharge(named.test)), locale: "pt-BR" },
        { name: "long-legal-name", url: urlOf(await makeCharge(hostileNamed.test)), locale: "en-US" },
      ]
      for (const [name, steps] of Object.entries(acts)) {
        const charge = await makeCharge(seller.test, {
          ...unpaid,
          ...{ reference: "1152", description: "Café especial em grãos, 1 kg", show_on_page: true },
          ...{ return_url: "https://shop.example/orders/1152", pix: { expires_in_seconds: 900 } },
        })
        for (const step of steps) await act(charge, step)
        shots.push({ name, url: urlOf(charge), locale: name === "failed" ? "en-US" : "pt-BR" })
      }
      shots.push({ name: "unknown", url: `${stage.service.url}/pay/garbled`, locale: "pt-BR" })
      for (const { name, url, locale } of shots) {
        const { page, context } = await openPage(url, {
          viewport,
          colorScheme,
          locale,
          reducedMotion: "reduce",
        })
        await keepPicture(page, `${name}-${viewport.width}-${colorScheme}`)
        expect(await violationsOf(page), name).toEqual([])
        const overflow = await page.evaluate("document.documentElement.scrollWidth - innerWidth")
        expect(overflow, name).toBeLessThanOrEqual(0)
        await context.close()
      }
    },
  )

  it("a hostile seller's name is shown as text", async () => {
    const hostile = await stage.newSeller({ name: hostileName })
    const { page, context, faults } = await openPage(urlOf(await makeCharge(hostile.test, unpaid)))
    expect(await one(page, "pay-seller").textContent()).toBe(hostileName)
    expect(await page.locator("bdi img").count()).toBe(0)
    expect(faults).toEqual([])
    await context.close()
  })
})
