import type { Page, Route } from "playwright-core"

/** Something that moved while nobody touched the page. */
interface Shift {
  /** Its share of the page's layout shift, as https://web.dev/articles/cls counts it. */
  readonly value: number
  /** What moved, each with its top before and after. */
  readonly moved: ReadonlyArray<string>
}

/** Gathers shifts from the first frame on. */
const observer = `
  globalThis.shifts = []
  const nameOf = (node) => node === null ? "?" : node.nodeType === 3 ? nameOf(node.parentElement) + " text"
    : node.nodeName.toLowerCase() + (node.className ? "." + String(node.className).split(" ").join(".") : "") + " '" + (node.textContent ?? "").slice(0, 30) + "'"
  const take = (entries) => {
    for (const { value, hadRecentInput, sources } of entries)
      if (!hadRecentInput)
        globalThis.shifts.push({ value, moved: sources.map(({ node, previousRect, currentRect }) =>
          nameOf(node) + " " + [previousRect, currentRect].map(({ x, y, width, height }) =>
            [x, y, width, height].map(Math.round).join(",")).join(" -> ")) })
  }
  const shiftObserver = new PerformanceObserver((list) => take(list.getEntries()))
  shiftObserver.observe({ type: "layout-shift", buffered: true })
  globalThis.takeShifts = () => {
    take(shiftObserver.takeRecords())
    return globalThis.shifts
  }
`

const twoFrames =
  "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))"

/** A page that has been still for so many pairs of frames, with nothing to read, has all that it shows. */
const stillFrames = 8

/**
 * Opens an address, whose answers of the API come one at a time, the newest request's first, each painted before the next: whatever
 * can move does. Answers what moved until the page has all its data.
 */
export const shiftsOf = async (page: Page, url: string): Promise<ReadonlyArray<Shift>> => {
  const held: Array<Route> = []
  await page.route(/\/v1\//, (route) => void held.push(route))
  await page.addInitScript(observer)
  await page.goto(url)
  for (let still = 0; still < stillFrames; still++) {
    const next = held.pop()
    if (next !== undefined) {
      await next.continue()
      // Its answer, or its end where the page has left it.
      await next
        .request()
        .response()
        .then((response) => response?.finished())
        .catch(() => undefined)
    }
    await page.evaluate(twoFrames)
    const isReady = (await page.locator('[data-testid="page"][data-ready="true"]').count()) === 1
    if (next !== undefined || !isReady) still = -1
  }
  const shifts = await page.evaluate<ReadonlyArray<Shift>>("globalThis.takeShifts()")
  await page.unrouteAll({ behavior: "ignoreErrors" })
  return shifts
}
