import { existsSync } from "node:fs"
import { BaseSequencer, type TestSpecification } from "vitest/node"

/**
 * Files that take longest, the longest first. A file that starts last keeps one worker busy while the others have nothing left
 * to do, and Vitest knows no durations on a fresh clone: it goes by the length of the source.
 */
const longest: ReadonlyArray<string> = [
  "faults/moneyKills",
  "faults/resolutionKills",
  "money/acquirerHistories",
  "e2e/apiPixRefunds",
  "e2e/apiPixPayoutFaults",
  "openapi/tools",
  "conformance/redisCluster",
  "web/live",
  "e2e/demo",
  "conformance/redis",
  "faults/redisKill",
  "faults/sentinelFailover",
  "e2e/overload",
  "web/admin",
  "web/webhooks",
  "processes/processKill",
  "faults/processKill",
  "faults/redisAway",
  "e2e/apiPixCreation",
  "faults/cutWrite",
  "bench/bench",
  "store/redisClusterTakeover",
  "web/accountLooks",
  "e2e/sweeps",
  "e2e/demoStay",
  "faults/clusterFailover",
  "docs/everyCommand",
  "web/events",
  "e2e/closings",
  "bench/ssePeers",
  "faults/shutdown",
]

const testFolder = new URL("../", import.meta.url)
const missing = longest.filter((name) => !existsSync(new URL(`${name}.test.ts`, testFolder)))
// A file that was renamed or removed would lose its place unnoticed.
if (missing.length > 0)
  throw new Error(`test/support/longestFirst.ts lists files that are not there: ${missing}`)

/** Its place among the longest files; all others share the last one. */
const placeOf = ({ moduleId }: TestSpecification): number => {
  const place = longest.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`))
  return place === -1 ? longest.length : place
}

/** Starts the longest files of each project first, until Vitest knows how long files take. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const sorted = await super.sort(files)
    if (files.some((file) => this.ctx.cache.getTestSpecificationResult(file) !== undefined)) return sorted
    const projects = new Set(sorted.map(({ project }) => project))
    return [...projects].flatMap((project) =>
      sorted.filter((file) => file.project === project).toSorted((a, b) => placeOf(a) - placeOf(b)),
    )
  }
}
