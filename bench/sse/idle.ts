import { setTimeout as sleep } from "node:timers/promises"
import * as keys from "../../src/store/keys.ts"
import { exactCpuMillisOf, residentMiBOf } from "../support/processUsage.ts"
import type { BenchFeed } from "./feeds.ts"
import { type LoadProcesses, Pipeline } from "./pipeline.ts"
import type { StreamEnvironment, StreamName, StreamServer } from "./streamEnvironment.ts"

/** The service's limit (docs/contract/events.md#stream-limits); each feed of the others has as many. */
export const streamsPerFeed = 10

const settleLooks = 5
const settleIntervalMillis = 100
const settleTimeoutMillis = 10_000
/** Share of the streams opened and closed before the first memory measurement: code and pools exist by then. */
const warmUpShare = 0.02

/** Results of idle streams. */
export interface IdleRound {
  /** Resident memory that each stream adds, in bytes. */
  readonly bytesPerStream: number
  readonly opened: number
  /** From requesting the first to having the last. */
  readonly openSeconds: number
  /** CPU time of the server per opened stream, in us. */
  readonly openCpuMicros: number
  readonly problems: ReadonlyArray<string>
}

/** Node's arguments that let the bench trigger a garbage collection. */
export const collectArguments = [
  "--expose-gc",
  "--import",
  new URL("./collectOnSignal.ts", import.meta.url).href,
]

/** Resident memory once it has stopped falling, in MiB. */
export const settledMiB = async ({ name, pid }: Pick<StreamServer, "name" | "pid">): Promise<number> => {
  // nginx has no garbage to collect, and uses the signal for something else.
  if (name !== "nchan") process.kill(pid, "SIGUSR2")
  let least = residentMiBOf(pid)
  const deadline = performance.now() + settleTimeoutMillis
  for (let looks = 0; looks < settleLooks && performance.now() < deadline; looks++) {
    await sleep(settleIntervalMillis)
    const now = residentMiBOf(pid)
    if (now < least * 0.999) looks = 0
    least = Math.min(least, now)
  }
  return least
}

/** Proves that one event in each feed reaches each of its streams. */
const proveOpen = async (
  environment: StreamEnvironment,
  pipeline: Pipeline,
  group: string,
  feeds: ReadonlyArray<BenchFeed>,
): Promise<ReadonlyArray<string>> => {
  const { sent } = await pipeline.source.ask({
    kind: "append",
    feeds: feeds.map(({ feed }) => pipeline.eventsOf(feed)),
    events: 1,
  })
  await pipeline.arrived(group, 1)
  const { feeds: seen, problems } = await pipeline.take(group)
  let complete = 0
  for (const [index, frames] of seen.entries()) {
    const feed = feeds[index]
    if (feed === undefined || frames.events !== 1 || frames.completeStreams !== streamsPerFeed) continue
    // What was sent to nchan is reported for all feeds together.
    if (sent !== undefined || pipeline.isSame(frames, await pipeline.expected(feed, sent))) complete++
  }
  const { client } = environment.redis
  await Promise.all(feeds.map(({ feed }) => client.xtrim(keys.eventsKey(feed), "MAXLEN", 0)))
  return complete === feeds.length
    ? problems
    : [
        ...problems,
        `the event of ${feeds.length - complete} of ${feeds.length} feeds did not reach its streams`,
      ]
}

/** Starts a fresh server, opens the feeds' streams, and measures its memory before and after. */
export const runIdleRound = async (
  environment: StreamEnvironment,
  name: StreamName,
  processes: LoadProcesses,
  feeds: ReadonlyArray<BenchFeed>,
): Promise<IdleRound> => {
  const nodeArguments = name === "nchan" ? [] : collectArguments
  const pipeline = await Pipeline.start(environment, name, processes, nodeArguments)
  const { server } = pipeline
  const group = `idle, ${name}`
  try {
    const warmUp = feeds.slice(0, Math.max(1, Math.round(feeds.length * warmUpShare)))
    await pipeline.open(group, warmUp, streamsPerFeed)
    await pipeline.close(group, warmUp)
    const before = await settledMiB(server)
    const cpuBefore = exactCpuMillisOf(server.pid)
    const opened = await pipeline.open(group, feeds, streamsPerFeed)
    const cpuMillis = exactCpuMillisOf(server.pid) - cpuBefore
    const after = await settledMiB(server)
    const problems = await proveOpen(environment, pipeline, group, feeds)
    await pipeline.close(group, feeds)
    return {
      bytesPerStream: ((after - before) * 2 ** 20) / opened.streams,
      opened: opened.streams,
      openSeconds: (opened.openMillis - opened.openingMillis) / 1_000,
      openCpuMicros: (cpuMillis * 1_000) / opened.streams,
      problems,
    }
  } finally {
    await server.stop()
  }
}
