import type { Page } from "playwright-core"
import { afterAll, describe, expect, it } from "vitest"
import { launchChromium, whyNoChromium } from "../support/chromium.ts"
import { until } from "../support/until.ts"
import { asNpmDoes, isListening, openDemos, portsOf } from "./support/demo.ts"

const demos = openDemos()
afterAll(demos.close)

const linksIn = (output: string) =>
  [...output.matchAll(/http:\/\/127\.0\.0\.1:\d+\/[\w-]{43}(?![\w-])/g)].map(([link]) => link)

const ready = (page: Page) => page.locator('[data-testid="page"][data-ready="true"]').waitFor()

/** What the rows of a kind say of a day: each status once. */
const statusesOf = async (page: Page, testId: string): Promise<ReadonlyArray<string>> => {
  await page.getByTestId(testId).first().waitFor()
  const all = await page
    .getByTestId(testId)
    .evaluateAll((rows) => rows.map((row) => row.getAttribute("data-status") ?? ""))
  return [...new Set(all)]
}

/** In how many hours of the test clock's day something was paid. */
const hoursOfToday = (page: Page): Promise<number> =>
  page.evaluate(async () => {
    const headers = { "X-Mode": "test" }
    const read = async (path: string) => (await fetch(path, { headers })).json()
    const { now } = await read("/v1/me/test/clock")
    const day = new Date(now).toLocaleDateString("en-CA", { timeZone: "America/Sao_Paulo" })
    const series = await read(`/v1/me/series?metric=charges_paid&bucket=hour&from=${day}&to=${day}`)
    return series.data.filter(({ value }: { readonly value: number }) => value > 0).length
  })

const why = whyNoChromium === undefined ? "" : ` (skipped: ${whyNoChromium})`

describe.skipIf(whyNoChromium !== undefined)(`npm run demo -- --stay${why}`, () => {
  it("npm run demo -- --stay ends with a link that signs in once, to a shop with a week and a whole day, and Ctrl-C ends all", async () => {
    const demo = demos.startDemo([...asNpmDoes, "--stay"])
    await until(
      () => `the links:\n${demo.output()}`,
      () => demo.output().includes("Press Enter"),
    )
    const [link = ""] = linksIn(demo.output())
    const dashboard = /the dashboard: (\S+)/.exec(demo.output())?.[1] ?? ""
    const browser = await launchChromium()
    try {
      const page = await (await browser.newContext()).newPage()
      await page.goto(link)
      expect(page.url()).toBe(dashboard)
      await ready(page)
      await page.getByTestId("sign-out").waitFor()
      // A page whose files cannot be used is loaded anew.
      expect(await page.evaluate(() => sessionStorage.length)).toBe(0)
      await page.goto(`${dashboard}/withdrawals`)
      expect(await statusesOf(page, "withdrawal-row")).toEqual(
        expect.arrayContaining(["successful", "failed", "rejected"]),
      )
      await page.goto(`${dashboard}/balance`)
      await page.getByTestId("statement-day").first().waitFor()
      expect(await hoursOfToday(page)).toBeGreaterThanOrEqual(18)
      for (const status of ["paid", "expired", "failed", "refunded", "chargeback"]) {
        await page.goto(`${dashboard}/charges?status=${status}`)
        expect(await statusesOf(page, "charge-row")).toEqual([status])
      }
      await page.goto(`${dashboard}/events`)
      await ready(page)
      const newest = () => page.getByTestId("event-row").first().getAttribute("data-seq")
      const before = Number(await newest())
      await expect.poll(async () => Number(await newest())).toBeGreaterThan(before)

      // Somebody else who finds the link gets nothing; whoever has the terminal gets another.
      const stranger = await (await browser.newContext()).newPage()
      expect((await stranger.goto(link))?.status()).toBe(410)
      demo.child.stdin.write("\n")
      await until("another link", () => linksIn(demo.output()).length > 1)
      await until("a code", () => /asks for one: \d{6}\n/.test(demo.output()))
      await stranger.goto(linksIn(demo.output())[1] ?? "")
      expect(stranger.url()).toBe(dashboard)
    } finally {
      await browser.close()
    }
    demo.child.kill("SIGINT")
    expect(await demo.ended).toBe(0)
    expect(demo.leftOver()).toEqual([])
    const ports = portsOf(demo.output())
    expect(await Promise.all(ports.map(isListening))).toEqual(ports.map(() => false))
  })
})
