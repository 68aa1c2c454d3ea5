import { Effect } from "effect"
import type { GatheredReports, GatherReports } from "../scrape/route.ts"
import { reportOf } from "../scrape/series.ts"
import { Asked } from "./asked.ts"
import { readSupervisorMessage, tellSupervisor } from "./messages.ts"
import { reportTimeoutMillis } from "./metricsDesk.ts"

/** The supervisor waits for workers this long, and may be busy with a scrape that came before. */
const scrapeTimeoutMillis = 3 * reportTimeoutMillis

/**
 * Makes the gathering of all workers' metrics by way of the supervisor, for worker `number`, and reports this worker's own whenever
 * the supervisor asks.
 */
export const makeGatherReports = Effect.fnUntraced(function* (number: number) {
  const context = yield* Effect.context<never>()
  const scraped = new Asked<GatheredReports>()
  process.on("message", (received) => {
    const message = readSupervisorMessage(received)
    if (message?.kind === "report") tellSupervisor({ kind: "report", report: reportOf(context) })
    if (message?.kind === "scraped") {
      scraped.answer({ report: message.report, silent: message.silent, process: number })
    }
  })
  const gather: GatherReports = scraped
    .wait(() => tellSupervisor({ kind: "scrape" }))
    .pipe(
      Effect.timeoutOption(scrapeTimeoutMillis),
      Effect.map((answer) => (answer._tag === "Some" ? answer.value : undefined)),
    )
  return gather
})
