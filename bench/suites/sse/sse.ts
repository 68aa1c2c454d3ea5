import {
  type Check,
  type Contender,
  inTurns,
  type Metric,
  metricsOf,
  type Progress,
  problemsCheck,
  type Rounds,
  type RunSuite,
  ratioTarget,
  sizesOf,
  type Target,
  targetOf,
  valueTarget,
} from "../../report/result.ts"
import { fillSellers } from "../../support/filler.ts"
import { compact } from "../../support/redisServer.ts"
import { formatNumber, percentileOf } from "../../support/statistics.ts"
import { streamsPermitted } from "../../support/streamsPermitted.ts"
import {
  fillFeed,
  type IdleRound,
  type PaceRound,
  type ReplayFeed,
  type ReplayRound,
  runIdleRound,
  runPaceRound,
  runReplayRound,
} from "./phases.ts"
import {
  Pipeline,
  type StreamEnvironment,
  streamNames,
  streamsPerFeed,
  withStreamEnvironment,
} from "./pipeline.ts"

const sseSizes = sizesOf({
  idleStreams: [50, 5_000, 20_000],
  idleRounds: [1, 3, 3],
  /** Streams of the feed with fan-out. */
  subscribers: [20, 1_000, 1_000],
  fanOutEventsPerSecond: [100, 80, 80],
  burstEvents: [5, 20, 20],
  latencyStreams: [4, 4, 4],
  latencyEventsPerSecond: [500, 2_000, 2_000],
  replayEvents: [500, 10_000, 10_000],
  replayRounds: [2, 9, 21],
  /** For fan-out and latency. */
  rounds: [2, 5, 9],
  warmUpMillis: [100, 3_000, 5_000],
  measureMillis: [200, 3_000, 10_000],
})
type SseSize = (typeof sseSizes)["default"]

/** Connections beside the measured streams: of the source, and those being closed. */
const spareConnections = 100
const replayWarmUps = 3

interface SseRounds {
  readonly idle: Rounds<IdleRound>
  readonly fanOut: Rounds<PaceRound>
  readonly bursts: Rounds<PaceRound>
  readonly latency: Rounds<PaceRound>
  readonly replay: Rounds<ReplayRound>
}

const grouped = (count: number): string => count.toLocaleString("en-US")

type AnyRound = { readonly problems: ReadonlyArray<string> }

/** Runs the phases, round by round, and keeps each contender's problems. */
class Run {
  readonly problems = new Map<Contender, Array<string>>()
  readonly #size: SseSize
  readonly #environment: StreamEnvironment
  readonly #progress: Progress

  constructor(size: SseSize, environment: StreamEnvironment, progress: Progress) {
    this.#size = size
    this.#environment = environment
    this.#progress = progress
  }

  async measure(): Promise<SseRounds> {
    const { subscribers, fanOutEventsPerSecond, burstEvents, latencyStreams, latencyEventsPerSecond } =
      this.#size
    const pipelines: Array<Pipeline> = []
    try {
      for (const name of this.#environment.names) {
        pipelines.push(await Pipeline.start(this.#environment, name))
      }
      const paced = (streams: number, eventsPerSecond: number, batchEvents: number) =>
        this.#paced(pipelines, { streams, eventsPerSecond, batchEvents })
      const live = {
        fanOut: await paced(subscribers, fanOutEventsPerSecond, 1),
        bursts: await paced(subscribers, fanOutEventsPerSecond, burstEvents),
        latency: await paced(latencyStreams, latencyEventsPerSecond, 1),
      }
      const replay = await this.#replay(pipelines)
      // Idle streams have a freshly started server.
      for (const { server } of pipelines.splice(0)) await server.stop()
      return { ...live, replay, idle: await this.#idle() }
    } finally {
      for (const { server } of pipelines) await server.stop()
    }
  }

  /** Opens streams of one feed for each pipeline, and appends events to them at a fixed rate. */
  async #paced(
    pipelines: ReadonlyArray<Pipeline>,
    options: Parameters<typeof runPaceRound>[3],
  ): Promise<Rounds<PaceRound>> {
    const { streams, eventsPerSecond, batchEvents } = options
    const { warmUpMillis, rounds, measureMillis } = this.#size
    const feeds = await fillSellers(this.#environment.redis.url, pipelines.length)
    const what = `${streams} streams at ${eventsPerSecond}/s${batchEvents > 1 ? " in bursts" : ""}`
    const run = (pipeline: Pipeline, millis: number) => {
      const feed = feeds[pipelines.indexOf(pipeline)]
      if (feed === undefined) throw new Error(`${pipeline.name} has no feed`)
      return runPaceRound(pipeline, feed, pipeline.name, options, millis)
    }
    for (const [at, pipeline] of pipelines.entries()) {
      this.#progress(`sse, ${what}: opening those of ${pipeline.name}`)
      const feed = feeds[at]
      if (feed !== undefined) await pipeline.openMany(pipeline.name, feed, streams)
    }
    for (const pipeline of pipelines) this.#note(pipeline.name, await run(pipeline, warmUpMillis))
    const results = await this.#inTurns(what, pipelines, rounds, (pipeline) => run(pipeline, measureMillis))
    for (const pipeline of pipelines) await pipeline.close(pipeline.name)
    return results
  }

  /** One client at a time, which has missed many events. */
  async #replay(pipelines: ReadonlyArray<Pipeline>): Promise<Rounds<ReplayRound>> {
    const { replayEvents, replayRounds } = this.#size
    const [feed] = await fillSellers(this.#environment.redis.url, 1)
    if (feed === undefined) throw new Error("no feed was created")
    this.#progress(`sse, replay: ${grouped(replayEvents)} events`)
    // The same for all that read Redis, so that each must send the same bytes.
    const filled = new Map<Pipeline["sink"], ReplayFeed>()
    const run = async (pipeline: Pipeline): Promise<ReplayRound> => {
      const found = filled.get(pipeline.sink) ?? (await fillFeed(pipeline, feed, replayEvents))
      filled.set(pipeline.sink, found)
      return runReplayRound(pipeline, found)
    }
    for (let round = 0; round < replayWarmUps; round++) {
      for (const pipeline of pipelines) this.#note(pipeline.name, await run(pipeline))
    }
    return this.#inTurns("replay", pipelines, replayRounds, run)
  }

  /** Idle streams on a freshly started server. */
  async #idle(): Promise<Rounds<IdleRound>> {
    const { idleStreams, idleRounds } = this.#size
    const feeds = await fillSellers(this.#environment.redis.url, Math.floor(idleStreams / streamsPerFeed))
    const names = this.#environment.names.map((name) => ({ name }))
    return this.#inTurns(`${grouped(idleStreams)} idle streams`, names, idleRounds, ({ name }) =>
      runIdleRound(this.#environment, name, feeds),
    )
  }

  #inTurns<Runner extends { readonly name: Contender }, Round extends AnyRound>(
    what: string,
    runners: ReadonlyArray<Runner>,
    rounds: number,
    run: (runner: Runner) => Promise<Round>,
  ): Promise<Rounds<Round>> {
    let begun = -1
    return inTurns(runners, rounds, async (runner, round) => {
      if (round > begun) {
        begun = round
        this.#progress(`sse, ${what}, round ${round + 1} of ${rounds}`)
        // Compacted for all alike: a file that grew during one round would slow the next.
        await compact(this.#environment.redis.client)
      }
      return this.#note(runner.name, await run(runner))
    })
  }

  #note<Round extends AnyRound>(name: Contender, round: Round): Round {
    this.problems.set(name, [...(this.problems.get(name) ?? []), ...round.problems])
    return round
  }
}

const memoryName = "idle: resident bytes a stream"
const fanOutName = "fan-out: frames a core-second of the server"
const burstsName = ({ burstEvents }: SseSize) =>
  `fan-out in bursts of ${grouped(burstEvents)}: frames a core-second`
const latencyName = ({ latencyEventsPerSecond }: SseSize) =>
  `event -> frame at ${grouped(latencyEventsPerSecond)}/s`
const replayName = ({ replayEvents }: SseSize) => `replay of ${grouped(replayEvents)} events`

const perCpu = (part: keyof PaceRound["cpuMillis"], of: "frames" | "events") => (round: PaceRound) =>
  (round.cpuMillis[part] * 1_000) / round[of]
const framesPerCoreSecond = ({ frames, cpuMillis }: PaceRound): number => (frames * 1_000) / cpuMillis.server

const sseMetrics = (rounds: SseRounds, size: SseSize): ReadonlyArray<Metric> => [
  ...metricsOf(rounds.idle, [
    [memoryName, "B", ({ bytesPerStream }) => bytesPerStream],
    ["idle: time to open all", "s", ({ openSeconds }) => openSeconds],
    ["idle: CPU of the server to open one", "us", ({ openCpuMicros }) => openCpuMicros],
  ]),
  ...metricsOf(rounds.fanOut, [
    [fanOutName, "1/s", framesPerCoreSecond],
    ["fan-out: CPU of the server per frame", "us", perCpu("server", "frames")],
    ["fan-out: CPU of the load per frame", "us", perCpu("client", "frames")],
    ["fan-out: frames delivered", "1/s", ({ frames, seconds }) => frames / seconds],
    ["fan-out: bytes of a frame", "B", ({ frameBytes }) => frameBytes],
  ]),
  ...metricsOf(rounds.bursts, [[burstsName(size), "1/s", framesPerCoreSecond]]),
  ...metricsOf(rounds.latency, [
    [`${latencyName(size)} p50`, "ms", ({ latencies }) => percentileOf(latencies, 50)],
    [`${latencyName(size)} p99`, "ms", ({ latencies }) => percentileOf(latencies, 99)],
    [`${latencyName(size)} p99.9`, "ms", ({ latencies }) => percentileOf(latencies, 99.9)],
    [`${latencyName(size)}: source's own lateness p99`, "ms", ({ latenessMillis }) => latenessMillis],
    [`${latencyName(size)}: CPU of the server per event`, "us", perCpu("server", "events")],
    [`${latencyName(size)}: CPU of Redis per event`, "us", perCpu("redis", "events")],
  ]),
  ...metricsOf(rounds.replay, [
    [replayName(size), "ms", ({ millis }) => millis],
    [`${replayName(size)}: CPU of the server`, "ms", ({ serverCpuMillis }) => serverCpuMillis],
  ]),
]

/** The targets of a run: of nchan only if it is installed. */
const sseTargets = (
  metrics: ReadonlyArray<Metric>,
  size: SseSize,
  hasNchan: boolean,
): ReadonlyArray<Target> => [
  valueTarget(metrics, memoryName, { atMost: 4_096 }),
  ...[fanOutName, burstsName(size)].flatMap((fanOut) => [
    ratioTarget(metrics, fanOut, "bare", { atLeast: 0.9 }),
    ...(hasNchan ? [ratioTarget(metrics, fanOut, "nchan", { atLeast: 1.8 })] : []),
  ]),
  valueTarget(metrics, replayName(size), { atMost: 100 }),
  // Three times as fast as nchan.
  ...(hasNchan ? [ratioTarget(metrics, replayName(size), "nchan", { atMost: 0.333 })] : []),
  valueTarget(metrics, `${latencyName(size)} p50`, { atMost: 2 }),
]

/** All contenders must send frames of the same length, except nchan, whose own ids are shorter. */
const sameBytes = ({ fanOut }: SseRounds): Check => {
  const bytes = [...fanOut].map(([name, rounds]) => [name, rounds[0]?.frameBytes ?? Number.NaN] as const)
  const others = bytes.filter(([name]) => name !== "nchan").map(([, length]) => length)
  return {
    name: "same bytes",
    isRight: Math.max(...others) - Math.min(...others) < 1,
    detail: `bytes of a frame: ${bytes.map(([name, length]) => `${name} ${formatNumber(length)}`).join(", ")}`,
  }
}

const checksOf = ({ problems }: Run, rounds: SseRounds): ReadonlyArray<Check> => [
  sameBytes(rounds),
  ...[...rounds.fanOut.keys()].map((name) => {
    const paced = [rounds.fanOut, rounds.bursts, rounds.latency].flatMap((found) => found.get(name) ?? [])
    const frames = paced.reduce((sum, round) => sum + round.frames, 0)
    const replays = rounds.replay.get(name)?.length ?? 0
    const idle = rounds.idle.get(name)?.[0]?.opened ?? 0
    const detail = `${frames} live frames, ${replays} replays and one event to each of ${idle} idle streams: each event once, in order, byte for byte (nchan: except ids)`
    const isDone = frames > 0 && replays > 0 && idle > 0
    return problemsCheck(`${name}, frames`, problems.get(name) ?? [], detail, isDone)
  }),
]

/** The size, reduced to what one process may have open: the load has the subscribers of all contenders at once. */
const permittedSize = async (size: SseSize): Promise<SseSize> => {
  const permitted = await streamsPermitted(Math.max(size.idleStreams, size.subscribers * streamNames.length))
  const idleFeeds = Math.floor(Math.min(size.idleStreams, permitted) / streamsPerFeed)
  const subscribers = Math.min(size.subscribers, Math.floor(permitted / streamNames.length))
  return { ...size, idleStreams: idleFeeds * streamsPerFeed, subscribers }
}

/** Event streams: idle, fan-out, latency and replay, beside a bare server and nchan. */
export const runSse: RunSuite = async (size, progress) => {
  const wanted = sseSizes[size]
  const permitted = await permittedSize(wanted)
  const isCut = permitted.idleStreams < wanted.idleStreams || permitted.subscribers < wanted.subscribers
  const cut = `permit no more than ${grouped(permitted.idleStreams)} idle streams and ${grouped(permitted.subscribers)} subscribers here`
  if (isCut) progress(`sse: open files ${cut}`)
  const nchanSize = {
    connectionsMax: Math.max(permitted.idleStreams, permitted.subscribers) + spareConnections,
    eventsMax: permitted.replayEvents + 1,
  }
  return withStreamEnvironment(nchanSize, async (environment) => {
    const { nchanVersion } = environment
    const nchan =
      nchanVersion === undefined
        ? "left out: no nginx with nchan on this machine (Debian: nginx-light and libnginx-mod-nchan)"
        : `${nchanVersion}, one process, memory store (its default and fastest; nothing survives a restart), one publisher`
    if (nchanVersion === undefined) progress(`sse, nchan: ${nchan}`)
    const run = new Run(permitted, environment, progress)
    const rounds = await run.measure()
    const metrics = sseMetrics(rounds, permitted)
    const opened = Math.min(...(rounds.idle.get("corrente") ?? []).map((round) => round.opened))
    const open = targetOf(`idle: ${grouped(permitted.idleStreams)} streams open in one process`, opened, {
      atLeast: permitted.idleStreams,
    })
    return {
      suite: "sse",
      parameters: { ...permitted, ...notes, nchan, ...(isCut ? { "open files": cut } : {}) },
      metrics,
      targets: [open, ...sseTargets(metrics, permitted, nchanVersion !== undefined)],
      checks: checksOf(run, rounds),
    }
  })
}

const notes = {
  events:
    "transaction.created of one charge with its QR; appended by events.append of the service's own Lua " +
    "(XADD, seq, hint) in a function library of the bench, Redis with fsync always; frames byte for byte the service's",
  contenders:
    "one process each. bare: hints and XRANGE, each read encoded once, one write per stream; it checks no key. All send " +
    "heartbeats every 15 s",
  "idle streams":
    "ten per feed, on a freshly started server; resident memory after minus before, each after a garbage collection",
  "fan-out":
    "one feed, whose streams stay open through all rounds. The service allows a seller ten streams, so its record of them " +
    "in Redis is deleted as more open. In bursts, one call appends that many events, as often as the rate requires",
  latency: "open loop: from when an event was due to its frame, append and fsync included",
  replay:
    "from connecting with Last-Event-ID to the last frame; the load reads, compares and keeps every byte",
}
