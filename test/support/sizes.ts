import { randomInt } from "node:crypto"

/** A whole number of 1 or more from the environment, or the default. */
const size = (name: string, otherwise: number): number => {
  const value = Number(process.env[name] ?? otherwise)
  if (Number.isInteger(value) && value >= 1) return value
  throw new Error(`${name} must be a whole number of 1 or more`)
}

/** One of `words` from the environment, the first by default. */
const choice = <Word extends string>(name: string, words: readonly [Word, ...ReadonlyArray<Word>]): Word => {
  const [otherwise] = words
  const word = words.find((known) => known === (process.env[name] ?? otherwise))
  if (word === undefined) throw new Error(`${name} must be ${words.join(" or ")}`)
  return word
}

/** So many runs of a property that starts nothing: all, or the share that `PROPERTY_PERCENT` says. */
export const runsOf = (all: number): number => Math.ceil((all * size("PROPERTY_PERCENT", 25)) / 100)

/**
 * The sizes of the random tests and of those that kill processes. The defaults are a sample that is known to find what
 * these tests have found (docs/testing.md#sizes); `.ci/run` sets the full sizes.
 */
export const sizes = {
  /** Interleavings of messages, departures and failures of actors. */
  interleavings: size("ACTOR_INTERLEAVINGS", 15),
  /** Sequences of operations on the stores: all on the model in memory, a seventh on Redis. */
  storeSequences: size("STORE_SEQUENCES", 100),
  /** Retry ladders with any delays and receivers. */
  ladders: size("RETRY_LADDERS", 6),
  /** Malformed requests to the whole service; its HTTP server alone always gets 2,000. */
  malformedRequests: size("MALFORMED_REQUESTS", 500),
  /** QR codes to read with a scanner. */
  qrScans: size("QR_SCANS", 5),
  /** Sequences of up to 50 acts on a seller, against the model. */
  moneySequences: size("MONEY_SEQUENCES", 200),
  /** Histories of an acquirer. */
  moneyHistories: size("MONEY_HISTORIES", 100),
  /** Rounds of each race over two processes. */
  moneyRaceRounds: size("MONEY_RACE_ROUNDS", 16),
  /** Which kills on the paths of money are tried: the first after each call that changes anything, or all. */
  moneyKills: choice("FAULTS_MONEY_KILLS", ["sample", "all"]),
  /** Kills of the process, and of Redis, under load. */
  processKills: size("FAULTS_PROCESS_KILLS", 3),
  redisKills: size("FAULTS_REDIS_KILLS", 3),
  /** Deploys, each of which replaces both processes by those of another build under load. */
  deploys: size("DEPLOYS", 2),
  /** Failovers behind Sentinels and in a cluster under load, and faults of other kinds. */
  failovers: size("FAULTS_FAILOVERS", 2),
  randomFaults: size("FAULTS_RANDOM", 3),
  /** Draws both; a failure prints it. */
  faultsSeed: size("FAULTS_SEED", randomInt(1, 2 ** 31)),
  /** What of the benches runs in its small size: one suite, one way to stop it and no peers, or all. */
  benchSuites: choice("BENCH_SUITES", ["sample", "all"]),
  /** What reads the OpenAPI documents: each linter one of them and one generator the whole, or each linter all and three generators. */
  lintedDocuments: choice("LINTED_DOCUMENTS", ["sample", "all"]),
  /** How each state of a page is looked at: at one width in one scheme, which its name chooses, or at both in both. */
  pageLooks: choice("PAGE_LOOKS", ["sample", "all"]),
  chargesPerSecond: size("FAULTS_CHARGES_PER_SECOND", 50),
} as const
