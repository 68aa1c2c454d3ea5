import type { Check, Progress, Size, SuiteResult } from "../report/result.ts"
import { formatNumber } from "../report/text.ts"
import { streamsPermitted } from "./fileLimit.ts"
import { streamsPerFeed } from "./idle.ts"
import { grouped, type SseRounds, sseMetrics, sseTargets } from "./metrics.ts"
import { withLoadProcesses } from "./pipeline.ts"
import { Run } from "./run.ts"
import { type SseSize, sseSizes } from "./sizes.ts"
import { type StreamEnvironment, streamNames, withStreamEnvironment } from "./streamEnvironment.ts"

/** Connections beside the measured streams: of the source, and those being closed. */
const spareConnections = 100

const checksOf = (run: Run, rounds: SseRounds): ReadonlyArray<Check> =>
  [...run.problems].map(([name, problems]): Check => {
    const sum = (results: ReadonlyArray<{ readonly frames: number }>) =>
      results.reduce((frames, round) => frames + round.frames, 0)
    const paced = [rounds.fanOut, rounds.bursts, rounds.latency]
    const frames = paced.reduce((all, results) => all + sum(results.get(name) ?? []), 0)
    const replays = rounds.replay.get(name)?.length ?? 0
    const idle = rounds.idle.get(name)?.[0]?.opened ?? 0
    return {
      name: `${name}, frames`,
      isRight: problems.length === 0 && frames > 0 && replays > 0 && idle > 0,
      detail:
        problems.length === 0
          ? `${frames} live frames, ${replays} replays and one event to each of ${idle} idle streams: each event once, in order, byte for byte (nchan: except ids)`
          : problems.slice(0, 5).join("; "),
    }
  })

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

/** The size, reduced to what one process may have open: the load has the subscribers of all contenders at once. */
const permittedSize = async (size: SseSize): Promise<SseSize> => {
  const permitted = await streamsPermitted(Math.max(size.idleStreams, size.subscribers * streamNames.length))
  const idleFeeds = Math.floor(Math.min(size.idleStreams, permitted) / streamsPerFeed)
  const subscribers = Math.min(size.subscribers, Math.floor(permitted / streamNames.length))
  return { ...size, idleStreams: idleFeeds * streamsPerFeed, subscribers }
}

/** What was reduced, for readers of the figures; undefined if nothing was. */
const cutText = (wanted: SseSize, size: SseSize): string | undefined => {
  if (size.idleStreams === wanted.idleStreams && size.subscribers === wanted.subscribers) return undefined
  const of = (name: "idleStreams" | "subscribers") => `${grouped(size[name])} of ${grouped(wanted[name])}`
  return `permit ${of("idleStreams")} idle streams and ${of("subscribers")} subscribers here, and the limit cannot be raised`
}

const parametersOf = (size: SseSize, environment: StreamEnvironment, cut: string | undefined) => ({
  ...size,
  ...notes,
  nchan:
    environment.nchan === undefined
      ? "left out: no nginx with nchan on this machine (Debian: nginx-light and libnginx-mod-nchan)"
      : `${environment.nchan.version}, one process, memory store (its default and fastest; nothing survives a restart), one publisher`,
  ...(cut === undefined ? {} : { "open files": cut }),
})

/** Event streams: idle, fan-out, latency and replay, beside a bare server, node:http and nchan. */
export const runSse = async (size: Size, progress: Progress): Promise<SuiteResult> => {
  const wanted = sseSizes[size]
  const parameters = await permittedSize(wanted)
  const { idleStreams, subscribers, fanOutEventsPerSecond, burstEvents } = parameters
  const { latencyStreams, latencyEventsPerSecond, replayEvents } = parameters
  const cut = cutText(wanted, parameters)
  if (cut !== undefined) progress(`sse: open files ${cut}`)
  const options = {
    connectionsMax: Math.max(idleStreams, subscribers) + spareConnections,
    eventsMax: replayEvents + 1,
  }
  return withStreamEnvironment(options, (environment) =>
    withLoadProcesses(environment, async (processes) => {
      if (environment.nchan === undefined) progress("sse: nginx with nchan is not installed: left out")
      const run = new Run(parameters, environment, processes, progress)
      const live = await run.withPipelines(async (pipelines) => ({
        ...(await run.withStreams(pipelines, subscribers, async (pace) => ({
          fanOut: await pace("fan-out", { eventsPerSecond: fanOutEventsPerSecond, batchEvents: 1 }),
          bursts: await pace("bursts", {
            eventsPerSecond: fanOutEventsPerSecond,
            batchEvents: burstEvents,
          }),
        }))),
        ...(await run.withStreams(pipelines, latencyStreams, async (pace) => ({
          latency: await pace("latency", { eventsPerSecond: latencyEventsPerSecond, batchEvents: 1 }),
        }))),
        replay: await run.replay(pipelines),
      }))
      const rounds: SseRounds = { ...live, idle: await run.idle(idleStreams) }
      const metrics = sseMetrics(rounds, parameters)
      const opened = Math.min(...(rounds.idle.get("corrente") ?? []).map((round) => round.opened))
      return {
        suite: "sse",
        parameters: parametersOf(parameters, environment, cut),
        metrics,
        targets: sseTargets(
          metrics,
          parameters,
          { wanted: wanted.idleStreams, permitted: idleStreams, opened },
          environment.nchan !== undefined,
        ),
        checks: [sameBytes(rounds), ...checksOf(run, rounds)],
      }
    }),
  )
}

const notes = {
  events:
    "transaction.created of one charge with its QR; appended by append_event of the service's own prelude.lua " +
    "(XADD, seq, hint) in a function library of the bench, Redis with fsync always; frames byte for byte the service's",
  contenders:
    "one process each. bare: hints and XRANGE, each read encoded once, one write per stream. node: node:http, one XREAD " +
    "for all feeds, each read encoded once. Neither checks a key; all send heartbeats every 15 s",
  "idle streams":
    "ten per feed, on a freshly started server; resident memory after minus before, each after a garbage collection",
  "fan-out":
    "one feed, whose streams stay open through all rounds. The service allows a seller ten streams, so its record of them " +
    "in Redis is deleted as more open. In bursts, one call appends that many events, as often as the rate requires",
  latency: "open loop: from when an event was due to its frame, append and fsync included",
  replay:
    "from connecting with Last-Event-ID to the last frame; the load reads, compares and keeps every byte",
}
