import type { Page } from "playwright-core"
import { makeCharge } from "../../e2e/support/charges.ts"
import { clientsOf, type Stage } from "../../e2e/support/stage.ts"

/** The seller whose charges are made. */
interface Merchant {
  readonly keys: { readonly live: string; readonly test: string }
}

/** An amount that nobody pays, so that each charge is one event. */
const neverPaid = 12_901
const atOnce = 20

/** Makes test charges that stay as they are, so that each is one event of the feed. */
export const makeEvents = async (stage: Stage, merchant: Merchant, count: number): Promise<void> => {
  const { test } = clientsOf(stage.service.url, merchant)
  for (let made = 0; made < count; made += atOnce) {
    const batch = Math.min(atOnce, count - made)
    await Promise.all(Array.from({ length: batch }, () => makeCharge(test, { amount: neverPaid })))
  }
}

/** The numbers of the event rows that are in the document, from the first on. */
export const seqsOf = (page: Page): Promise<ReadonlyArray<number>> =>
  page.getByTestId("event-row").evaluateAll((rows) => rows.map((row) => Number(row.dataset.seq)))

/** The numbers of all rows, gathered by scrolling from the first to the last; then back at the top. */
export const allSeqsOf = async (page: Page, wanted: number): Promise<ReadonlyArray<number>> => {
  const found = new Set<number>()
  const list = page.getByRole("listbox")
  await list.evaluate((element) => element.scrollTo(0, 0))
  for (let stillness = 0; found.size < wanted && stillness < 200; stillness++) {
    const before = found.size
    for (const seq of await seqsOf(page)) found.add(seq)
    await list.evaluate((element) => element.scrollBy(0, element.clientHeight))
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 20)))")
    if (found.size > before) stillness = 0
  }
  await list.evaluate((element) => element.scrollTo(0, 0))
  return [...found]
}

/** Waits until the page says that it is live. */
export const live = (page: Page): Promise<void> =>
  page.locator('[data-testid="live-status"][data-state="live"]').waitFor()
