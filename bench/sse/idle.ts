import { setTimeout as sleep } from "node:timers/promises"
import * as keys from "../../src/store/keys.ts"
import { residentMiBOf } from "../support/processUsage.ts"
import { exactCpuMillisOf } from "./cpuTime.ts"
import type { BenchFeed } from "./feeds.ts"
import { type LoadProcesses, Pipeline } from "./pipeline.ts"
import type { StreamEnvironment, StreamName, StreamServer } from "./streamEnvironment.ts"

/** The service gives a seller so many streams (spec 4.2); so has each feed of the others. */
export const streamsPerFeed = 10

const settleLooks = 5
const settleIntervalMillis = 100
const settleTimeoutMillis = 10_000
/** Of the streams, opened and closed before the first look at the memory: code and pools are there by then. */
const warmUpShare = 0.02

/** What idle streams came to. */
export interface IdleRound {
  /** Resident memory that each stream added, bytes. */
  readonly bytesPerStream: number
  readonly opened: number
  /** From asking for the first to having the last. */
  readonly openSeconds: number
  /** CPU time of the server while they were opened, for each, us. */
  readonly openCpuMicros: number
  readonly problems: ReadonlyArray<string>
}

/** Node's arguments that let the bench ask for a collection. */
const collectArguments = ["--expose-gc", "--import", new URL("./collectOnSignal.ts", import.meta.url).href]

/** Resident memory once it has stopped falling, MiB. */
const settledMiB = async ({ name, pid }: StreamServer): Promise<number> => {
  // nginx collects nothing, and has another use for the signal.
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

/** One event in each feed must reach each of its streams. */
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
    // What nchan was sent is told for all feeds together.
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

/** Starts a fresh server, opens the streams of the feeds, and looks at its memory before and after. */
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
