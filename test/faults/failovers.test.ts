import { describe, expect, it } from "vitest"
import { sizes } from "../support/sizes.ts"
import { startClusterTopology } from "./run/clusterTopology.ts"
import { brokenCount, type FaultRunOptions, reportOf, runFaults } from "./run/faultRun.ts"
import { type FaultName, failovers } from "./run/kinds.ts"
import { startSentinelTopology } from "./run/sentinelTopology.ts"

const allFailovers = Object.keys(failovers) as ReadonlyArray<FaultName>
/** What a sample plays: both lose a primary, one of them while it runs. */
const sample: ReadonlyArray<FaultName> = ["planned-failover", "kill-primary"]

const options = {
  seed: sizes.faultsSeed,
  duration: { millisMin: 500, millisMax: 5_000 },
  services: 2,
  sellers: 8,
  followers: 8,
  writesPerSecond: sizes.chargesPerSecond,
} satisfies Partial<FaultRunOptions>

/** Plays a run; its story goes into the message of a failure. */
const play = async (more: Omit<FaultRunOptions, keyof typeof options | "print">) => {
  const story: Array<string> = [`FAULTS_SEED=${options.seed}`]
  const result = await runFaults({ ...options, ...more, print: (line) => story.push(line) })
  return { result, story: [...story, ...reportOf(result)].join("\n") }
}

describe("a primary that loses its place under load", { timeout: 1_800_000 }, () => {
  it.for([
    { where: "behind Sentinels", startTopology: startSentinelTopology, count: sizes.failovers },
    { where: "in a cluster", startTopology: startClusterTopology, count: Math.ceil(sizes.failovers / 2) },
  ])("$where loses and doubles nothing that anybody was told, with one replica waited for", async (where) => {
    const names = sizes.failovers < allFailovers.length ? sample : allFailovers
    const { startTopology, count } = where
    const { result, story } = await play({ names, count, startTopology, waitReplicas: 1 })
    expect(brokenCount(result), story).toBe(0)
  })

  it("loses what was told where nobody waits for replicas, and the run finds it", async () => {
    const { result, story } = await play({
      names: ["planned-failover"],
      count: 1,
      startTopology: startSentinelTopology,
      waitReplicas: 0,
      settleMillis: 1_000,
    })
    const broken =
      result.verdicts.find(({ promise }) => promise.startsWith("an answered charge"))?.broken ?? []
    expect(broken.length, story).toBeGreaterThan(0)
  })
})
