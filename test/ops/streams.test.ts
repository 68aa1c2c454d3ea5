import { Effect, Layer } from "effect"
import { Redis } from "ioredis"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { RateLimiter } from "../../actors/ports/rateLimiter.ts"
import type { Principal } from "../../actors/values/principal.ts"
import { partitionOfId } from "../../schema/ids.ts"
import { ApiKeys, ApiKeysLive } from "../../src/accounts/apiKeys/apiKeys.ts"
import { AccountTokens, AccountTokensLive } from "../../src/accounts/users/accountTokenStore.ts"
import { UsersLive } from "../../src/accounts/users/users.ts"
import { CipherLive } from "../../src/crypto/cipher.ts"
import { plainKey } from "../../src/crypto/encryptionKeys.ts"
import { keyKinds, templateOf } from "../../src/store/keys/table.ts"
import { RedisClientLive } from "../../src/store/redis/redisClient.ts"
import { RedisStoreLive } from "../../src/store/redisStore.ts"
import { openCharge, openPaidCharge } from "../conformance/fixtures.ts"
import { makeStage, Stage } from "../conformance/stage.ts"
import { signInAsSeller } from "../support/dashboard.ts"
import { startTestRedis, type TestRedis } from "../support/redis.ts"
import { makeSeller } from "../support/seller.ts"
import { run, runOps } from "./cli.ts"

interface Listed {
  readonly family: string
  readonly key: string
  readonly type: string
  readonly holds: string
  readonly command: string
}

const origin = "https://localhost:8443"
const partitions = 64
const retentionMillis = 86_400_000
const encryptionKey = Buffer.alloc(32, 9)

let server: TestRedis
let redis: Redis
let sellerId = ""
let ofSeller: ReadonlyArray<Listed> = []
/** The first words of all existing keys. */
let families: ReadonlySet<string>
let global: ReadonlyArray<Listed> = []

const environment = () => ({
  REDIS_URL: server.url,
  ENCRYPTION_KEY: encryptionKey.toString("base64"),
  WEBHOOK_ALLOW_DESTINATIONS: origin,
})
const ops = async (...args: ReadonlyArray<string>) => {
  const done = await runOps(args, environment())
  if (done.exitCode !== 0) throw new Error(done.stdout)
  return done.document
}

/** Creates charges as the service does; one of them is paid and owed to the endpoint. */
const trade = (key: string) =>
  Effect.gen(function* () {
    const principal: Principal = yield* (yield* ApiKeys).authenticate(`Bearer ${key}`)
    yield* openCharge(principal, [{ name: "expire", dueMillis: Date.now() + 3_600_000 }])
    yield* openPaidCharge(principal)
    const { take } = yield* RateLimiter
    yield* take({ partition: 3, name: "sign-in:of somebody", capacity: 5, windowMillis: 3_600_000 })
  }).pipe(
    Effect.provide(
      Layer.mergeAll(
        ApiKeysLive,
        Layer.effect(Stage, makeStage<never>({ eventRetentionMillis: retentionMillis, partitions }, {})),
      ),
    ),
    Effect.provide(RedisStoreLive(server.url, { retentionMillis, partitions, processId: "streams-test" })),
    Effect.scoped,
  )

/** A token as in mails, for an address without an account. */
const mailToken = Effect.flatMap(AccountTokens, (tokens) =>
  tokens.issue("nobody@example.com", undefined, "reset_password", 3_600_000),
)

beforeAll(async () => {
  server = await startTestRedis({ appendfsync: "no" })
  redis = new Redis(server.url)
  const seller = ["--email", "ana@example.com", "--password", "correct horse battery", "--name", "Loja"]
  const created = await ops("seller", "create", ...seller)
  sellerId = created.seller_id
  const endpoint = ["--seller", sellerId, "--mode", "test", "--url", `${origin}/`, "--events", "*"]
  await ops("endpoint", "create", ...endpoint)
  await Effect.runPromise(trade(created.api_keys.test))
  await ops("invite", "create", "--email", "bia@example.com")
  await signInAsSeller({ redisUrl: server.url }, sellerId)
  const tokens = AccountTokensLive.pipe(
    Layer.provide(UsersLive),
    Layer.provide(CipherLive(plainKey(new Uint8Array(32)))),
    Layer.provide(RedisClientLive(server.url)),
  )
  await Effect.runPromise(Effect.scoped(Effect.provide(mailToken, tokens)))
  // Token buckets refill and expire while a busy machine starts the following commands.
  families = new Set((await redis.keys("*")).map((key) => key.split(":")[0] ?? ""))
  ofSeller = (await ops("streams", sellerId)).data
  global = (await ops("streams")).data
})
afterAll(async () => {
  redis.disconnect()
  await server.stop()
})

/** Whether a listed name or pattern matches this key. */
const isOf = (key: string) => (listed: Listed) => {
  const pattern = listed.key.replace(/[.+?^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*")
  return new RegExp(`^${pattern}$`).test(key)
}

/** The first words of all the service's key and channel names. */
const namesInTable = new Set(keyKinds.map(([, kind]) => templateOf(kind).split(":")[0] ?? ""))

describe("ops streams", () => {
  it("ops streams names every kind of keys and channels in the table", () => {
    const listed = new Set([...ofSeller, ...global].map(({ key }) => key.split(":")[0]))
    expect(namesInTable.size).toBeGreaterThan(70)
    expect([...namesInTable].filter((name) => !listed.has(name))).toEqual([])
  })

  it("the data that ops streams is tested on has keys of users, sessions, tokens, invites, mails and limits", () => {
    const accounts = [
      "user",
      "user-email",
      "session",
      "sessions",
      "token",
      "invite",
      "invites",
      "mail",
      "rate",
    ]
    expect(accounts.filter((name) => !families.has(name))).toEqual([])
  })

  it("ops streams names every key that a seller with charges, events and owed deliveries has", async () => {
    const existing = await redis.keys("*")
    const tag = /\{p\d\d\}/.exec(ofSeller[0]?.key ?? "")?.[0] ?? ""
    const own = existing.filter((key) => key.includes(tag))
    expect(own.length).toBeGreaterThan(15)
    expect(own.filter((key) => !ofSeller.some(isOf(key)))).toEqual([])
  })

  it("ops streams names every key there is, with and without a seller", async () => {
    const listed = [...ofSeller, ...global]
    expect((await redis.keys("*")).filter((key) => !listed.some(isOf(key)))).toEqual([])
  })

  it("ops streams gives each key its type", async () => {
    for (const key of await redis.keys("*")) {
      const type = await redis.type(key)
      for (const listed of [...ofSeller, ...global].filter(isOf(key))) {
        expect(`${key} ${listed.type}`).toBe(`${key} ${type}`)
      }
    }
  })

  it("ops streams prints commands that redis-cli runs as they stand", async () => {
    const commands = [...ofSeller, ...global]
      .filter(({ type }) => type !== "channel")
      .map(({ command }) => command)
    const { exitCode, stdout } = await run("sh", ["-e", "-c", commands.join("\n")])
    expect(exitCode).toBe(0)
    expect(stdout).not.toMatch(/^(\(error\)|ERR|WRONGTYPE)/m)
    expect(stdout).toContain("transaction.paid")
    expect(stdout).toContain("apikey:")
  })

  it("ops streams has a command that shows all events of a seller's stream", async () => {
    const events = ofSeller.find(({ family, key }) => family === "events" && key.endsWith(":test"))
    expect(events).toMatchObject({ type: "stream" })
    const { stdout } = await run("sh", ["-c", events?.command ?? ""])
    expect(stdout.match(/^transaction\.(created|paid)$/gm)).toEqual([
      "transaction.paid",
      "transaction.created",
      "transaction.created",
    ])
  })

  it("ops streams has a command that lists the ids of a seller's charges", async () => {
    const key = `:${sellerId}:test`
    const index = ofSeller.find((listed) => listed.family === "transactions" && listed.key.endsWith(key))
    const { stdout } = await run("sh", ["-c", index?.command ?? ""])
    expect(stdout.match(/^txn_[0-9A-Z]{26}$/gm)).toHaveLength(2)
  })

  it("ops streams has a command that listens to each channel", () => {
    const channels = [...ofSeller, ...global].filter(({ type }) => type === "channel")
    expect(channels.map(({ family }) => family)).toEqual([
      "hints",
      "hints",
      "wake-ups",
      "changed sellers",
      "wake-ups",
    ])
    for (const { command } of channels) expect(command).toMatch(/ P?SUBSCRIBE '/)
  })

  it("ops streams answers resource_not_found for an unknown seller", async () => {
    const done = await runOps(["streams", "sel_1"], environment())
    expect(done).toMatchObject({ exitCode: 1, document: { error: { code: "resource_not_found" } } })
  })
})

describe("ops streams with two sellers in a partition", () => {
  it("ops streams names no seller but the one it is asked for, nor the other's endpoints", async () => {
    const other = await makeSeller(
      { redisUrl: server.url, encryptionKey },
      { partition: partitionOfId(sellerId) ?? 0, endpoints: [{ url: `${origin}/other`, events: ["*"] }] },
    )
    await Effect.runPromise(trade(other.keys.test))
    const ofOther: ReadonlyArray<Listed> = (await ops("streams", other.id)).data
    const sellersIn = (listed: ReadonlyArray<Listed>) => [
      ...new Set(JSON.stringify(listed).match(/sel_[0-9A-Z]{26}/g)),
    ]
    expect(sellersIn(ofOther)).toEqual([other.id])
    expect(JSON.stringify(ofOther)).toContain(other.endpoints[0]?.id)
    expect(sellersIn(ofSeller)).toEqual([sellerId])
    expect((await ops("streams", sellerId)).data).toEqual(ofSeller)
  })
})
