import { randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import type { Browser } from "playwright-core"
import { setUpPages } from "../../scripts/web/setUp.ts"
import { launchChromium, whyNoChromium } from "../../test/support/chromium.ts"
import { type DashboardSession, signInAsSeller } from "../../test/support/dashboard.ts"
import { rowsMax } from "../../web/src/pages/events/feed.ts"
import type { LoadJob, LoadResult } from "../load/job.ts"
import type { Check, Metric, Progress, Size, SuiteResult } from "../report/result.ts"
import { makeMetric } from "../report/result.ts"
import { formatNumber } from "../report/text.ts"
import { startWorker, type Worker } from "../support/child.ts"
import { type Side, startSide } from "../support/sides.ts"
import { percentileOf } from "../support/statistics.ts"
import { turns } from "../support/turns.ts"
import { openEventsPage, type Watched } from "./eventsPage.ts"
import { makeManyCharges, measureReads } from "./reads.ts"

const sizes = {
  small: { rounds: 1, watchMillis: 3_000, charges: 1_000, requests: 20 },
  default: { rounds: 3, watchMillis: 30_000, charges: 100_000, requests: 500 },
  full: { rounds: 5, watchMillis: 60_000, charges: 1_000_000, requests: 1_000 },
} as const satisfies Record<Size, object>

const eventsPerSecond = 200
const connections = 16
/** Never paid (docs/contract/transactions.md#test-amounts), so that each charge is one event. */
const amountEnding = 1

/** A watched page, and what is wrong with the rows that it showed in the end. */
interface Round {
  readonly watched: Watched
  readonly events: number
  readonly problems: ReadonlyArray<string>
}

/** What takes part in a run. */
interface Parts {
  readonly side: Side
  readonly browser: Browser
  readonly session: DashboardSession
  readonly load: Worker<LoadJob, LoadResult>
  readonly watchMillis: number
}

const urlOf = ({ port }: Side): string => `http://127.0.0.1:${port}`

/** Creates charges at the rate, each of which is one event. */
const makeEvents = ({ side, load, watchMillis }: Parts): Promise<LoadResult> =>
  load.ask({
    port: side.port,
    apiKey: side.apiKey,
    workload: { kind: "create", amountEnding, keepMax: 0, keyPrefix: randomUUID().slice(0, 8) },
    connections,
    warmUpMillis: 0,
    measureMillis: watchMillis,
    ratePerSecond: eventsPerSecond,
    processes: {},
  })

/** The newest events of the feed by the API, as many as are wanted. */
const newestEvents = async ({ side, session }: Parts, count: number): Promise<ReadonlyArray<string>> => {
  const ids: Array<string> = []
  for (let cursor = ""; ids.length < count; ) {
    const answer = await fetch(`${urlOf(side)}/v1/me/events?limit=100${cursor}`, {
      headers: { cookie: session.cookie, "x-mode": "test" },
    })
    const { data, next_cursor } = (await answer.json()) as {
      readonly data: ReadonlyArray<{ readonly id: string }>
      readonly next_cursor: string | null
    }
    ids.push(...data.map(({ id }) => id))
    if (next_cursor === null) break
    cursor = `&cursor=${encodeURIComponent(next_cursor)}`
  }
  return ids.slice(0, count)
}

/** What the page shows in the end beside what the API lists. */
const compareRows = (shown: ReadonlyArray<string>, listed: ReadonlyArray<string>): ReadonlyArray<string> => {
  const at = listed.findIndex((id, index) => shown[index] !== id)
  if (at < 0 && shown.length === listed.length) return []
  return [`of ${listed.length} rows the page showed ${shown.length}, and row ${at + 1} was ${shown[at]}`]
}

/** Watches the page while events come. */
const watchEvents = async (parts: Parts): Promise<Round> => {
  const page = await openEventsPage(parts.browser, urlOf(parts.side), parts.session)
  try {
    await page.watch()
    const made = await makeEvents(parts)
    const watched = await page.watched()
    const listed = await newestEvents(parts, Math.min(rowsMax, made.answered))
    const late = (await page.shows(listed[0] ?? "none")) ? [] : ["the newest event did not come"]
    const rows = compareRows(await page.rows(listed.length), listed)
    return { watched, events: made.answered, problems: [...made.problems, ...late, ...rows] }
  } finally {
    await page.close()
  }
}

/** Watches the page while nothing happens. */
const watchNothing = async (parts: Parts): Promise<Round> => {
  const page = await openEventsPage(parts.browser, urlOf(parts.side), parts.session)
  try {
    await page.watch()
    await sleep(parts.watchMillis)
    return { watched: await page.watched(), events: 0, problems: [] }
  } finally {
    await page.close()
  }
}

type Rounds = { readonly with: ReadonlyArray<Round>; readonly without: ReadonlyArray<Round> }

const metricsOf = (rounds: Rounds): ReadonlyArray<Metric> => {
  const measure = (name: string, unit: "ms" | "count", of: (watched: Watched) => number) =>
    makeMetric(`events page at ${eventsPerSecond}/s: ${name}`, unit, {
      corrente: rounds.with.map(({ watched }) => of(watched)),
      without: rounds.without.map(({ watched }) => of(watched)),
    })
  return [
    measure("frame interval p50", "ms", ({ frames }) => percentileOf(frames, 50)),
    measure("frame interval p99", "ms", ({ frames }) => percentileOf(frames, 99)),
    measure("frame interval max", "ms", ({ frames }) => percentileOf(frames, 100)),
    measure("long tasks", "count", ({ longTasks }) => longTasks.length),
    measure("rows in the document", "count", (watched) => watched.rowsMax),
  ]
}

const checksOf = (rounds: Rounds): ReadonlyArray<Check> => {
  const problems = rounds.with.flatMap((round) => round.problems)
  const events = rounds.with.map((round) => round.events)
  const frames = [...rounds.with, ...rounds.without].map(({ watched }) => watched.frames.length)
  return [
    {
      name: "feed",
      isRight: problems.length === 0 && events.every((count) => count > 0),
      detail:
        problems.length === 0
          ? `${events.join(", ")} events; in the end the rows are the newest of the feed, up to ${rowsMax}`
          : problems.slice(0, 5).join("; "),
    },
    {
      name: "frames",
      isRight: frames.every((count) => count > 0),
      detail: `${frames.join(", ")} frames were drawn`,
    },
  ]
}

const watchPages = async (parts: Parts, rounds: number, progress: Progress): Promise<Rounds> => {
  const told = async (name: string, run: Promise<Round>): Promise<Round> => {
    const round = await run
    const { frames, longTasks } = round.watched
    const p99 = formatNumber(percentileOf(frames, 99))
    progress(`dashboard, ${name}: frame interval p99 ${p99} ms, ${longTasks.length} long tasks`)
    return round
  }
  return turns(
    rounds,
    () => told(`${eventsPerSecond} events/s`, watchEvents(parts)),
    () => told("no events", watchNothing(parts)),
  )
}

/** The events page in a browser, or why it could not be measured. */
const measurePage = async (
  parts: Omit<Parts, "browser" | "load">,
  rounds: number,
  progress: Progress,
): Promise<{ readonly metrics: ReadonlyArray<Metric>; readonly checks: ReadonlyArray<Check> }> => {
  if (whyNoChromium !== undefined) {
    progress(`dashboard: the events page is skipped: ${whyNoChromium}`)
    return { metrics: [], checks: [] }
  }
  const load = startWorker<LoadJob, LoadResult>(new URL("../load/main.ts", import.meta.url))
  try {
    const browser = await launchChromium()
    try {
      const results = await watchPages({ ...parts, browser, load }, rounds, progress)
      return { metrics: metricsOf(results), checks: checksOf(results) }
    } finally {
      await browser.close()
    }
  } finally {
    await load.stop()
  }
}

/** The dashboard: the events page in a browser under many events, and what lists and searches take with many charges. */
export const runDashboard = async (size: Size, progress: Progress): Promise<SuiteResult> => {
  const { rounds, watchMillis, charges, requests } = sizes[size]
  // Other suites measure a service whose pages nobody asks for.
  setUpPages()
  const side = await startSide("corrente")
  try {
    const session = await signInAsSeller({ redisUrl: side.redis.url }, side.sellerId)
    // The lists come first: their oldest charge must be the seller's first.
    const many = await makeManyCharges(side, session.cookie, charges, progress)
    const reads = await measureReads(many, requests)
    const page = await measurePage({ side, session, watchMillis }, rounds, progress)
    return {
      suite: "dashboard",
      parameters: { ...sizes[size], eventsPerSecond, connections, browser: "headless Chromium, 1280 by 800" },
      metrics: [...page.metrics, ...reads.metrics],
      targets: [],
      checks: [...page.checks, reads.check],
    }
  } finally {
    await side.stop()
  }
}
