import type { FrameDigest } from "../load/frameLog.ts"
import { exactCpuMillisOf } from "../support/processUsage.ts"
import type { BenchFeed } from "./feeds.ts"
import type { Pipeline } from "./pipeline.ts"

/** A feed with events, and the id of a client that has missed all but the first. */
export interface ReplayFeed {
  readonly feed: BenchFeed
  readonly lastEventId: string
  readonly expected: FrameDigest
}

/** Result of one replay. */
export interface ReplayRound {
  /** From connecting to the last frame. */
  readonly millis: number
  /** CPU time of the server, in ms. */
  readonly serverCpuMillis: number
  readonly problems: ReadonlyArray<string>
}

/** Appends one event that the client has received and `events` that it has missed. */
export const fillFeed = async (pipeline: Pipeline, feed: BenchFeed, events: number): Promise<ReplayFeed> => {
  const feeds = [pipeline.eventsOf(feed.feed)]
  const { newest } = await pipeline.source.ask({ kind: "append", feeds, events: 1 })
  const { sent } = await pipeline.source.ask({ kind: "append", feeds, events })
  const lastEventId = pipeline.lastEventIdOf(feed.feed, newest)
  return { feed, lastEventId, expected: await pipeline.expected(feed, sent, `(${newest}`) }
}

/** Opens a stream with `Last-Event-ID` and waits for the last missed event. */
export const runReplayRound = async (pipeline: Pipeline, filled: ReplayFeed): Promise<ReplayRound> => {
  const group = `replay, ${pipeline.name}`
  const { feed, lastEventId, expected } = filled
  const cpuBefore = exactCpuMillisOf(pipeline.server.pid)
  const { openingMillis } = await pipeline.open(group, [feed], 1, lastEventId)
  await pipeline.arrived(group, expected.events)
  const serverCpuMillis = exactCpuMillisOf(pipeline.server.pid) - cpuBefore
  const answer = await pipeline.take(group)
  const [seen] = answer.feeds
  await pipeline.close(group, [feed])
  const isRight = seen !== undefined && seen.completeStreams === 1 && pipeline.isSame(seen, expected)
  return {
    millis: (seen?.arrivalsMillis[0]?.at(-1) ?? Number.NaN) - openingMillis,
    serverCpuMillis,
    problems: isRight
      ? answer.problems
      : [...answer.problems, `${seen?.events ?? 0} of ${expected.events} events, or different ones`],
  }
}

/** The feed that a contender replays: the same for all that read Redis, so that each must send the same bytes. */
export const fillFeeds = async (
  pipelines: ReadonlyArray<Pipeline>,
  feed: BenchFeed,
  events: number,
): Promise<ReadonlyMap<Pipeline, ReplayFeed>> => {
  const filled = new Map<Pipeline, ReplayFeed>()
  let ofRedis: ReplayFeed | undefined
  for (const pipeline of pipelines) {
    if (pipeline.name === "nchan") {
      filled.set(pipeline, await fillFeed(pipeline, feed, events))
    } else {
      ofRedis ??= await fillFeed(pipeline, feed, events)
      filled.set(pipeline, ofRedis)
    }
  }
  return filled
}
