import type { Metric, RoundValues, Target } from "../report/result.ts"
import { makeMetric, ratioTarget, valueTarget } from "../report/result.ts"
import { percentileOf } from "../support/statistics.ts"
import type { IdleRound } from "./idle.ts"
import type { PaceRound } from "./pace.ts"
import type { ReplayRound } from "./replay.ts"
import type { Rounds } from "./run.ts"
import type { SseSize } from "./sizes.ts"

/** All measurements of a run. */
export interface SseRounds {
  readonly idle: Rounds<IdleRound>
  readonly fanOut: Rounds<PaceRound>
  readonly bursts: Rounds<PaceRound>
  readonly latency: Rounds<PaceRound>
  readonly replay: Rounds<ReplayRound>
}

const valuesOf = <Round>(rounds: Rounds<Round>, value: (round: Round) => number): RoundValues =>
  Object.fromEntries([...rounds].map(([name, results]) => [name, results.map(value)]))

/** An integer with thousands separators. */
export const grouped = (count: number): string => count.toLocaleString("en-US")

const names = {
  memory: "idle: resident bytes a stream",
  fanOut: "fan-out: frames a core-second of the server",
  bursts: (events: number) => `fan-out in bursts of ${grouped(events)}: frames a core-second`,
  replay: (events: number) => `replay of ${grouped(events)} events`,
  latency: (rate: number) => `event -> frame at ${grouped(rate)}/s`,
}

const idleMetrics = (rounds: Rounds<IdleRound>): ReadonlyArray<Metric> => [
  makeMetric(
    names.memory,
    "B",
    valuesOf(rounds, (round) => round.bytesPerStream),
  ),
  makeMetric(
    "idle: time to open all",
    "s",
    valuesOf(rounds, (round) => round.openSeconds),
  ),
  makeMetric(
    "idle: CPU of the server to open one",
    "us",
    valuesOf(rounds, (round) => round.openCpuMicros),
  ),
]

const microsPerFrame = (part: keyof PaceRound["cpuMillis"]) => (round: PaceRound) =>
  (round.cpuMillis[part] * 1_000) / round.frames

const framesPerCoreSecond = ({ frames, cpuMillis }: PaceRound): number => (frames * 1_000) / cpuMillis.server

const fanOutMetrics = ({ fanOut, bursts }: SseRounds, { burstEvents }: SseSize): ReadonlyArray<Metric> => [
  makeMetric(names.fanOut, "1/s", valuesOf(fanOut, framesPerCoreSecond)),
  makeMetric("fan-out: CPU of the server per frame", "us", valuesOf(fanOut, microsPerFrame("server"))),
  makeMetric("fan-out: CPU of the load per frame", "us", valuesOf(fanOut, microsPerFrame("client"))),
  makeMetric(
    "fan-out: frames delivered",
    "1/s",
    valuesOf(fanOut, (round) => round.frames / round.seconds),
  ),
  makeMetric(
    "fan-out: bytes of a frame",
    "B",
    valuesOf(fanOut, (round) => round.frameBytes),
  ),
  makeMetric(names.bursts(burstEvents), "1/s", valuesOf(bursts, framesPerCoreSecond)),
]

const latencyMetrics = (
  rounds: Rounds<PaceRound>,
  { latencyEventsPerSecond }: SseSize,
): ReadonlyArray<Metric> => {
  const name = names.latency(latencyEventsPerSecond)
  const perEvent = (part: keyof PaceRound["cpuMillis"]) => (round: PaceRound) =>
    (round.cpuMillis[part] * 1_000) / round.events
  return [
    ...[50, 99, 99.9].map((percent) =>
      makeMetric(
        `${name} p${percent}`,
        "ms",
        valuesOf(rounds, (round) => percentileOf(round.latencies, percent)),
      ),
    ),
    makeMetric(
      `${name}: source's own lateness p99`,
      "ms",
      valuesOf(rounds, (round) => round.latenessMillis),
    ),
    makeMetric(`${name}: CPU of the server per event`, "us", valuesOf(rounds, perEvent("server"))),
    makeMetric(`${name}: CPU of Redis per event`, "us", valuesOf(rounds, perEvent("redis"))),
  ]
}

const replayMetrics = (rounds: Rounds<ReplayRound>, { replayEvents }: SseSize): ReadonlyArray<Metric> => [
  makeMetric(
    names.replay(replayEvents),
    "ms",
    valuesOf(rounds, (round) => round.millis),
  ),
  makeMetric(
    `${names.replay(replayEvents)}: CPU of the server`,
    "ms",
    valuesOf(rounds, (round) => round.serverCpuMillis),
  ),
]

/** The metrics of a run. */
export const sseMetrics = (rounds: SseRounds, size: SseSize): ReadonlyArray<Metric> => [
  ...idleMetrics(rounds.idle),
  ...fanOutMetrics(rounds, size),
  ...latencyMetrics(rounds.latency, size),
  ...replayMetrics(rounds.replay, size),
]

/** Targets. */
const bytesPerStreamTarget = 4_096
const fanOutTargets = { bare: 0.9, nchan: 1.8 }
const replayMillisTarget = 100
/** Relative to nchan's time: three times as fast. */
const replayNchanTarget = 0.333
const latencyMillisTarget = 2

/** The targets of a run: of open streams only if that many were requested, of nchan only if it is installed. */
export const sseTargets = (
  metrics: ReadonlyArray<Metric>,
  size: SseSize,
  streams: { readonly wanted: number; readonly permitted: number; readonly opened: number },
  hasNchan: boolean,
): ReadonlyArray<Target> => {
  const replay = names.replay(size.replayEvents)
  const latency = `${names.latency(size.latencyEventsPerSecond)} p50`
  const { wanted, permitted, opened } = streams
  const permission = permitted < wanted ? ` (open files permit ${grouped(permitted)} here)` : ""
  return [
    ...(wanted < 20_000
      ? []
      : [
          {
            name: `idle: ${grouped(wanted)} streams open in one process${permission}`,
            measured: opened,
            isMet: opened >= permitted,
          },
        ]),
    valueTarget(metrics, names.memory, { atMost: bytesPerStreamTarget }),
    ...[names.fanOut, names.bursts(size.burstEvents)].flatMap((fanOut) => [
      ratioTarget(metrics, fanOut, "bare", { atLeast: fanOutTargets.bare }),
      ...(hasNchan ? [ratioTarget(metrics, fanOut, "nchan", { atLeast: fanOutTargets.nchan })] : []),
    ]),
    valueTarget(metrics, replay, { atMost: replayMillisTarget }),
    ...(hasNchan ? [ratioTarget(metrics, replay, "nchan", { atMost: replayNchanTarget })] : []),
    valueTarget(metrics, latency, { atMost: latencyMillisTarget }),
  ]
}
