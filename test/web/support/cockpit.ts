import { createHash } from "node:crypto"
import { mkdirSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import type { AxeResults, RunOptions } from "axe-core"
import type { BrowserContext, Page } from "playwright-core"
import { describe, expect } from "vitest"
import {
  forgetRates,
  makeOperator,
  makeSellerPerson,
  type Person,
  type SellerPerson,
  signInWith2fa,
} from "../../e2e/support/accountPeople.ts"
import { openStage, type Stage } from "../../e2e/support/stage.ts"
import { sharedChromium, whyNoChromium } from "../../support/chromium.ts"
import type { ServiceOptions } from "../../support/service.ts"
import { sizes } from "../../support/sizes.ts"

/** The sizes that every page must look right at. */
export const widths = [1280, 390] as const
export const schemes = ["light", "dark"] as const

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

/** `describe` for tests that drive pages; skipped, with the reason, where there is no Chromium. */
export const describePages = (name: string, run: () => void): void => {
  const reason = whyNoChromium === undefined ? "" : ` (skipped: ${whyNoChromium})`
  describe.skipIf(whyNoChromium !== undefined)(name + reason, { timeout: 300_000 }, run)
}

/** How a tab is opened. */
export interface TabOptions {
  /** Who is signed in, by cookie. Default: nobody. */
  readonly as?: Person
  /** A page of the same browser, whose session, storage and event stream the tab shares. Default: a browser of its own. */
  readonly beside?: Page
  /** Default: 1280. */
  readonly width?: number
  /** Default: `light`. */
  readonly scheme?: (typeof schemes)[number]
  /** Default: `pt-BR`. */
  readonly locale?: "pt-BR" | "en-US"
  /** Complaints that the test expects: a refusal that it provokes, for example. Default: none. */
  readonly allows?: ReadonlyArray<RegExp>
}

/** A running service, and a Chromium that opens its pages. */
export interface Cockpit {
  readonly stage: Stage
  /** Where its pages are. */
  readonly origin: string
  /** A seller's user with 2FA, approved KYC and a key of each mode. */
  readonly seller: () => Promise<SellerPerson>
  /** An operator with 2FA. */
  readonly operator: () => Promise<Person>
  /** Opens a path (`/app/charges`) and waits until its first data are shown. */
  readonly open: (path: string, options?: TabOptions) => Promise<Page>
  /** Listens to the complaints of a page that was opened otherwise, such as a payer's. */
  readonly watch: (page: Page) => void
  /**
   * What pages have complained of so far: errors on the console, exceptions, requests to other origins. A test of pages ends
   * with `expect(cockpit.complaints()).toEqual([])`, best in `afterEach`; what was returned is forgotten.
   */
  readonly complaints: () => ReadonlyArray<string>
  /** For `afterAll`. */
  readonly close: () => Promise<void>
}

/** Waits until the first data of the page are shown. */
export const ready = (page: Page): Promise<void> =>
  page.locator('[data-testid="page"][data-ready="true"]').waitFor()

/** Chromium itself says so of every refusal; a busy service asks pages to come again, and they do. */
const isBusy = /Failed to load resource.* 503 /

const listen = (page: Page, origin: string, allows: ReadonlyArray<RegExp>, found: Array<string>): void => {
  const complain = (text: string) => {
    const line = `${new URL(page.url()).pathname}: ${text}`
    if (![isBusy, ...allows].some((pattern) => pattern.test(line))) found.push(line)
  }
  page.on("console", (message) => {
    const { url } = message.location()
    if (message.type() === "error") complain(`${message.text()} (${url.split("?")[0]})`)
  })
  page.on("pageerror", (error) => complain(String(error)))
  page.on("request", (request) => {
    const { protocol, origin: asked } = new URL(request.url())
    if (asked !== origin && protocol !== "data:" && protocol !== "blob:") complain(`calls ${request.url()}`)
  })
}

/** A session's cookies, made over the API: faster than by the pages, which the tests of signing in go through. */
const signInByCookie = async (
  context: BrowserContext,
  { stage, origin: url }: Pick<Cockpit, "stage" | "origin">,
  person: Person,
): Promise<void> => {
  const browser = await signInWith2fa(stage, person)
  const pairs = browser.cookieHeader().split("; ")
  await context.addCookies(
    pairs.map((pair) => {
      const at = pair.indexOf("=")
      return { name: pair.slice(0, at), value: pair.slice(at + 1), url }
    }),
  )
}

/**
 * Starts the service with settings, for a Chromium. `publicOrigin` is where browsers reach it, if not at the service itself: its
 * certificate is not checked. Close it in `afterAll`.
 */
export const openCockpit = async (
  settings: Readonly<Record<string, string>> = {},
  { publicOrigin, ...options }: ServiceOptions & { readonly publicOrigin?: string } = {},
): Promise<Cockpit> => {
  const stage = await openStage(settings, options)
  const browser = await sharedChromium().catch(async (error: unknown) => {
    await stage.close()
    throw error
  })
  const origin = publicOrigin ?? stage.service.url
  const found: Array<string> = []
  const contexts: Array<BrowserContext> = []

  const newContext = async ({ as, width = 1280, scheme = "light", locale = "pt-BR" }: TabOptions) => {
    const context = await browser.newContext({
      viewport: { width, height: 800 },
      colorScheme: scheme,
      reducedMotion: "reduce",
      locale,
      timezoneId: "America/Sao_Paulo",
      ignoreHTTPSErrors: publicOrigin !== undefined,
    })
    contexts.push(context)
    if (as !== undefined) await signInByCookie(context, { stage, origin }, as)
    return context
  }

  return {
    stage,
    origin,
    seller: () => makeSellerPerson(stage),
    operator: () => makeOperator(stage),
    open: async (path, options = {}) => {
      const context = options.beside?.context() ?? (await newContext(options))
      const page = await context.newPage()
      listen(page, origin, options.allows ?? [], found)
      await page.goto(origin + path)
      await ready(page)
      return page
    },
    watch: (page) => listen(page, origin, [], found),
    complaints: () => found.splice(0),
    close: async () => {
      for (const context of contexts) await context.close()
      await stage.close()
    },
  }
}

/** Signs a person with 2FA in by the pages, as people do: address and password, then the code. */
export const signInByPages = async (
  { stage, origin }: Cockpit,
  page: Page,
  person: Person,
): Promise<void> => {
  await forgetRates(stage)
  await page.goto(`${origin}/app/sign-in`)
  await page.getByTestId("email-input").fill(person.email)
  await page.getByTestId("password-input").fill(person.password)
  await page.getByTestId("submit").click()
  await page.getByTestId("code-input").fill(await person.authenticator.next())
  await page.getByTestId("sign-out").waitFor()
  await ready(page)
}

/** The serious and critical violations that axe-core finds, each with where it is. */
export const axe = async (page: Page): Promise<ReadonlyArray<string>> => {
  // By the debugger, which the policy of the page does not hold for; once a document, since it takes as long as the run.
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axeSource)
  const { violations } = await page.evaluate(() => {
    const { axe } = globalThis as unknown as {
      readonly axe: {
        readonly _audit: { readonly rules: ReadonlyArray<{ readonly id: string; readonly impact: string }> }
        readonly run: (options: RunOptions) => Promise<AxeResults>
      }
    }
    // What a third of the rules finds is never serious: they took a fifth of the time.
    const mild = axe._audit.rules.filter(({ impact }) => impact === "minor" || impact === "moderate")
    const rules = Object.fromEntries(mild.map(({ id }) => [id, { enabled: false }]))
    return axe.run({ resultTypes: ["violations"], rules })
  })
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map(({ target, html }) => `${id}: ${target.join(" ")}: ${html}`))
}

/** The labels of the selects that are too narrow for one of their choices. */
const cutSelects = (page: Page): Promise<ReadonlyArray<string>> =>
  page.evaluate(() =>
    [...document.querySelectorAll("select")]
      .filter((select) => {
        const probe = select.cloneNode(true) as HTMLSelectElement
        probe.style.cssText = "position: absolute; width: max-content; visibility: hidden"
        select.after(probe)
        const wantedWidth = probe.offsetWidth
        probe.remove()
        return select.offsetWidth > 0 && select.offsetWidth < wantedWidth
      })
      .map((select) => select.labels[0]?.textContent ?? select.outerHTML),
  )

/** Where pictures of pages are kept, if they are. */
const folder = process.env.SCREENSHOTS ?? ""

/** Keeps a picture of the whole page as it is now, as `<name>.png` in the folder that SCREENSHOTS names, if it does. */
export const picture = async (page: Page, name: string): Promise<void> => {
  if (folder === "") return
  mkdirSync(folder, { recursive: true })
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true })
}

const looks = widths.flatMap((width) => schemes.map((scheme) => ({ width, scheme })))

/** How a state of a page is looked at: in every look, or with the sample in one, which its name chooses. */
const looksOf = (name: string) => {
  if (sizes.pageLooks === "all" || folder !== "") return looks
  const [byte = 0] = createHash("sha256").update(name).digest()
  return looks.slice(byte % looks.length, (byte % looks.length) + 1)
}

/** Shows the page at every width and in both schemes, or as PAGE_LOOKS says, one after the other; then as at first. */
const inEveryLook = async (
  page: Page,
  name: string,
  see: (look: string, width: number) => Promise<void>,
): Promise<void> => {
  const before = page.viewportSize() ?? { width: 1280, height: 800 }
  for (const { width, scheme } of looksOf(name)) {
    await page.setViewportSize({ width, height: 800 })
    await page.emulateMedia({ colorScheme: scheme })
    await see(`${width}-${scheme}`, width)
  }
  await page.setViewportSize(before)
  await page.emulateMedia({ colorScheme: "light" })
}

/** Keeps a picture of the page at every width and in both schemes, as `<name>-<width>-<scheme>.png`. */
export const screenshot = async (page: Page, name: string): Promise<void> => {
  if (folder !== "") await inEveryLook(page, name, (look) => picture(page, `${name}-${look}`))
}

/**
 * Holds the page, as it is now, to what every page must be at every width and in both schemes: axe-core finds nothing serious,
 * it never scrolls sideways, and no select cuts a choice. Keeps its pictures.
 */
export const expectLooksRight = (page: Page, name: string): Promise<void> =>
  inEveryLook(page, name, async (look, width) => {
    await picture(page, `${name}-${look}`)
    expect([look, await axe(page)]).toEqual([look, []])
    const scrollWidth = await page.evaluate("document.documentElement.scrollWidth")
    expect(scrollWidth, `${name} scrolls sideways at ${look}`).toBeLessThanOrEqual(width)
    expect(await cutSelects(page), `${name} at ${look}`).toEqual([])
  })
