import { execFile, spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Transaction } from "../../schema/resources/transaction.ts"
import { chargeSnippets, type SnippetLanguage } from "../../schema/snippets.ts"
import { openStage, type Seller, type Stage } from "../e2e/support/stage.ts"
import { launchChromium, whyNoChromium } from "../support/chromium.ts"
import { axe } from "../web/support/cockpit.ts"

let stage: Stage
let seller: Seller
let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "corrente-snippets-"))
  stage = await openStage({ SIMULATOR_DELAY_MS: "600000" })
  seller = await stage.newSeller()
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await stage?.close()
})

const run = promisify(execFile)
const has = (command: string): boolean => spawnSync(command, ["--version"]).status === 0

/** How each language runs a file. */
const runners: Readonly<
  Record<Exclude<SnippetLanguage, "csharp">, readonly [command: string, file: string]>
> = {
  curl: ["bash", "charge.sh"],
  node: [process.execPath, "charge.mjs"],
  python: ["python3", "charge.py"],
  php: ["php", "charge.php"],
}

const here = Object.entries(runners).filter(([, [command]]) => has(command))
const absent = Object.keys(runners).filter((language) => here.every(([name]) => name !== language))
const skipped = absent.length === 0 ? "" : ` (skipped, for want of what runs them: ${absent.join(", ")})`

describe(`the programs of /docs${skipped}`, () => {
  it.each(here)("that in %s makes a charge", async (language, [command, file]) => {
    const path = join(folder, file)
    const program = chargeSnippets(stage.service.url)[language as SnippetLanguage]
    writeFileSync(path, program.replaceAll("order-1001", `order-${language}`))
    const env = { ...process.env, CORRENTE_API_KEY: seller.keys.test }
    const { stdout } = await run(command, [path], { env })
    expect(stdout).toContain(`${stage.service.url}/pay/`)
    const { body } = await seller.test.get<{ readonly data: ReadonlyArray<Transaction> }>(
      "/v1/transactions?limit=1",
    )
    expect(body.data[0]).toMatchObject({ amount: 12_990, reference: "1001", customer: { name: "Ana Souza" } })
  })
})

describe("/docs", () => {
  it("begins with a key of the dashboard, in the language that the browser prefers", async () => {
    const text = async (path: string, language: string) =>
      (await fetch(stage.service.url + path, { headers: { "Accept-Language": language } })).text()
    for (const [path, language, heading] of [
      ["/docs", "pt-BR", "Cobre com Pix em dez minutos"],
      ["/docs", "fr", "Cobre com Pix em dez minutos"],
      ["/docs", "en-US,en;q=0.9", "Charge with Pix in ten minutes"],
      ["/docs/pt", "en", "Cobre com Pix em dez minutos"],
      ["/docs/en", "pt-BR", "Charge with Pix in ten minutes"],
    ] as const) {
      const page = await text(path, language)
      expect(page).toContain(`<h1>${heading}</h1>`)
      expect(page).toContain(`href="${path === "/docs" ? "" : "../"}app/developers"`)
      expect(page).not.toContain("<script")
      expect(page.length).toBeLessThan(100_000)
    }
    const { headers } = await fetch(`${stage.service.url}/docs`)
    expect(headers.get("vary")).toBe("Accept-Language")
    expect(headers.get("content-security-policy")).toContain("default-src 'none'")
  })

  describe.skipIf(whyNoChromium !== undefined)("in Chromium", () => {
    let browser: Browser
    beforeAll(async () => {
      browser = await launchChromium()
    })
    afterAll(() => browser?.close())

    it.each(["light", "dark"] as const)(
      "every link leads somewhere, a program is chosen without a script, and all can read it (%s)",
      async (colorScheme) => {
        const page = await browser.newPage({ colorScheme, viewport: { width: 1280, height: 900 } })
        const asked: Array<string> = []
        page.on("request", (request) => asked.push(new URL(request.url()).pathname))
        await page.goto(`${stage.service.url}/docs/pt`)
        expect(asked).toEqual(["/docs/pt"])
        const program = (name: string) => page.locator(`[data-of="${name}"]`)
        expect(await program("curl").isVisible()).toBe(true)
        await page.getByText("Python", { exact: true }).click()
        expect(await program("python").isVisible()).toBe(true)
        expect(await program("curl").isVisible()).toBe(false)
        expect(await axe(page)).toEqual([])
        const links = await page.evaluate(() =>
          [...document.querySelectorAll("a")].map(({ href }) => href.split("#")[0] ?? ""),
        )
        for (const link of new Set(links)) expect((await fetch(link)).status, link).toBe(200)
        const anchors = await page.evaluate(() =>
          [...document.querySelectorAll<HTMLAnchorElement>("a[href^='#']")].filter(
            (link) => document.querySelector(link.getAttribute("href") ?? "") === null,
          ),
        )
        expect(anchors).toEqual([])
        for (const path of ["/docs/en", "/docs/plain", "/docs/events"]) {
          await page.goto(stage.service.url + path)
          expect(await axe(page), path).toEqual([])
        }
        await page.close()
      },
    )
  })
})
