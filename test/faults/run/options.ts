import { randomInt } from "node:crypto"
import { parseArgs } from "node:util"
import { type FaultName, faultNames } from "./kinds.ts"

/** What a run of the command is asked to do. */
export interface FaultCommand {
  readonly seed: number
  readonly minutes: number
  readonly count: number
  readonly names: ReadonlyArray<FaultName>
  readonly services: number
  readonly sellers: number
  readonly writes: number
  readonly followers: number
  readonly replicas: number
  readonly redis: "sentinels" | "cluster"
}

/** The numbers of the command: what each is, the least that makes sense, and the default. */
const numbers = {
  seed: { what: "draws the faults; the same seed draws the same ones", min: 0, otherwise: undefined },
  minutes: { what: "no fault strikes after so many", min: 1, otherwise: 30 },
  count: { what: "how many faults strike at most", min: 1, otherwise: 100_000 },
  services: { what: "processes of the service", min: 1, otherwise: 4 },
  sellers: { what: "sellers, each in both modes", min: 1, otherwise: 200 },
  writes: { what: "charges asked for in a second", min: 1, otherwise: 200 },
  followers: { what: "event streams", min: 1, otherwise: 100 },
  replicas: { what: "REDIS_WAIT_REPLICAS; with 0 failovers lose what was told", min: 0, otherwise: 1 },
} as const

type NumberName = keyof typeof numbers
const numberNames = Object.keys(numbers) as ReadonlyArray<NumberName>

export const usage = [
  "npm run faults -- [--seed N] [--minutes M] [--only a,b] [options]",
  "",
  "Puts services, Redis, a bank, receivers and followers under load, strikes them with faults, and compares all that anybody was told",
  "with what there is afterwards (docs/promises.md#what-holds-them). Prints the seed, the journal's figures and a line for each promise.",
  "Exits with 1 where one was broken, with 2 where the options are wrong.",
  "",
  ...numberNames.map((name) => {
    const { what, otherwise } = numbers[name]
    return `  ${`--${name} N`.padEnd(20)} ${what} (default: ${otherwise ?? "random"})`
  }),
  `  ${"--redis WHICH".padEnd(20)} sentinels: 1 primary, 2 replicas, 3 Sentinels; cluster: 3 primaries, 3 replicas (default: sentinels)`,
  `  ${"--only a,b".padEnd(20)} these faults (default: all)`,
  `  ${"--help".padEnd(20)} prints this`,
  "",
  `faults: ${faultNames.join(", ")}`,
].join("\n")

const options = {
  ...Object.fromEntries(numberNames.map((name) => [name, { type: "string" as const }])),
  only: { type: "string" as const },
  redis: { type: "string" as const },
  help: { type: "boolean" as const },
}

const numberOf = (name: NumberName, text: unknown): number => {
  const { min, otherwise } = numbers[name]
  const value = text === undefined ? (otherwise ?? randomInt(2 ** 31)) : Number(text)
  if (text === "" || !Number.isInteger(value) || value < min)
    throw new Error(`--${name} must be a whole number of ${min} or more`)
  return value
}

const namesOf = (only: unknown): ReadonlyArray<FaultName> => {
  if (only === undefined) return faultNames
  const asked = String(only).split(",")
  const unknown = asked.filter((name) => !(faultNames as ReadonlyArray<string>).includes(name))
  if (unknown.length > 0) throw new Error(`There is no fault ${unknown.join(", ")}`)
  return faultNames.filter((name) => asked.includes(name))
}

/** Reads the command's arguments; undefined: it was asked for help. Throws an error for its user where they are wrong. */
export const readOptions = (args: ReadonlyArray<string>): FaultCommand | undefined => {
  const values: Readonly<Record<string, unknown>> = parseArgs({ args: [...args], options }).values
  if (values.help === true) return undefined
  const { redis = "sentinels" } = values
  if (redis !== "sentinels" && redis !== "cluster") throw new Error("--redis must be sentinels or cluster")
  const read = Object.fromEntries(numberNames.map((name) => [name, numberOf(name, values[name])]))
  return { ...(read as Record<NumberName, number>), names: namesOf(values.only), redis }
}
