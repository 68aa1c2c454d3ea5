import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openStage, type Seller, type Stage } from "../e2e/support/stage.ts"
import { launchChromium, whyNoChromium } from "../support/chromium.ts"
import { axe } from "../web/support/cockpit.ts"

const title = `/docs/try in Chromium${whyNoChromium === undefined ? "" : ` (skipped: ${whyNoChromium})`}`

describe.skipIf(whyNoChromium !== undefined)(title, () => {
  let stage: Stage
  let seller: Seller
  let browser: Browser
  beforeAll(async () => {
    stage = await openStage()
    seller = await stage.newSeller()
    browser = await launchChromium()
  })
  afterAll(async () => {
    await browser?.close()
    await stage?.close()
  })

  /** A page of /docs, and what is wrong with it: console errors (a violated policy is one), requests to other origins. */
  const openDocs = async (width: number, height: number, colorScheme: "light" | "dark" = "light") => {
    const page = await browser.newPage({ viewport: { width, height }, colorScheme })
    const wrong: Array<string> = []
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) wrong.push(message.text())
    })
    page.on("pageerror", (error) => wrong.push(String(error)))
    page.on("request", (request) => {
      const url = request.url()
      if (!url.startsWith(stage.service.url) && !/^(?:data|blob):/.test(url)) wrong.push(url)
    })
    await page.goto(`${stage.service.url}/docs/try`)
    await page.getByRole("heading", { name: "In ten minutes" }).waitFor()
    return { page, wrong }
  }

  /** How far the page scrolls sideways, in pixels. */
  const overflow = (page: Page): Promise<number> =>
    page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")

  it("/docs/try finds a route by its words, and makes a charge with a test key", async () => {
    const { page, wrong } = await openDocs(1280, 900)
    await page.getByPlaceholder("Token").first().fill(seller.keys.test)
    await page.keyboard.press("Control+k")
    await page.keyboard.type("create a pix charge")
    await page.getByRole("option", { name: "/v1/transactions" }).first().click()
    await page.getByRole("heading", { name: "Create a Pix charge" }).first().waitFor()
    expect(page.url()).toContain("transactions")
    await page
      .getByRole("button", { name: /test request.*post \/v1\/transactions/is })
      .first()
      .click()
    const answered = page.waitForResponse(
      (response) => response.request().method() === "POST" && response.url().endsWith("/v1/transactions"),
    )
    await page.getByRole("button", { name: /^send/i }).first().click()
    const answer = await answered
    expect(answer.status()).toBe(201)
    const made = (await answer.json()) as { readonly id: string }
    expect((await seller.test.get(`/v1/transactions/${made.id}`)).status).toBe(200)
    expect(await overflow(page)).toBe(0)
    expect(wrong).toEqual([])
    await page.close()
  })

  it("no text of /docs/try is too faint to read, in both themes, at its beginning and at an operation", async () => {
    for (const colorScheme of ["light", "dark"] as const) {
      const { page, wrong } = await openDocs(1280, 900, colorScheme)
      const faint = async () => (await axe(page)).filter((fault) => fault.startsWith("color-contrast"))
      expect([colorScheme, await faint()]).toEqual([colorScheme, []])
      await page.goto(`${stage.service.url}/docs/try#tag/transactions/POST/v1/transactions`)
      await page.getByRole("heading", { name: "Create a Pix charge" }).first().waitFor()
      expect([colorScheme, await faint()]).toEqual([colorScheme, []])
      expect(wrong).toEqual([])
      await page.close()
    }
  })

  it("the keyboard scrolls the code blocks of /docs/try, at its beginning and at an operation", async () => {
    const { page, wrong } = await openDocs(1280, 900)
    const unreached = async () =>
      (await axe(page)).filter((fault) => fault.startsWith("scrollable-region-focusable"))
    await expect.poll(unreached, { timeout: 20_000 }).toEqual([])
    await page.goto(`${stage.service.url}/docs/try#tag/transactions/POST/v1/transactions`)
    await page.getByRole("heading", { name: "Create a Pix charge" }).first().waitFor()
    const blocks = page.getByRole("region", { name: "Code example" })
    await expect.poll(() => blocks.count(), { timeout: 20_000 }).toBeGreaterThan(0)
    await expect.poll(unreached, { timeout: 20_000 }).toEqual([])
    await blocks.first().focus()
    expect(await page.evaluate("document.activeElement.getAttribute('aria-label')")).toBe("Code example")
    expect(wrong).toEqual([])
    await page.close()
  })

  it("on a phone nothing of /docs and the pages below it scrolls sideways", async () => {
    const { page, wrong } = await openDocs(390, 844)
    expect(await overflow(page)).toBe(0)
    for (const hash of ["#tag/transactions/POST/v1/transactions", "#tag/events/GET/v1/events"]) {
      await page.goto(`${stage.service.url}/docs/try${hash}`)
      await page
        .getByRole("button", { name: /test request/i })
        .first()
        .waitFor()
      expect(await overflow(page)).toBe(0)
    }
    for (const path of ["/docs", "/docs/events", "/docs/plain"]) {
      await page.goto(`${stage.service.url}${path}`)
      await page.getByRole("heading").first().waitFor()
      await page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
      expect(await overflow(page)).toBe(0)
    }
    expect(wrong).toEqual([])
    await page.close()
  })
})
