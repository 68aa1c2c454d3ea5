import type { Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, expect, it } from "vitest"
import { makeCharge } from "../e2e/support/charges.ts"
import { clientsOf } from "../e2e/support/stage.ts"
import { drawn } from "../support/pngs.ts"
import { type Cockpit, describePages, expectLooksRight, openCockpit } from "./support/cockpit.ts"

/** A ring of two colours, 96 by 40 pixels. */
const picture = (): Buffer => drawn(96, 40, (x) => (x < 48 ? [122, 60, 255, 255] : [255, 176, 32, 255]))

/** A JPEG of 1,200 by 600 pixels, which Chromium draws. */
const photo = (page: Page): Promise<Buffer> =>
  page
    .evaluate(() => {
      const canvas = document.createElement("canvas")
      canvas.width = 1_200
      canvas.height = 600
      canvas.getContext("2d")?.fillRect(0, 0, 600, 600)
      return canvas.toDataURL("image/jpeg").split(",")[1] ?? ""
    })
    .then((text) => Buffer.from(text, "base64"))

/** A PNG of noise, 1,600 by 1,100 pixels and some megabytes, of which no part is like another. */
const noise = (): Buffer => {
  let state = 1
  const next = () => {
    state = (state * 48_271) % 0x7fffffff
    return state % 256
  }
  return drawn(1_600, 1_100, () => [next(), next(), next(), 255])
}

describePages("the looks of payment pages", () => {
  let cockpit: Cockpit
  beforeAll(async () => {
    cockpit = await openCockpit({ SIMULATOR_DELAY_MS: "600000" })
  })
  afterAll(() => cockpit?.close())
  afterEach(() => expect(cockpit.complaints()).toEqual([]))

  it("a seller gives them a name, a logo and a colour with a preview, and payers see them", async () => {
    const seller = await cockpit.seller()
    const page = await cockpit.open("/app/settings", { as: seller })
    await page.getByTestId("brand-change").click()
    const dialog = page.getByTestId("dialog")
    const file = (bytes: Buffer) => ({ name: "logo.png", mimeType: "image/png", buffer: bytes })
    await dialog.getByTestId("brand-logo").setInputFiles(file(Buffer.alloc(65_537)))
    await dialog.getByTestId("submit").click()
    await expect.poll(() => dialog.getByTestId("form-error").textContent()).toContain("PNG, JPG ou WebP")
    await dialog.getByTestId("brand-logo").setInputFiles(file(picture()))
    await dialog.getByTestId("brand-name").fill("Padaria (Central)")
    await dialog.getByTestId("submit").click()
    await expect.poll(() => dialog.getByTestId("form-error").textContent()).toContain("letras, números")
    await dialog.getByTestId("brand-name").fill("Padaria da Ana")
    await dialog.getByTestId("brand-own-color").check()
    await dialog.getByTestId("brand-color").fill("#ffe600")
    await dialog.getByTestId("brand-pale").waitFor()
    await expectLooksRight(page, "brand-dialog-pale")
    await dialog.getByTestId("submit").click()
    await expect.poll(() => dialog.getByTestId("form-error").textContent()).toContain("clara demais")
    await dialog.getByTestId("brand-darken").click()
    await dialog.getByTestId("brand-pale").waitFor({ state: "detached" })
    await dialog.getByTestId("brand-color").fill("#7a3cff")
    const preview = dialog.getByTestId("brand-preview-light")
    await expect.poll(() => preview.textContent()).toContain("Padaria da Ana")
    const previewed = preview.locator(".brand-button").evaluate((it) => getComputedStyle(it).backgroundColor)
    expect(await previewed).toBe("rgb(122, 60, 255)")
    await expectLooksRight(page, "brand-dialog")
    await dialog.getByTestId("submit").click()
    await page.getByText("#7a3cff").waitFor()
    await expectLooksRight(page, "settings-brand")

    const charge = await makeCharge(clientsOf(cockpit.stage.service.url, seller).test)
    const payment = await page.context().newPage()
    cockpit.watch(payment)
    await payment.goto(charge.payment_url)
    await payment.getByTestId("pay-logo").waitFor()
    await expect.poll(() => payment.getByTestId("pay-seller").textContent()).toContain("Padaria da Ana")
    const colour = payment.locator("#copy").evaluate((button) => getComputedStyle(button).backgroundColor)
    expect(await colour).toBe("rgb(122, 60, 255)")
    await expectLooksRight(payment, "pay-brand")
    await page.context().close()
  })

  it("a photograph and a PNG that is too large are made smaller, and payers see them", async () => {
    const seller = await cockpit.seller()
    const page = await cockpit.open("/app/settings", { as: seller })
    await page.getByTestId("brand-change").click()
    const dialog = page.getByTestId("dialog")
    const heightWith = async (name: string, mimeType: string, buffer: Buffer) => {
      const logo = dialog.locator(".brand-logo").first()
      const before = (await logo.count()) === 0 ? null : await logo.getAttribute("src")
      await dialog.getByTestId("brand-logo").setInputFiles({ name, mimeType, buffer })
      await expect.poll(() => logo.getAttribute("src")).not.toBe(before)
      return logo.evaluate((picture: HTMLImageElement) => picture.naturalHeight)
    }
    const noisy = await heightWith("logo.png", "image/png", noise())
    expect(noisy).toBeGreaterThanOrEqual(40)
    expect(noisy).toBeLessThan(160)
    expect(await heightWith("logo.jpg", "image/jpeg", await photo(page))).toBe(160)
    await dialog.getByTestId("submit").click()
    await dialog.waitFor({ state: "detached" })
    const charge = await makeCharge(clientsOf(cockpit.stage.service.url, seller).test)
    const payment = await page.context().newPage()
    await payment.goto(charge.payment_url)
    const shape = (picture: HTMLImageElement) => [picture.naturalWidth, picture.naturalHeight]
    expect(await payment.getByTestId("pay-logo").evaluate(shape)).toEqual([320, 160])
    await page.context().close()
  })
})
