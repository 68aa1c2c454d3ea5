import type { Progress } from "../report/result.ts"
import { compact } from "../support/redisServer.ts"
import { type BenchFeed, makeFeeds } from "./feeds.ts"
import { type IdleRound, runIdleRound, streamsPerFeed } from "./idle.ts"
import { grouped } from "./metrics.ts"
import { type PaceOptions, type PaceRound, runPaceRound } from "./pace.ts"
import { type LoadProcesses, Pipeline } from "./pipeline.ts"
import { fillFeeds, type ReplayRound, runReplayRound } from "./replay.ts"
import type { SseSize } from "./sizes.ts"
import type { StreamEnvironment, StreamName } from "./streamEnvironment.ts"

/** Warm-up replays. */
const replayWarmUps = 3

/** Rounds by contender. */
export type Rounds<Round> = ReadonlyMap<StreamName, ReadonlyArray<Round>>

/** Rounds of events at a fixed rate to open streams; `what` is for the progress. */
export type RunPace = (what: string, pace: Omit<PaceOptions, "streams">) => Promise<Rounds<PaceRound>>

/** One run of the suite. */
export class Run {
  readonly size: SseSize
  /** Problems by contender. */
  readonly problems = new Map<StreamName, Array<string>>()
  readonly #environment: StreamEnvironment
  readonly #processes: LoadProcesses
  readonly #progress: Progress

  constructor(size: SseSize, environment: StreamEnvironment, processes: LoadProcesses, progress: Progress) {
    this.size = size
    this.#environment = environment
    this.#processes = processes
    this.#progress = progress
    for (const name of environment.names) this.problems.set(name, [])
  }

  /** Runs `body` with a pipeline of each contender. */
  async withPipelines<A>(body: (pipelines: ReadonlyArray<Pipeline>) => Promise<A>): Promise<A> {
    const pipelines: Array<Pipeline> = []
    try {
      for (const name of this.#environment.names)
        pipelines.push(await Pipeline.start(this.#environment, name, this.#processes))
      return await body(pipelines)
    } finally {
      for (const { server } of pipelines) await server.stop()
    }
  }

  /**
   * Opens streams of one feed for each pipeline, and runs `body` with a function that appends events to them at a fixed
   * rate.
   */
  async withStreams<A>(
    pipelines: ReadonlyArray<Pipeline>,
    streams: number,
    body: (pace: RunPace) => Promise<A>,
  ): Promise<A> {
    const group = ({ name }: Pipeline) => `${streams} streams of ${name}`
    const feeds = new Map<Pipeline, BenchFeed>()
    for (const pipeline of pipelines) {
      this.#progress(`sse: opening ${group(pipeline)}`)
      for (const feed of await makeFeeds(this.#environment.redis.client, 1)) {
        feeds.set(pipeline, feed)
        await pipeline.openMany(group(pipeline), feed, streams)
      }
    }
    const run = async (pipeline: Pipeline, options: PaceOptions, millis: number): Promise<PaceRound> => {
      const feed = feeds.get(pipeline)
      if (feed === undefined) throw new Error(`${pipeline.name} has no feed`)
      const round = await runPaceRound(this.#environment, pipeline, feed, group(pipeline), options, millis)
      this.#note(pipeline.name, round.problems)
      return round
    }
    const result = await body(async (what, pace) => {
      const { warmUpMillis, rounds, measureMillis } = this.size
      const options = { ...pace, streams }
      this.#progress(`sse, ${what}: warming up`)
      for (const pipeline of pipelines) await run(pipeline, options, warmUpMillis)
      return this.#inTurns(what, pipelines, rounds, (pipeline) => run(pipeline, options, measureMillis))
    })
    for (const pipeline of pipelines) await pipeline.close(group(pipeline))
    return result
  }

  /** One client at a time, which has missed many events. */
  async replay(pipelines: ReadonlyArray<Pipeline>): Promise<Rounds<ReplayRound>> {
    const { replayEvents, replayRounds } = this.size
    const [feed] = await makeFeeds(this.#environment.redis.client, 1)
    if (feed === undefined) throw new Error("no feed was created")
    this.#progress(`sse, replay: ${grouped(replayEvents)} events`)
    const filled = await fillFeeds(pipelines, feed, replayEvents)
    const run = async (pipeline: Pipeline): Promise<ReplayRound> => {
      const found = filled.get(pipeline)
      if (found === undefined) throw new Error(`${pipeline.name} has no feed`)
      const round = await runReplayRound(pipeline, found)
      this.#note(pipeline.name, round.problems)
      return round
    }
    for (let round = 0; round < replayWarmUps; round++) for (const pipeline of pipelines) await run(pipeline)
    return this.#inTurns("replay", pipelines, replayRounds, run)
  }

  /** Idle streams on a freshly started server. */
  async idle(streams: number): Promise<Rounds<IdleRound>> {
    const feeds = await makeFeeds(this.#environment.redis.client, Math.floor(streams / streamsPerFeed))
    const what = `${grouped(streams)} idle streams`
    const names = this.#environment.names.map((name) => ({ name }))
    return this.#inTurns(what, names, this.size.idleRounds, async ({ name }) => {
      const round = await runIdleRound(this.#environment, name, this.#processes, feeds)
      this.#note(name, round.problems)
      return round
    })
  }

  /** Each round runs all contenders, in alternating order. */
  async #inTurns<Runner extends { readonly name: StreamName }, Round>(
    what: string,
    runners: ReadonlyArray<Runner>,
    rounds: number,
    run: (runner: Runner) => Promise<Round>,
  ): Promise<Rounds<Round>> {
    const results = new Map<StreamName, Array<Round>>()
    for (let round = 0; round < rounds; round++) {
      this.#progress(`sse, ${what}, round ${round + 1} of ${rounds}`)
      // Compacted for all alike: a file that grew during one round would slow the next.
      await compact(this.#environment.redis.client)
      for (const runner of round % 2 === 0 ? runners : runners.toReversed()) {
        const found = results.get(runner.name) ?? []
        results.set(runner.name, found)
        found.push(await run(runner))
      }
    }
    return results
  }

  #note(name: StreamName, problems: ReadonlyArray<string>): void {
    this.problems.get(name)?.push(...problems)
  }
}
