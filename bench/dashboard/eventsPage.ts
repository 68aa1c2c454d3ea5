import type { Browser, BrowserContext, Page } from "playwright-core"
import { sessionCookieName } from "../../schema/api/security.ts"
import type { DashboardSession } from "../../test/support/dashboard.ts"

/** What a page did while it was watched. */
export interface Watched {
  /** Between consecutive frames, in ms. */
  readonly frames: ReadonlyArray<number>
  /** The lengths of tasks that took 50 ms or more, in ms. */
  readonly longTasks: ReadonlyArray<number>
  /** The most rows of events that were in the document, by looks four times a second. */
  readonly rowsMax: number
}

/** An open page of events. */
export interface EventsPage {
  /** Notes frames and long tasks from now on. */
  readonly watch: () => Promise<void>
  /** Ends that, and tells what was noted. */
  readonly watched: () => Promise<Watched>
  /** Waits for the row of the newest event; whether it came. */
  readonly shows: (eventId: string) => Promise<boolean>
  /** The events of the rows, newest first, gathered by scrolling until there are `count`, or no more come. */
  readonly rows: (count: number) => Promise<ReadonlyArray<string>>
  readonly close: () => Promise<void>
}

/** Longest wait for something of the page. */
const timeoutMillis = 120_000

const watchScript = `(() => {
  const noted = { frames: [], longTasks: [], rowsMax: 0 }
  let isOver = false
  let last
  const note = (now) => {
    if (last !== undefined) noted.frames.push(now - last)
    last = now
    if (!isOver) requestAnimationFrame(note)
  }
  requestAnimationFrame(note)
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) noted.longTasks.push(duration)
  })
  observer.observe({ type: "longtask" })
  const look = () => {
    const { length } = document.querySelectorAll('[data-testid="event-row"]')
    noted.rowsMax = Math.max(noted.rowsMax, length)
  }
  const looks = setInterval(look, 250)
  globalThis.endWatch = () => {
    isOver = true
    clearInterval(looks)
    look()
    for (const { duration } of observer.takeRecords()) noted.longTasks.push(duration)
    observer.disconnect()
    return noted
  }
})()`

/** Steps without a new row after which a list has no more; the page may be reading older ones meanwhile. */
const stillStepsMax = 100

const gatherScript = (count: number): string => `(async () => {
  const list = document.querySelector('[role="listbox"]')
  const found = new Map()
  const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))
  for (let still = 0; list !== null && found.size < ${count} && still < ${stillStepsMax}; still++) {
    const before = found.size
    for (const row of document.querySelectorAll('[data-testid="event-row"]'))
      found.set(Number(row.dataset.seq), row.dataset.id)
    if (found.size > before) still = 0
    list.scrollBy(0, list.clientHeight)
    await frame()
  }
  return [...found].sort(([a], [b]) => b - a).map(([, id]) => id).slice(0, ${count})
})()`

const openContext = async (
  browser: Browser,
  url: string,
  session: DashboardSession,
): Promise<BrowserContext> => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  context.setDefaultTimeout(timeoutMillis)
  await context.addCookies([{ name: sessionCookieName, value: session.token, url }])
  return context
}

const isLive = (page: Page): Promise<void> =>
  page.locator('[data-testid="live-status"][data-state="live"]').waitFor()

/** Opens the page of events in a profile of its own, and waits until it is live. */
export const openEventsPage = async (
  browser: Browser,
  url: string,
  session: DashboardSession,
): Promise<EventsPage> => {
  const context = await openContext(browser, url, session)
  try {
    const page = await context.newPage()
    await page.goto(`${url}/app/events`)
    await page.locator('[data-testid="page"][data-ready="true"]').waitFor()
    await isLive(page)
    return {
      watch: async () => {
        await page.evaluate(watchScript)
      },
      watched: () => page.evaluate<Watched>("endWatch()"),
      shows: (eventId) =>
        page
          .locator(`[data-testid="event-row"][data-id="${eventId}"]`)
          .waitFor()
          .then(
            () => true,
            () => false,
          ),
      rows: (count) => page.evaluate<ReadonlyArray<string>>(gatherScript(count)),
      close: () => context.close(),
    }
  } catch (error) {
    await context.close()
    throw error
  }
}
