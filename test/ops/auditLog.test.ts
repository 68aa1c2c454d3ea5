import { type ChildProcess, spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { describe, expect, it, onTestFinished } from "vitest"
import { limits } from "../../schema/limits.ts"
import { useEmptyRedis } from "../support/fileRedis.ts"
import { loadingCache } from "../support/loadingCache.ts"
import { until } from "../support/until.ts"
import { runOpsAtTerminal } from "./cli.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))
const escape = String.fromCharCode(27)

const server = useEmptyRedis()

const environment = () => ({
  REDIS_URL: server.url,
  ENCRYPTION_KEY: Buffer.alloc(32, 9).toString("base64"),
})

const exported = async (...words: ReadonlyArray<string>) =>
  runOpsAtTerminal(["audit-log", "export", ...words], environment())

/** Appends an act; `id` may be `<ms>-*`. */
const append = (id: string, action: string, details: object = {}) =>
  server.redis.xadd(
    "audit",
    id,
    ...["action", action, "operator", "ana", "ip", "203.0.113.7"],
    ...["resource_type", "seller", "resource_id", "sel_1", "details", JSON.stringify(details)],
  )

const idsOf = (stdout: string): ReadonlyArray<string> =>
  stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line).id)

describe("ops audit-log export", () => {
  it("the operators' log is exported as JSON lines, oldest first, as the API shows its entries", async () => {
    await append("1000-0", "seller.updated", { reason: `${escape}[2J\n` })
    await append("2000-0", "seller.kyc_approved")
    const { stdout, stderr, exitCode } = await exported()
    expect([exitCode, stderr]).toEqual([0, ""])
    expect(stdout).not.toContain(escape)
    expect(
      stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toEqual([
      {
        id: "1000-0",
        action: "seller.updated",
        operator_id: "ana",
        resource_type: "seller",
        resource_id: "sel_1",
        details: { reason: `${escape}[2J\n` },
        created_at: "1970-01-01T00:00:01.000Z",
        ip_address: "203.0.113.7",
      },
      expect.objectContaining({ id: "2000-0", action: "seller.kyc_approved" }),
    ])
  })

  it("an empty log is exported as nothing, and as the header alone in CSV", async () => {
    expect((await exported()).stdout).toBe("")
    expect((await exported("--format", "csv")).stdout).toBe(
      "id,created_at,operator_id,ip_address,action,resource_type,resource_id,details\r\n",
    )
  })

  it("in CSV no field is run by a spreadsheet, and quotes and line breaks stay within theirs", async () => {
    await append("1000-0", '=HYPERLINK("https://evil.example")', { reason: 'a "b"\r\nc' })
    const { stdout } = await exported("--format", "csv", "--after", "0-0")
    expect(stdout).toBe(
      '1000-0,1970-01-01T00:00:01.000Z,ana,203.0.113.7,"\'=HYPERLINK(""https://evil.example"")",seller,sel_1,"{""reason"":""a \\""b\\""\\r\\nc""}"\r\n',
    )
  })

  it("an export takes a window, both ends included, and goes on after an entry", async () => {
    for (const second of [1, 2, 3, 4]) {
      await append(`${second}000-0`, "a")
      await append(`${second}000-1`, "b")
    }
    const window = ["--from", "1970-01-01T00:00:02Z", "--to", "1970-01-01T00:00:03Z"]
    expect(idsOf((await exported(...window)).stdout)).toEqual(["2000-0", "2000-1", "3000-0", "3000-1"])
    expect(idsOf((await exported(...window, "--after", "2000-1")).stdout)).toEqual(["3000-0", "3000-1"])
  })

  it("an export of several pages has each entry once", async () => {
    const count = 2 * limits.auditBatchEntries
    const filled = `for i = 1, ${count} do redis.call('XADD', 'audit', '1-' .. i, 'action', 'x', 'details', '{}') end`
    await server.redis.eval(filled, 0)
    const ids = idsOf((await exported()).stdout)
    expect(ids).toEqual(Array.from({ length: count }, (_, i) => `1-${i + 1}`))
  })

  it.each([
    ["from", ["--from", "yesterday"]],
    ["to", ["--to", "2026-02-30"]],
    ["after", ["--after", "first"]],
    ["to", ["--follow", "--to", "2026-11-21"]],
  ])("a wrong flag is refused at %s: %j", async (param, words) => {
    const { exitCode, stdout } = await exported("--json", ...words)
    expect([exitCode, JSON.parse(stdout)]).toMatchObject([1, { error: { code: "validation_failed", param } }])
  })

  /** An export that follows, in a process of its own; `printed` tells what it has printed so far. */
  const follow = (...words: ReadonlyArray<string>) => {
    const args = ["dist/ops.mjs", "audit-log", "export", "--follow", ...words]
    const env = { PATH: process.env.PATH, ...loadingCache, ...environment() }
    const child: ChildProcess = spawn(process.execPath, args, {
      cwd: root,
      env,
      stdio: ["ignore", "pipe", "pipe"],
    })
    onTestFinished(() => void child.kill("SIGKILL"))
    let printed = ""
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      printed += text
    })
    return { child, ids: () => idsOf(printed) }
  }

  it("an export that follows prints new entries as they come, each once", async () => {
    await append("1000-0", "a")
    await append("2000-0", "a")
    const { ids } = follow("--after", "1000-0")
    await until("what was there", () => ids().includes("2000-0"))
    const appended = [await append("*", "a"), await append("*", "a")]
    await until("what came", () => ids().length >= 3)
    expect(ids()).toEqual(["2000-0", ...appended])
    const last = await append("*", "a")
    await until("what came later", () => ids().at(-1) === last)
    expect(ids()).toHaveLength(4)
  })

  it("an export whose reader has left ends without a failure", async () => {
    await append("1000-0", "a")
    const { child, ids } = follow()
    await until("what was there", () => ids().includes("1000-0"))
    const ended = new Promise((done) => child.once("exit", done))
    child.stdout?.destroy()
    await append("*", "a")
    expect(await ended).toBe(0)
  })
})
