/** A process that appends events to feeds, at once or at a fixed rate. */
import { once } from "node:events"
import { Worker } from "node:worker_threads"
import { percentileOf } from "../support/statistics.ts"
import type { AlarmSchedule } from "./alarm.ts"
import type { FrameDigest } from "./frameLog.ts"
import { serveParent } from "./serveParent.ts"
import { monotonicMillis } from "./streamProtocol.ts"
import { nchanSink, redisSink, type SourceEvents, type StreamSink } from "./streamSink.ts"

/** Where to append: the first request. */
export type SourceRequest =
  | { readonly kind: "redis"; readonly url: string }
  | { readonly kind: "nchan"; readonly port: number }
  /** One call for all events of a feed; feeds one after the other. */
  | { readonly kind: "append"; readonly feeds: ReadonlyArray<SourceEvents>; readonly events: number }
  /** Each batch is due at its time, regardless of earlier ones (open loop). */
  | ({ readonly kind: "pace" } & Pace)

/** Events at a fixed rate. */
export interface Pace {
  readonly events: SourceEvents
  /** Number of batches, and events that each appends at once. */
  readonly batches: number
  readonly batchEvents: number
  readonly batchesPerSecond: number
}

export interface SourceAnswer {
  /** When the first batch was due, on the monotonic clock; the others follow at the rate's interval. */
  readonly startMillis: number
  /** Lateness of the source itself, p99 in ms. */
  readonly latenessMillis: number
  /** See {@link StreamSink}. */
  readonly newest: string
  readonly sent: FrameDigest | undefined
}

/** Most events in one call of Redis: it must not be busy for long. */
const eventsPerCall = 250
/** The alarm's thread takes a moment to start. */
const leadMillis = 150

let sink: StreamSink | undefined

const current = (): StreamSink => {
  if (sink === undefined) throw new Error("the source has no sink yet")
  return sink
}

const answer = (startMillis: number, latenessMillis: number): SourceAnswer => ({
  startMillis,
  latenessMillis,
  newest: current().newest(),
  sent: current().takeDigest(),
})

const append = async (feeds: ReadonlyArray<SourceEvents>, events: number): Promise<SourceAnswer> => {
  const startMillis = monotonicMillis()
  for (const feed of feeds) {
    for (let left = events; left > 0; left -= eventsPerCall) {
      current().append(feed, Math.min(left, eventsPerCall))
    }
  }
  await current().settled()
  return answer(startMillis, 0)
}

const pace = async ({ events, batches, batchEvents, batchesPerSecond }: Pace): Promise<SourceAnswer> => {
  const intervalMillis = 1_000 / batchesPerSecond
  const startMillis = monotonicMillis() + leadMillis
  const lateness: Array<number> = []
  const appendDue = () => {
    const nowMillis = monotonicMillis()
    while (lateness.length < batches && startMillis + lateness.length * intervalMillis <= nowMillis) {
      lateness.push(nowMillis - (startMillis + lateness.length * intervalMillis))
      current().append(events, batchEvents)
    }
  }
  const schedule: AlarmSchedule = {
    startMillis: performance.timeOrigin + performance.now() + leadMillis,
    intervalMillis,
    count: batches,
  }
  const alarm = new Worker(new URL("./alarm.ts", import.meta.url), { workerData: schedule })
  alarm.on("message", appendDue)
  await once(alarm, "exit")
  while (lateness.length < batches) appendDue()
  await current().settled()
  return answer(startMillis, percentileOf(lateness, 99))
}

serveParent<SourceRequest, SourceAnswer>(async (request) => {
  switch (request.kind) {
    case "redis":
    case "nchan":
      sink?.close()
      sink = request.kind === "redis" ? await redisSink(request.url) : await nchanSink(request.port)
      return answer(0, 0)
    case "append":
      return append(request.feeds, request.events)
    case "pace":
      return pace(request)
  }
})
