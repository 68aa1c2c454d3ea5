import { expect, it } from "vitest"
import { sizes } from "../support/sizes.ts"
import { brokenCount, reportOf, runFaults } from "./run/faultRun.ts"
import { failovers, faultNames } from "./run/kinds.ts"
import { startSentinelTopology } from "./run/sentinelTopology.ts"

it("random faults of processes, Redis, network, receivers and bank break no promise", {
  timeout: 1_800_000,
}, async () => {
  const seed = sizes.faultsSeed
  const story: Array<string> = [`FAULTS_SEED=${seed}`]
  const result = await runFaults({
    seed,
    // Failovers have a test of their own.
    names: faultNames.filter((name) => !(name in failovers)),
    count: sizes.randomFaults,
    duration: { millisMin: 500, millisMax: 3_000 },
    services: 2,
    sellers: 8,
    followers: 8,
    writesPerSecond: sizes.chargesPerSecond,
    waitReplicas: 1,
    startTopology: startSentinelTopology,
    print: (line) => story.push(line),
  })
  expect(brokenCount(result), [...story, ...reportOf(result)].join("\n")).toBe(0)
})
