import { Effect, type Scope } from "effect"
import { fastBounds, Histogram } from "../../../actors/metrics/histogram.ts"
import { makeRegistrar, type Registrar } from "../../../actors/metrics/registrar.ts"
import { isReadOnlyFunction, plainName } from "./luaFunction.ts"
import type { Argument, Outcome, Reply } from "./redisConnection.ts"

/** Sends a command, or fails at once if it cannot. */
export type Send = (command: string, args: ReadonlyArray<Argument>, outcome: Outcome) => void

/** Measures commands from sending to their answer. */
export class CommandTimes {
  readonly #registrar: Registrar
  readonly #all = new Histogram(fastBounds)
  readonly #commits = new Map<Argument, Histogram | undefined>()
  #failures = 0

  constructor(registrar: Registrar) {
    this.#registrar = registrar
    registrar.histogram(
      {
        name: "corrente_redis_command_duration_seconds",
        description: "Time from sending a command to Redis to its reply",
      },
      this.#all,
    )
    registrar.counter(
      { name: "corrente_redis_command_failures_total", description: "Commands that failed or got no reply" },
      () => this.#failures,
    )
  }

  /** Shows how often connections broke. */
  countBreaks(breaks: () => number): void {
    const series = {
      name: "corrente_redis_reconnects_total",
      description: "Connections to Redis that broke, and slots of a cluster that got another primary",
    }
    this.#registrar.counter(series, breaks)
  }

  /** Wraps the function that sends, so that its commands are measured. */
  timed(send: Send): Send {
    return (command, args, outcome) => {
      const commits = command === "FCALL" ? this.#commitsOf(args[0] ?? "") : undefined
      send(command, args, new TimedOutcome(this, commits, outcome))
    }
  }

  /** Counts a command that was answered after so long; `commits` if it was one. */
  answered(seconds: number, commits: Histogram | undefined): void {
    this.#all.record(seconds)
    commits?.record(seconds)
  }

  /** Counts a command that failed or got no reply. */
  failed(): void {
    this.#failures += 1
  }

  /** The histogram of a function's calls; undefined for one that writes nothing. */
  #commitsOf(name: Argument): Histogram | undefined {
    if (this.#commits.has(name)) return this.#commits.get(name)
    const plain = plainName(String(name))
    // Calls of functions that write nothing are no commits.
    const histogram = isReadOnlyFunction(plain) ? undefined : new Histogram(fastBounds)
    this.#commits.set(name, histogram)
    if (histogram !== undefined) this.#register(plain, histogram)
    return histogram
  }

  #register(name: string, histogram: Histogram): void {
    const series = {
      name: "corrente_commit_duration_seconds",
      description: "Time from sending a commit to Redis to its reply, which says that it is on disk",
      labels: { function: name },
    }
    this.#registrar.histogram(series, histogram)
  }
}

/** Measures a command, from when it is made. One object: two functions and what they share would be four. */
class TimedOutcome implements Outcome {
  readonly #times: CommandTimes
  readonly #commits: Histogram | undefined
  readonly #outcome: Outcome
  readonly #beganMillis = performance.now()

  constructor(times: CommandTimes, commits: Histogram | undefined, outcome: Outcome) {
    this.#times = times
    this.#commits = commits
    this.#outcome = outcome
  }

  answered(reply: Reply, atMillis: number): void {
    this.#times.answered((atMillis - this.#beganMillis) / 1_000, this.#commits)
    this.#outcome.answered(reply, atMillis)
  }

  failed(cause: unknown): void {
    this.#times.failed()
    this.#outcome.failed(cause)
  }
}

/** Measures the commands of a client until the scope closes. */
export const makeCommandTimes: Effect.Effect<CommandTimes, never, Scope.Scope> = Effect.map(
  makeRegistrar,
  (registrar) => new CommandTimes(registrar),
)
