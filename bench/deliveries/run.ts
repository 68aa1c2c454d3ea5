import type { DelivererName } from "../load/deliveryProtocol.ts"
import type { Progress } from "../report/result.ts"
import { formatNumber } from "../report/text.ts"
import { percentileOf } from "../support/statistics.ts"
import { type AloneRound, runAlone } from "./alone.ts"
import type { DeliveryEnvironment } from "./deliveryEnvironment.ts"
import {
  type FanOutRound,
  type IsolationRound,
  type LatencyRound,
  runFanOut,
  runIsolation,
  runLatency,
  runStorm,
  type StormRound,
} from "./phases.ts"
import type { DeliverySide, PeerSide } from "./side.ts"
import type { DeliverySize } from "./sizes.ts"

/** Rounds by contender. */
export type Rounds<Round> = ReadonlyMap<DelivererName, ReadonlyArray<Round>>

/** Healthy endpoints, while none hangs and while half of all hang. */
export interface IsolationPair {
  readonly none: IsolationRound
  readonly half: IsolationRound
}

/** Jobs that are due at once, and delayed jobs. */
export interface AlonePair {
  readonly processed: AloneRound
  readonly delayed: AloneRound
}

/** Duration of the warm-up before the latency rounds. */
const latencyWarmUpShare = 0.5

const rateText = (count: number, seconds: number): string => `${formatNumber(count / seconds)}/s`

/** One run of the suite. */
export class DeliveryRun {
  /** Problems by contender. */
  readonly problems = new Map<DelivererName, Array<string>>()
  readonly #size: DeliverySize
  readonly #environment: DeliveryEnvironment
  readonly #progress: Progress

  constructor(size: DeliverySize, environment: DeliveryEnvironment, progress: Progress) {
    this.#size = size
    this.#environment = environment
    this.#progress = progress
    for (const { name } of environment.sides) this.problems.set(name, [])
  }

  /** Throughput: all events at once. */
  async fanOut(): Promise<Rounds<FanOutRound>> {
    const { fanOutEvents, fanOutRounds } = this.#size
    const run = (events: number) => async (side: DeliverySide) => {
      const round = await runFanOut(this.#environment, side, events)
      this.#note(side, round.problems, `fan-out, ${side.name}: ${rateText(round.measured, round.seconds)}`)
      return round
    }
    await this.#inTurns("fan-out, warming up", 1, run(fanOutEvents))
    return this.#inTurns("fan-out", fanOutRounds, run(fanOutEvents))
  }

  /** Events at a fixed rate, each to one endpoint. */
  async latency(): Promise<Rounds<LatencyRound>> {
    const { latencyMillis, latencyRounds } = this.#size
    const run = (millis: number) => async (side: DeliverySide) => {
      const round = await runLatency(this.#environment, side, this.#size, millis)
      const p50 = `p50 ${formatNumber(percentileOf(round.latencies, 50))} ms`
      this.#note(side, round.problems, `event -> receiver, ${side.name}: ${p50}`)
      return round
    }
    await this.#inTurns("event -> receiver, warming up", 1, run(latencyMillis * latencyWarmUpShare))
    return this.#inTurns("event -> receiver", latencyRounds, run(latencyMillis))
  }

  /** Deliveries that failed once and are all due again at the same moment. */
  async storm(): Promise<Rounds<StormRound>> {
    const { stormDeliveries, stormRounds } = this.#size
    return this.#inTurns("retry storm", stormRounds, async (side) => {
      const round = await runStorm(this.#environment, side, stormDeliveries)
      this.#note(
        side,
        round.problems,
        `retry storm, ${side.name}: ${rateText(round.measured, round.seconds)}`,
      )
      return round
    })
  }

  /** Healthy endpoints while none hangs and while half of all hang, in alternating order. */
  async isolation(): Promise<Rounds<IsolationPair>> {
    const { isolationMillis, isolationRounds } = this.#size
    const run = async (side: DeliverySide, isHanging: boolean) => {
      const round = await runIsolation(this.#environment, side, this.#size, isolationMillis, isHanging)
      const p99 = `p99 ${formatNumber(percentileOf(round.latencies, 99))} ms`
      this.#note(
        side,
        round.problems,
        `isolation, ${side.name}, ${isHanging ? "half hang" : "none hangs"}: ${p99}`,
      )
      return round
    }
    let turns = 0
    return this.#inTurns("isolation", isolationRounds, async (side) => {
      turns += 1
      if (turns % 2 === 0) {
        const half = await run(side, true)
        return { none: await run(side, false), half }
      }
      const none = await run(side, false)
      return { none, half: await run(side, true) }
    })
  }

  /** The peers' queues without requests. */
  async alone(): Promise<Rounds<AlonePair>> {
    const { aloneJobs, aloneRounds } = this.#size
    const peers: Array<PeerSide> = []
    try {
      for (const name of ["bare", "bullmq"] as const) peers.push(await this.#environment.startAlone(name))
      const run = async (side: PeerSide): Promise<AlonePair> => {
        const processed = await runAlone(this.#environment, side, aloneJobs, false)
        const delayed = await runAlone(this.#environment, side, aloneJobs, true)
        const rate = rateText(processed.jobs, processed.seconds)
        this.#note(side, [...processed.problems, ...delayed.problems], `alone, ${side.name}: ${rate}`)
        return { processed, delayed }
      }
      return await this.#turns("queue alone", peers, aloneRounds, run)
    } finally {
      for (const peer of peers) await peer.stop()
    }
  }

  #inTurns<Round>(what: string, rounds: number, run: (side: DeliverySide) => Promise<Round>) {
    return this.#turns(what, this.#environment.sides, rounds, run)
  }

  /** Each round runs all contenders, in alternating order. */
  async #turns<Side extends DeliverySide, Round>(
    what: string,
    sides: ReadonlyArray<Side>,
    rounds: number,
    run: (side: Side) => Promise<Round>,
  ): Promise<Rounds<Round>> {
    const results = new Map<DelivererName, Array<Round>>(sides.map(({ name }) => [name, []]))
    for (let round = 0; round < rounds; round++) {
      this.#progress(`deliveries, ${what}, round ${round + 1} of ${rounds}`)
      for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
        results.get(side.name)?.push(await run(side))
      }
    }
    return results
  }

  #note(side: DeliverySide, problems: ReadonlyArray<string>, line: string): void {
    this.problems.get(side.name)?.push(...problems)
    this.#progress(`deliveries, ${line}`)
  }
}
