import { describe, expect, it } from "vitest"
import { useEmptyRedis } from "../support/fileRedis.ts"
import { blocksOf, namesIn, runBlocks } from "./section.ts"

const server = useEmptyRedis()

describe("what stays, by the page of operations", () => {
  it("its command sums the bytes of the keys of each kind", async () => {
    const keys = ["audited:{p00}:sel_1:live", "audited:{p01}:sel_2:test"]
    for (const key of keys) await server.redis.hset(key, { ledger: "1-0", event: "1-1" })
    const usages = await Promise.all(
      keys.map((key) => server.redis.call("MEMORY", "USAGE", key, "SAMPLES", "0")),
    )
    const bytes = usages.reduce((sum: number, usage) => sum + Number(usage), 0)
    const [variables = "", ...commands] = blocksOf("docs/operations.md", "what-stays")
    expect(namesIn(variables)).toEqual(["REDIS"])
    const { exitCode, printed, stderr } = await runBlocks(commands, { REDIS: server.url })
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" })
    const lines = (printed[0] ?? "").split("\n")
    expect(lines).toContain(`audited:* 2 keys ${bytes} bytes`)
    expect(lines).toContain("txn:* 0 keys 0 bytes")
  })
})
