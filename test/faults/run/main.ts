// npm run faults -- --help
import { writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startClusterTopology } from "./clusterTopology.ts"
import { brokenCount, type FaultRunResult, reportOf, runFaults } from "./faultRun.ts"
import { type FaultCommand, readOptions, usage } from "./options.ts"
import { startSentinelTopology } from "./sentinelTopology.ts"

/** Keeps the journal of a run that broke a promise, one entry a line. */
const keepJournal = ({ journal }: FaultRunResult, seed: number): string => {
  const file = join(tmpdir(), `corrente-faults-${seed}.ndjson`)
  writeFileSync(file, journal.entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""))
  return file
}

/** Plays a run, tells its story, and returns the exit code. */
const play = async ({ seed, names, count, minutes, redis, ...size }: FaultCommand): Promise<number> => {
  console.log(`seed ${seed}: npm run faults -- --seed ${seed} repeats these faults`)
  const result = await runFaults({
    seed,
    names,
    count,
    minutesMax: minutes,
    duration: { millisMin: 1_000, millisMax: 30_000 },
    services: size.services,
    sellers: size.sellers,
    followers: size.followers,
    writesPerSecond: size.writes,
    waitReplicas: size.replicas,
    startTopology: redis === "cluster" ? startClusterTopology : startSentinelTopology,
    print: (line) => console.log(line),
  })
  for (const line of reportOf(result)) console.log(line)
  if (brokenCount(result) === 0) return 0
  console.log(`The journal is in ${keepJournal(result, seed)}`)
  return 1
}

/** The options; undefined where there is nothing to play, and `process.exitCode` says why. */
const asked = (): FaultCommand | undefined => {
  try {
    const command = readOptions(process.argv.slice(2))
    if (command === undefined) console.log(usage)
    return command
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${usage}`)
    process.exitCode = 2
    return undefined
  }
}

const command = asked()
// Connections of clients that a broken run leaves open would keep the process.
if (command !== undefined) process.exit(await play(command))
