import { createServer, type ViteDevServer } from "vite"
import { afterAll, beforeAll, expect, it } from "vitest"
import { axe, type Cockpit, describePages, openCockpit, ready, screenshot } from "./support/cockpit.ts"

const web = new URL("../../web/", import.meta.url).pathname

describePages("the kit, as the development server shows it", () => {
  let cockpit: Cockpit
  let server: ViteDevServer
  let origin: string
  beforeAll(async () => {
    cockpit = await openCockpit()
    server = await createServer({
      root: web,
      configFile: `${web}vite.config.ts`,
      configLoader: "native",
      server: { port: 0, host: "localhost", proxy: { "/v1": { target: cockpit.origin } } },
    })
    await server.listen()
    origin = server.resolvedUrls?.local[0]?.replace(/\/app\/$/, "") ?? ""
  })
  afterAll(async () => {
    await server?.close()
    await cockpit?.close()
  })

  it("shows every part in both themes, without a serious fault, and without scrolling sideways", async () => {
    const page = await cockpit.open("/app/sign-in")
    await page.goto(`${origin}/app/ui`)
    await ready(page)
    const themes = page.locator(".kit-theme")
    expect(await themes.evaluateAll((all) => all.map((one) => one.getAttribute("aria-label")))).toEqual([
      ...["light", "dark"],
    ])
    for (const part of [
      ".table",
      ".facts",
      ".card",
      ".chip",
      ".empty",
      ".form",
      ".status",
      ".moment",
      ".plot",
      ".skeleton",
      ".tabbed",
    ])
      expect(await themes.last().locator(part).count(), part).toBeGreaterThan(0)
    expect(await axe(page)).toEqual([])
    await page.setViewportSize({ width: 390, height: 800 })
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
    expect(await axe(page)).toEqual([])
    await screenshot(page, "kit")
    await page.getByRole("button", { name: "Open a dialog" }).first().click()
    await page.getByTestId("dialog").waitFor()
    expect(await axe(page)).toEqual([])
    await page.context().close()
  })
})
