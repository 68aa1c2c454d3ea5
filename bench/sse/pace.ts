import * as keys from "../../src/store/keys.ts"
import type { FeedFrames, StreamClientAnswer } from "../load/streamProtocol.ts"
import { exactCpuMillisOf } from "../support/processUsage.ts"
import type { BenchFeed } from "./feeds.ts"
import type { Pipeline } from "./pipeline.ts"
import type { StreamEnvironment } from "./streamEnvironment.ts"

/** Streams of one feed, and the rate of its events. */
export interface PaceOptions {
  readonly streams: number
  readonly eventsPerSecond: number
  /** Events appended at once. */
  readonly batchEvents: number
}

/** Results of one round of events at a fixed rate. */
export interface PaceRound {
  /** Frames received by all streams together. */
  readonly frames: number
  readonly events: number
  /** From when the first event was due to when the last frame arrived. */
  readonly seconds: number
  /** CPU time during the round, in ms. */
  readonly cpuMillis: {
    readonly server: number
    readonly redis: number
    readonly client: number
  }
  /** From when an event's batch was due to its complete frame, at the first few streams, in ms. */
  readonly latencies: ReadonlyArray<number>
  /** Lateness of the source itself, p99 in ms: it is part of the latencies. */
  readonly latenessMillis: number
  /** Bytes per frame. */
  readonly frameBytes: number
  readonly problems: ReadonlyArray<string>
}

const cpuNow = (pipeline: Pipeline, environment: StreamEnvironment) => ({
  server: exactCpuMillisOf(pipeline.server.pid),
  redis: exactCpuMillisOf(environment.redis.pid),
  client: exactCpuMillisOf(pipeline.processes.client.pid),
})

const latenciesOf = (
  feed: FeedFrames | undefined,
  dueMillis: (event: number) => number,
): ReadonlyArray<number> =>
  (feed?.arrivalsMillis ?? []).flatMap((arrivals) =>
    Array.from(arrivals, (arrival, index) => arrival - dueMillis(index)),
  )

const faultsOf = (answer: StreamClientAnswer, streams: number, isRight: boolean): ReadonlyArray<string> => {
  const completeStreams = answer.feeds[0]?.completeStreams ?? 0
  return [
    ...answer.problems,
    ...(completeStreams === streams ? [] : [`${completeStreams} of ${streams} streams received every event`]),
    ...(isRight ? [] : ["the frames differ from those of the appended events"]),
  ]
}

/** Appends events at the rate for `millis`, and waits until each stream of the group has received them. */
export const runPaceRound = async (
  environment: StreamEnvironment,
  pipeline: Pipeline,
  feed: BenchFeed,
  group: string,
  { streams, eventsPerSecond, batchEvents }: PaceOptions,
  measureMillis: number,
): Promise<PaceRound> => {
  const batchesPerSecond = eventsPerSecond / batchEvents
  const batches = Math.max(1, Math.round((batchesPerSecond * measureMillis) / 1_000))
  const events = batches * batchEvents
  const before = cpuNow(pipeline, environment)
  const source = await pipeline.source.ask({
    kind: "pace",
    events: pipeline.eventsOf(feed.feed),
    ...{ batches, batchEvents, batchesPerSecond },
  })
  const { lastEventMillis } = await pipeline.arrived(group, events)
  const after = cpuNow(pipeline, environment)
  const answer = await pipeline.take(group)
  const [seen] = answer.feeds
  const expected = await pipeline.expected(feed, source.sent)
  const isRight = seen !== undefined && pipeline.isSame(seen, expected) && expected.events === events
  if (pipeline.name !== "nchan") {
    await environment.redis.client.xtrim(keys.eventsKey(feed.feed), "MAXLEN", 0)
  }
  return {
    frames: events * (seen?.completeStreams ?? 0),
    events,
    seconds: (lastEventMillis - source.startMillis) / 1_000,
    cpuMillis: {
      server: after.server - before.server,
      redis: after.redis - before.redis,
      client: after.client - before.client,
    },
    latencies: latenciesOf(
      seen,
      (event) => source.startMillis + (Math.floor(event / batchEvents) * 1_000) / batchesPerSecond,
    ),
    latenessMillis: source.latenessMillis,
    frameBytes: (seen?.bytes ?? Number.NaN) / events,
    problems: faultsOf(answer, streams, isRight),
  }
}
