import type { FrameDigest } from "../../load/streamReader.ts"
import type { FilledSeller } from "../../support/filler.ts"
import { cpuMillisOf, settledMiB } from "../../support/processUsage.ts"
import { Pipeline, type StreamEnvironment, type StreamName, streamsPerFeed } from "./pipeline.ts"

/** Proves that one event in each feed reaches each of its streams. */
const proveOpen = async (
  pipeline: Pipeline,
  group: string,
  feeds: ReadonlyArray<FilledSeller>,
): Promise<ReadonlyArray<string>> => {
  await pipeline.append(feeds, 1)
  await pipeline.arrived(group, 1)
  const { feeds: seen, problems } = await pipeline.take(group)
  let complete = 0
  for (const [index, frames] of seen.entries()) {
    const feed = feeds[index]
    if (feed === undefined || frames.events !== 1 || frames.completeStreams !== streamsPerFeed) continue
    // What was sent to nchan is reported for all feeds together.
    if (pipeline.name === "nchan" || pipeline.isSame(frames, await pipeline.expected(feed, undefined))) {
      complete++
    }
  }
  await pipeline.forget(feeds)
  if (complete === feeds.length) return problems
  const missing = feeds.length - complete
  return [...problems, `the event of ${missing} of ${feeds.length} feeds did not reach its streams`]
}

/** Share of the streams opened and closed before the first memory measurement: code and pools exist by then. */
const warmUpShare = 0.02

/** Starts a fresh server, opens the feeds' streams, and measures its memory before and after. */
export const runIdleRound = async (
  environment: StreamEnvironment,
  name: StreamName,
  feeds: ReadonlyArray<FilledSeller>,
) => {
  // nginx has no garbage to collect, and uses the signal for something else.
  const isNode = name !== "nchan"
  const pipeline = await Pipeline.start(environment, name)
  const { pid } = pipeline.server
  const group = `idle, ${name}`
  try {
    const warmUp = feeds.slice(0, Math.max(1, Math.round(feeds.length * warmUpShare)))
    await pipeline.open(group, warmUp, streamsPerFeed)
    await pipeline.close(group, warmUp)
    const before = await settledMiB(pid, isNode)
    const cpuBefore = cpuMillisOf(pid)
    const { streams, openMillis, openingMillis } = await pipeline.open(group, feeds, streamsPerFeed)
    const cpuMillis = cpuMillisOf(pid) - cpuBefore
    const after = await settledMiB(pid, isNode)
    const problems = await proveOpen(pipeline, group, feeds)
    await pipeline.close(group, feeds)
    return {
      /** Resident memory that each stream adds. */
      bytesPerStream: ((after - before) * 2 ** 20) / streams,
      opened: streams,
      /** From requesting the first to having the last. */
      openSeconds: (openMillis - openingMillis) / 1_000,
      /** CPU time of the server per opened stream. */
      openCpuMicros: (cpuMillis * 1_000) / streams,
      problems,
    }
  } finally {
    await pipeline.server.stop()
  }
}

export type IdleRound = Awaited<ReturnType<typeof runIdleRound>>

interface PaceOptions {
  readonly streams: number
  readonly eventsPerSecond: number
  readonly batchEvents: number
}

/** Appends events at the rate for `millis`, and waits until each stream of the group has received them. */
export const runPaceRound = async (
  pipeline: Pipeline,
  feed: FilledSeller,
  group: string,
  { streams, eventsPerSecond, batchEvents }: PaceOptions,
  measureMillis: number,
) => {
  const { source, client, redis } = pipeline.environment
  const processes = { server: pipeline.server.pid, redis: redis.pid, client: client.pid }
  const cpuNow = () => Object.values(processes).map(cpuMillisOf)
  const batchesPerSecond = eventsPerSecond / batchEvents
  const batches = Math.max(1, Math.round((batchesPerSecond * measureMillis) / 1_000))
  const total = batches * batchEvents
  const before = cpuNow()
  const events = pipeline.eventsOf(feed.feed)
  const pace = { batches, batchEvents, batchesPerSecond }
  const { startMillis, latenessMillis, sent } = await source.ask({
    ...{ kind: "pace", sink: pipeline.sink, events, ...pace },
  })
  const { lastEventMillis } = await pipeline.arrived(group, total)
  const [server = 0, ofRedis = 0, ofClient = 0] = cpuNow().map(
    (millis, at) => millis - (before[at] ?? Number.NaN),
  )
  const answer = await pipeline.take(group)
  const [seen] = answer.feeds
  const expected = await pipeline.expected(feed, sent)
  const isRight = seen !== undefined && pipeline.isSame(seen, expected) && expected.events === total
  await pipeline.forget([feed])
  const complete = seen?.completeStreams ?? 0
  const dueMillis = (event: number) =>
    startMillis + (Math.floor(event / batchEvents) * 1_000) / batchesPerSecond
  return {
    /** Frames received by all streams together. */
    frames: total * complete,
    events: total,
    /** From when the first event was due to when the last frame arrived. */
    seconds: (lastEventMillis - startMillis) / 1_000,
    cpuMillis: { server, redis: ofRedis, client: ofClient },
    /** From when an event's batch was due to its complete frame, at the first few streams, in ms. */
    latencies: (seen?.arrivalsMillis ?? []).flatMap((arrivals) =>
      arrivals.map((arrival, event) => arrival - dueMillis(event)),
    ),
    /** Lateness of the source itself, p99 in ms: it is part of the latencies. */
    latenessMillis,
    frameBytes: (seen?.bytes ?? Number.NaN) / total,
    problems: [
      ...answer.problems,
      ...(complete === streams ? [] : [`${complete} of ${streams} streams received every event`]),
      ...(isRight ? [] : ["the frames differ from those of the appended events"]),
    ],
  }
}

export type PaceRound = Awaited<ReturnType<typeof runPaceRound>>

/** A feed with events, and the id of a client that has missed all but the first. */
export interface ReplayFeed {
  readonly feed: FilledSeller
  readonly lastEventId: string
  readonly expected: FrameDigest
}

/** Appends one event that the client has received and `events` that it has missed. */
export const fillFeed = async (
  pipeline: Pipeline,
  feed: FilledSeller,
  events: number,
): Promise<ReplayFeed> => {
  const { newest } = await pipeline.append([feed], 1)
  const { sent } = await pipeline.append([feed], events)
  const expected = await pipeline.expected(feed, sent, `(${newest}`)
  return { feed, lastEventId: pipeline.lastEventIdOf(feed, newest), expected }
}

/** Opens a stream with `Last-Event-ID` and waits for the last missed event. */
export const runReplayRound = async (pipeline: Pipeline, { feed, lastEventId, expected }: ReplayFeed) => {
  const group = `replay, ${pipeline.name}`
  const cpuBefore = cpuMillisOf(pipeline.server.pid)
  const { openingMillis } = await pipeline.open(group, [feed], 1, lastEventId)
  await pipeline.arrived(group, expected.events)
  const serverCpuMillis = cpuMillisOf(pipeline.server.pid) - cpuBefore
  const answer = await pipeline.take(group)
  const [seen] = answer.feeds
  await pipeline.close(group, [feed])
  const isRight = seen !== undefined && seen.completeStreams === 1 && pipeline.isSame(seen, expected)
  const wrong = `${seen?.events ?? 0} of ${expected.events} events, or different ones`
  return {
    /** From connecting to the last frame. */
    millis: (seen?.arrivalsMillis[0]?.at(-1) ?? Number.NaN) - openingMillis,
    serverCpuMillis,
    problems: isRight ? answer.problems : [...answer.problems, wrong],
  }
}

export type ReplayRound = Awaited<ReturnType<typeof runReplayRound>>
