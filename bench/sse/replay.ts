import type { FrameDigest } from "../load/frameLog.ts"
import { exactCpuMillisOf } from "./cpuTime.ts"
import type { BenchFeed } from "./feeds.ts"
import type { Line } from "./pipeline.ts"

/** A feed with events, and the id that a client comes back with which has missed all but the first of them. */
export interface ReplayFeed {
  readonly feed: BenchFeed
  readonly lastEventId: string
  readonly expected: FrameDigest
}

/** One replay. */
export interface ReplayRound {
  /** From connecting to the last frame. */
  readonly millis: number
  /** CPU time of the server. */
  readonly serverCpuMillis: number
  readonly problems: ReadonlyArray<string>
}

/** Appends one event that the client has had and `events` that it has missed. */
export const fillFeed = async (line: Line, feed: BenchFeed, events: number): Promise<ReplayFeed> => {
  const feeds = [line.eventsOf(feed.feed)]
  const { newest } = await line.source.ask({ kind: "append", feeds, events: 1 })
  const { sent } = await line.source.ask({ kind: "append", feeds, events })
  const lastEventId = line.lastEventIdOf(feed.feed, newest)
  return { feed, lastEventId, expected: await line.expected(feed, sent, `(${newest}`) }
}

/** Opens a stream with `Last-Event-ID` and waits for the last of the events that it missed. */
export const runReplayRound = async (line: Line, filled: ReplayFeed): Promise<ReplayRound> => {
  const group = `replay, ${line.name}`
  const { feed, lastEventId, expected } = filled
  const cpuBefore = exactCpuMillisOf(line.server.pid)
  const { openingMillis } = await line.open(group, [feed], 1, lastEventId)
  await line.arrived(group, expected.events)
  const serverCpuMillis = exactCpuMillisOf(line.server.pid) - cpuBefore
  const answer = await line.take(group)
  const [seen] = answer.feeds
  await line.close(group, [feed])
  const isRight = seen !== undefined && seen.completeStreams === 1 && line.isSame(seen, expected)
  return {
    millis: (seen?.arrivalsMillis[0]?.at(-1) ?? Number.NaN) - openingMillis,
    serverCpuMillis,
    problems: isRight
      ? answer.problems
      : [...answer.problems, `${seen?.events ?? 0} of ${expected.events} events, or other ones`],
  }
}

/** The feed that a contender replays: one for all that read Redis, so that each must send the same bytes. */
export const fillFeeds = async (
  lines: ReadonlyArray<Line>,
  feed: BenchFeed,
  events: number,
): Promise<ReadonlyMap<Line, ReplayFeed>> => {
  const filled = new Map<Line, ReplayFeed>()
  let ofRedis: ReplayFeed | undefined
  for (const line of lines) {
    if (line.name === "nchan") {
      filled.set(line, await fillFeed(line, feed, events))
    } else {
      ofRedis ??= await fillFeed(line, feed, events)
      filled.set(line, ofRedis)
    }
  }
  return filled
}
