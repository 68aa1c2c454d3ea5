/** A whole number of 1 or more from the environment. */
const size = (name: string, otherwise: number): number => {
  const value = Number(process.env[name] ?? otherwise)
  if (Number.isInteger(value) && value >= 1) return value
  throw new Error(`${name} must be a whole number of 1 or more`)
}

/** One of these words from the environment. */
const choice = <Word extends string>(name: string, words: readonly [Word, ...ReadonlyArray<Word>]): Word => {
  const [otherwise] = words
  const word = words.find((known) => known === (process.env[name] ?? otherwise))
  if (word === undefined) throw new Error(`${name} must be ${words.join(" or ")}`)
  return word
}

/**
 * How much the random and the crashing tests do. The defaults are a sample that finds what these tests were seen to find
 * (docs/testing.md#sizes); `.ci/run` sets the full sizes.
 */
export const sizes = {
  /** Orders in which messages, departures and breaks of actors meet. */
  interleavings: size("ACTOR_INTERLEAVINGS", 25),
  /** Sequences that the stores are put to: the model in memory, and a Redis at a seventh of it. */
  storeSequences: size("STORE_SEQUENCES", 100),
  /** Retry ladders with any delays and receivers. */
  ladders: size("RETRY_LADDERS", 10),
  /** QR codes that a scanner reads. */
  qrScans: size("QR_SCANS", 10),
  /** Sequences of up to 50 acts on a seller, against the model. */
  moneySequences: size("MONEY_SEQUENCES", 300),
  /** Histories of an acquirer. */
  moneyHistories: size("MONEY_HISTORIES", 300),
  /** Rounds of each race over two processes. */
  moneyRaceRounds: size("MONEY_RACE_ROUNDS", 40),
  /** Which cases of kills on the paths of money are played: the first at each fault point and on each path, or all. */
  moneyKills: choice("FAULTS_MONEY_KILLS", ["sample", "all"]),
  /** Kills of the process, and of Redis, under load. */
  processKills: size("FAULTS_PROCESS_KILLS", 8),
  redisKills: size("FAULTS_REDIS_KILLS", 8),
  chargesPerSecond: size("FAULTS_CHARGES_PER_SECOND", 200),
} as const
