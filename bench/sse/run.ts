import type { Progress } from "../report/result.ts"
import { compact } from "../support/redisServer.ts"
import { type BenchFeed, makeFeeds } from "./feeds.ts"
import { type IdleRound, runIdleRound, streamsPerFeed } from "./idle.ts"
import { Line, type LoadProcesses } from "./pipeline.ts"
import { grouped } from "./metrics.ts"
import { type PaceOptions, type PaceRound, runPaceRound } from "./pace.ts"
import { fillFeeds, type ReplayRound, runReplayRound } from "./replay.ts"
import type { SseSize } from "./sizes.ts"
import type { Stand, StreamName } from "./streamEnvironment.ts"

/** Replays before those that count. */
const replayWarmUps = 3

/** Rounds by contender. */
export type Rounds<Round> = ReadonlyMap<StreamName, ReadonlyArray<Round>>

/** Rounds of events at a fixed rate, to streams that are open; `what` is for the progress. */
export type RunPace = (what: string, pace: Omit<PaceOptions, "streams">) => Promise<Rounds<PaceRound>>

/** One run of the suite. */
export class Run {
  readonly size: SseSize
  /** What was wrong, by contender. */
  readonly problems = new Map<StreamName, Array<string>>()
  private readonly stand: Stand
  private readonly processes: LoadProcesses
  private readonly progress: Progress

  constructor(size: SseSize, stand: Stand, processes: LoadProcesses, progress: Progress) {
    this.size = size
    this.stand = stand
    this.processes = processes
    this.progress = progress
    for (const name of stand.names) this.problems.set(name, [])
  }

  /** Runs `body` with a line of each contender. */
  async withLines<A>(body: (lines: ReadonlyArray<Line>) => Promise<A>): Promise<A> {
    const lines: Array<Line> = []
    try {
      for (const name of this.stand.names) lines.push(await Line.start(this.stand, name, this.processes))
      return await body(lines)
    } finally {
      for (const { server } of lines) await server.stop()
    }
  }

  /** Opens streams of one feed for each line, and runs `body` with what appends events to them at a fixed rate. */
  async withStreams<A>(
    lines: ReadonlyArray<Line>,
    streams: number,
    body: (pace: RunPace) => Promise<A>,
  ): Promise<A> {
    const group = ({ name }: Line) => `${streams} streams of ${name}`
    const feeds = new Map<Line, BenchFeed>()
    for (const line of lines) {
      this.progress(`sse: opening ${group(line)}`)
      for (const feed of await makeFeeds(this.stand.redis.client, 1)) {
        feeds.set(line, feed)
        await line.openMany(group(line), feed, streams)
      }
    }
    const run = async (line: Line, options: PaceOptions, millis: number): Promise<PaceRound> => {
      const feed = feeds.get(line)
      if (feed === undefined) throw new Error(`${line.name} has no feed`)
      const round = await runPaceRound(this.stand, line, feed, group(line), options, millis)
      this.note(line.name, round.problems)
      return round
    }
    const result = await body(async (what, pace) => {
      const { warmUpMillis, rounds, measureMillis } = this.size
      const options = { ...pace, streams }
      this.progress(`sse, ${what}: warming up`)
      for (const line of lines) await run(line, options, warmUpMillis)
      return this.inTurns(what, lines, rounds, (line) => run(line, options, measureMillis))
    })
    for (const line of lines) await line.close(group(line))
    return result
  }

  /** One client at a time that has missed many events. */
  async replay(lines: ReadonlyArray<Line>): Promise<Rounds<ReplayRound>> {
    const { replayEvents, replayRounds } = this.size
    const [feed] = await makeFeeds(this.stand.redis.client, 1)
    if (feed === undefined) throw new Error("no feed was made")
    this.progress(`sse, replay: ${grouped(replayEvents)} events`)
    const filled = await fillFeeds(lines, feed, replayEvents)
    const run = async (line: Line): Promise<ReplayRound> => {
      const found = filled.get(line)
      if (found === undefined) throw new Error(`${line.name} has no feed`)
      const round = await runReplayRound(line, found)
      this.note(line.name, round.problems)
      return round
    }
    for (let round = 0; round < replayWarmUps; round++) for (const line of lines) await run(line)
    return this.inTurns("replay", lines, replayRounds, run)
  }

  /** Streams that get nothing, on a server that was just started. */
  async idle(streams: number): Promise<Rounds<IdleRound>> {
    const feeds = await makeFeeds(this.stand.redis.client, Math.floor(streams / streamsPerFeed))
    const what = `${grouped(streams)} idle streams`
    const names = this.stand.names.map((name) => ({ name }))
    return this.inTurns(what, names, this.size.idleRounds, async ({ name }) => {
      const round = await runIdleRound(this.stand, name, this.processes, feeds)
      this.note(name, round.problems)
      return round
    })
  }

  /** Each round runs all contenders, in an order that alternates. */
  private async inTurns<Runner extends { readonly name: StreamName }, Round>(
    what: string,
    runners: ReadonlyArray<Runner>,
    rounds: number,
    run: (runner: Runner) => Promise<Round>,
  ): Promise<Rounds<Round>> {
    const results = new Map<StreamName, Array<Round>>()
    for (let round = 0; round < rounds; round++) {
      this.progress(`sse, ${what}, round ${round + 1} of ${rounds}`)
      // The same for all: a file that grew under one would be the next one's.
      await compact(this.stand.redis.client)
      for (const runner of round % 2 === 0 ? runners : runners.toReversed()) {
        const found = results.get(runner.name) ?? []
        results.set(runner.name, found)
        found.push(await run(runner))
      }
    }
    return results
  }

  private note(name: StreamName, problems: ReadonlyArray<string>): void {
    this.problems.get(name)?.push(...problems)
  }
}
