import { existsSync } from "node:fs"
import { BaseSequencer, type TestSpecification } from "vitest/node"

/**
 * Files that take longest, the longest first. A file that starts last keeps one worker busy while the others have nothing left
 * to do. Vitest knows no durations on a fresh clone, and where it knows some it starts those files first, however short.
 */
const longest: ReadonlyArray<string> = [
  "conformance/redisCluster",
  "faults/moneyKills",
  "web/live",
  "web/admin",
  "docs/everyCommand",
  "bench/bench",
  "web/webhooks",
  "e2e/apiPixRefunds",
  "openapi/tools",
  "e2e/demo",
  "conformance/redis",
  "e2e/apiPixPayoutFaults",
  "e2e/overload",
  "money/acquirerHistories",
  "faults/sentinelFailover",
  "audit/repair",
  "audit/checkpoint",
  "faults/clusterFailover",
  "processes/processes",
  "e2e/accessMatrix",
  "processes/processKill",
  "faults/redisAway",
  "bench/reportRun",
  "faults/processKill",
  "faults/redisKill",
  "web/adminClosings",
  "e2e/demoStay",
  "web/events",
  "audit/anyDamage",
  "store/redisClusterTakeover",
  "bench/growth",
  "e2e/apiPixCreation",
  "e2e/sweeps",
  "web/money",
  "web/overload",
  "bench/ssePeers",
  "e2e/unreadableBooks",
  "web/accountLooks",
  "web/charges",
  "faults/resolutionKills",
  "e2e/paymentPage",
  "e2e/apiPixCharges",
  "web/account",
  "e2e/closings",
  "faults/cutWrite",
  "faults/shutdown",
  "web/adminTwoOperators",
  "money/sweepRaces",
  "hostile/connections",
  "cli/listen",
  "docs/morningRoutine",
  "accounts/users/passwords",
  "hostile/pipelining",
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

/** Starts the longest files of each project first, the others as Vitest would: by what it remembers of them, or by their length. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const sorted = await super.sort(files)
    const projects = new Set(sorted.map(({ project }) => project))
    return [...projects].flatMap((project) =>
      sorted.filter((file) => file.project === project).toSorted((a, b) => placeOf(a) - placeOf(b)),
    )
  }
}
