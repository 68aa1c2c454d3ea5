import { PNG } from "pngjs"
import { afterAll, afterEach, beforeAll, expect, it } from "vitest"
import { makeCharge } from "../e2e/support/charges.ts"
import { clientsOf } from "../e2e/support/stage.ts"
import { type Cockpit, describePages, expectLooksRight, openCockpit } from "./support/cockpit.ts"

/** A ring of two colours, 96 by 40 pixels. */
const picture = (): Buffer => {
  const image = new PNG({ width: 96, height: 40 })
  for (let at = 0; at < image.data.length; at += 4) {
    image.data.set((at / 4) % 96 < 48 ? [122, 60, 255, 255] : [255, 176, 32, 255], at)
  }
  return PNG.sync.write(image)
}

describePages("the looks of payment pages", () => {
  let cockpit: Cockpit
  beforeAll(async () => {
    cockpit = await openCockpit({ SIMULATOR_DELAY_MS: "600000" })
  })
  afterAll(() => cockpit?.close())
  afterEach(() => expect(cockpit.complaints()).toEqual([]))

  it("a seller gives them a logo and a colour, which payers see", async () => {
    const seller = await cockpit.seller()
    const page = await cockpit.open("/app/settings", { as: seller })
    await page.getByTestId("brand-change").click()
    const dialog = page.getByTestId("dialog")
    const file = (bytes: Buffer) => ({ name: "logo.png", mimeType: "image/png", buffer: bytes })
    await dialog.getByTestId("brand-logo").setInputFiles(file(Buffer.alloc(16_385)))
    await dialog.getByTestId("submit").click()
    await expect.poll(() => dialog.getByTestId("form-error").textContent()).toContain("PNG de até 16 KB")
    await dialog.getByTestId("brand-logo").setInputFiles(file(picture()))
    await dialog.getByTestId("brand-own-color").check()
    await dialog.getByTestId("brand-color").fill("#7a3cff")
    await expectLooksRight(page, "brand-dialog")
    await dialog.getByTestId("submit").click()
    await page.getByText("#7a3cff").waitFor()
    await expectLooksRight(page, "settings-brand")

    const charge = await makeCharge(clientsOf(cockpit.stage.service.url, seller).test)
    const payment = await page.context().newPage()
    cockpit.watch(payment)
    await payment.goto(charge.payment_url)
    await payment.getByTestId("pay-logo").waitFor()
    const colour = payment.locator("#copy").evaluate((button) => getComputedStyle(button).backgroundColor)
    expect(await colour).toBe("rgb(122, 60, 255)")
    await expectLooksRight(payment, "pay-brand")
    await page.context().close()
  })
})
