import { Effect } from "effect"
import { Redis } from "ioredis"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { SweepStore } from "../../actors/ports/sweepStore.ts"
import { RedisStoreLive } from "../../src/store/redisStore.ts"
import { unreadableItem } from "../actors/support/books.ts"
import { startTestRedis, type TestRedis } from "../support/redis.ts"
import { runOps, runOpsAtTerminal } from "./cli.ts"

const origin = "https://localhost:8443"
const password = "correct horse battery"
const account = "api-pix:0123"

let server: TestRedis
let redis: Redis
let sellerId: string
beforeAll(async () => {
  server = await startTestRedis({ appendfsync: "no" })
  redis = new Redis(server.url)
})
afterAll(async () => {
  redis?.disconnect()
  await server?.stop()
})

const environment = () => ({
  REDIS_URL: server.url,
  ENCRYPTION_KEY: Buffer.alloc(32, 9).toString("base64"),
  WEBHOOK_ALLOW_DESTINATIONS: origin,
})

/** What a person sees of a command that succeeds. */
const shown = async (...args: ReadonlyArray<string>): Promise<string> => {
  const { exitCode, stdout, stderr } = await runOpsAtTerminal(args, environment())
  expect([exitCode, stderr.includes("Error")], stdout + stderr).toEqual([0, false])
  expect(() => JSON.parse(stdout)).toThrow()
  expect(stdout).not.toContain("undefined")
  return stdout
}

describe("ops at a terminal", () => {
  it("creating a seller, an operator, an invite and an endpoint shows what was made, and that it is shown once", async () => {
    const made = await shown(
      ...[
        "seller",
        "create",
        "--email",
        "ana@example.com",
        "--password",
        password,
        "--name",
        "\u5c71\u7530 Loja",
      ],
    )
    sellerId = /^Seller +(sel_\w+)$/m.exec(made)?.[1] ?? ""
    expect(made).toMatch(/^API key, test +sk_test_[\w-]+$/m)
    expect(made).toMatch(/^API key, live +none: KYC is not approved$/m)
    expect(made).toContain("shown only this once")
    const admin = await shown("admin", "create", "--email", "rui@example.com", "--password", password)
    expect(admin).toMatch(/^TOTP secret +[A-Z2-7]+$/m)
    expect(await shown("invite", "create", "--email", "bia@example.com")).toMatch(
      /^Expires +[\d-]+ [\d:]+ UTC$/m,
    )
    const endpoint = await shown(
      ...["endpoint", "create", "--seller", sellerId, "--mode", "test", "--url", `${origin}/hooks`],
      ...["--events", "transaction.paid,refund.failed"],
    )
    expect(endpoint).toMatch(/^Secret +whsec_\w{43}$/m)
  })

  it("a seller is shown with its endpoints and charges as tables, and its settings in reais", async () => {
    const text = await shown("seller", "show", sellerId)
    expect(text).toMatch(/^Name +\u5c71\u7530 Loja$/m)
    expect(text).toMatch(/^Fee per withdrawal +R\$ 1,00$/m)
    expect(text).toMatch(
      /^test +we_\w+ +enabled +https:\/\/localhost:8443\/hooks +transaction\.paid, refund\.failed$/m,
    )
    expect(text).toMatch(/^Status +live +test$/m)
    expect(text).toMatch(/^paid +0 +0$/m)
  })

  it("erasing, keys, audits, repairs and mails are words and tables", async () => {
    expect(await shown("seller", "erase-customer", "--document", "390.533.447-05")).toMatch(
      /^Transactions changed +0$/m,
    )
    const keys = await shown("streams", sellerId)
    expect(keys).toMatch(/^events +stream +events:/m)
    expect(keys).toMatch(/^events +redis-cli -u redis:/m)
    expect(await shown("audit", "verify")).toMatch(/^Sellers +1$/m)
    expect(await shown("audit", "repair")).toMatch(/^Everything mended +yes$/m)
    expect(await shown("mail", "list")).toMatch(/^To +bia@example\.com$/m)
    await redis.del("mail")
    expect(await shown("mail")).toBe("No mails.\n")
  })

  it("a mail's text cannot act on the terminal", async () => {
    await redis.xadd(
      "mail",
      "*",
      "to",
      "x@example.com",
      "subject",
      "\u001b]0;title\u0007",
      "text",
      "a\u001b[2Jb\nc",
    )
    expect(await shown("mail", "list")).toMatch(/\\u001b\]0;title\\u0007[\s\S]*\n {2}a\\u001b\[2Jb\n {2}c\n$/)
  })

  it("sweeps show each unreadable item, and accepting one shows it with its reason", async () => {
    expect(await shown("sweep", "show")).toBe("No account has been swept yet.\n")
    const met = Effect.gen(function* () {
      const store = yield* SweepStore
      const lease = (yield* store.claim(account, "a sweep", 1)) ?? { account, fence: 0 }
      const window = { fromMillis: 1_795_000_000_000, toMillis: 1_795_000_300_000 }
      const item = { ...unreadableItem("a"), list: "sent" as const, page: "3", window }
      yield* store.recordUnread(lease, { items: [item], more: 0 })
    })
    const options = { retentionMillis: 86_400_000, partitions: 64, processId: "test" }
    await Effect.runPromise(met.pipe(Effect.provide(RedisStoreLive(server.url, options))))
    const digest = "a".repeat(64)
    expect(await shown("sweep", "show")).toMatch(new RegExp(`^Unreadable\nItem +${digest}$`, "m"))
    const accepted = await shown("sweep", "accept", "--item", digest, "--reason", "a test of the bank")
    expect(accepted).toMatch(/^Reason +a test of the bank$/m)
  })

  it("a failure is words on stderr with exit code 1, and nothing is on stdout", async () => {
    for (const [args, message] of [
      [["seller", "show", "sel_nobody"], "Code     resource_not_found"],
      [["closing", "show", "--day", "2020-01-01"], "Code     resource_not_found"],
      [["sellr"], "Error: 'sellr' is not a command. Did you mean seller?"],
    ] as const) {
      const { exitCode, stdout, stderr } = await runOpsAtTerminal(args, environment())
      expect([exitCode, stdout]).toEqual([1, ""])
      expect(stderr).toContain(message)
      expect(stderr).toMatch(/^Request +req_\w+$/m)
    }
  })

  it("--json prints JSON at a terminal, and --no-json tables elsewhere", async () => {
    const json = await runOpsAtTerminal(["mail", "list", "--json"], environment())
    expect(JSON.parse(json.stdout)).toHaveProperty("data")
    const failed = await runOpsAtTerminal(["seller", "show", "x", "--json"], environment())
    expect([failed.stderr, JSON.parse(failed.stdout).error.code]).toEqual(["", "resource_not_found"])
    await expect(runOps(["mail", "list", "--no-json"], environment())).rejects.toThrow(
      "stdout is not one line",
    )
  })

  it("text has colours where the terminal shows them", async () => {
    const { stdout } = await runOpsAtTerminal(["seller", "show", sellerId], {
      ...environment(),
      NO_COLOR: "",
    })
    expect(stdout).toContain("\u001b[1mTransactions\u001b[22m")
  })
})
