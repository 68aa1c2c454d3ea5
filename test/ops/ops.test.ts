import { createHash, createHmac } from "node:crypto"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { compareSync } from "bcryptjs"
import { Effect, Layer, Schema } from "effect"
import { generateSync } from "otplib"
import { describe, expect, it } from "vitest"
import { sealedPlaces } from "../../actors/values/sealedPlaces.ts"
import { ErrorEnvelope } from "../../schema/errors.ts"
import { Endpoint } from "../../schema/resources/endpoint.ts"
import { ApiKeys, ApiKeysLive } from "../../src/accounts/apiKeys/apiKeys.ts"
import { makeCipher } from "../../src/crypto/cipher.ts"
import { plainKey } from "../../src/crypto/encryptionKeys.ts"
import { ApiKeyStoreLive } from "../../src/store/apiKeys.ts"
import * as keys from "../../src/store/keys.ts"
import { userKey } from "../../src/store/keys.ts"
import { RedisClientLive } from "../../src/store/redis/redisClient.ts"
import { SellerStoreLive } from "../../src/store/sellers.ts"
import { useEmptyRedis } from "../support/fileRedis.ts"
import { StoreOptionsLive } from "../support/storeOptions.ts"
import { run, runOps } from "./cli.ts"

const encryptionKey = new Uint8Array(32).fill(9)
const origin = "https://localhost:8443"
const password = "correct horse battery"

const server = useEmptyRedis()

const environment = () => ({
  REDIS_URL: server.url,
  ENCRYPTION_KEY: Buffer.from(encryptionKey).toString("base64"),
  WEBHOOK_ALLOW_DESTINATIONS: origin,
})
const ops = (...args: ReadonlyArray<string>) => runOps(args, environment())

const createSeller = async (...more: ReadonlyArray<string>) => {
  const done = await ops(
    ...["seller", "create", "--email", "ana@example.com", "--password", password, "--name", "Loja"],
    ...more,
  )
  expect(done).toMatchObject({ exitCode: 0, stderr: "" })
  return done.document
}

const endpointArguments = (sellerId: string, ...more: ReadonlyArray<string>) => [
  ...["endpoint", "create", "--seller", sellerId, "--mode", "test", "--url", `${origin}/hooks`],
  ...["--events", "transaction.paid", ...more],
]

/** The error of a run that must fail, after checking its form. */
const errorOf = (done: Awaited<ReturnType<typeof runOps>>) => {
  expect(done.exitCode).toBe(1)
  expect(Schema.is(ErrorEnvelope)(done.document)).toBe(true)
  expect(done.document.error.request_id).toMatch(/^req_[0-9A-HJKMNP-TV-Z]{26}$/)
  expect(done.stderr).toBe("")
  const { code, param, message } = done.document.error
  return { code, param, message }
}

/** RFC 6238 with SHA-1, 6 digits and 30 s, implemented independently. */
const totpOf = (secret: string, unixSeconds: number): string => {
  const bits = [...secret]
    .map((character) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(character).toString(2).padStart(5, "0"))
    .join("")
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(unixSeconds / 30)))
  const mac = createHmac("sha1", key).update(counter).digest()
  const offset = (mac.at(-1) ?? 0) & 15
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, "0")
}

describe("ops seller create", () => {
  it("ops seller create prints a seller's ids, keys and secrets, and they work", async () => {
    const created = await createSeller("--kyc", "approved")
    expect(Object.keys(created)).toEqual([
      "user_id",
      "seller_id",
      "totp_secret",
      "api_keys",
      "postback_secret",
    ])
    const user = await server.redis.hgetall(userKey(created.user_id))
    const digest = createHash("sha256").update(password).digest("base64")
    expect(compareSync(digest, user.password_hash ?? "")).toBe(true)
    expect(user.two_factor_enabled).toBe("1")

    expect(
      makeCipher(plainKey(encryptionKey)).open(
        user.totp_secret ?? "",
        sealedPlaces.totpSecret(created.user_id),
      ),
    ).toBe(created.totp_secret)
    const epoch = 1_795_219_200
    expect(generateSync({ secret: created.totp_secret, epoch })).toBe(totpOf(created.totp_secret, epoch))

    const apiKeysLive = ApiKeysLive.pipe(
      Layer.provide(Layer.merge(SellerStoreLive, ApiKeyStoreLive)),
      Layer.provide(StoreOptionsLive),
      Layer.provide(RedisClientLive(server.url)),
    )
    const principals = await Effect.runPromise(
      Effect.flatMap(ApiKeys, (apiKeys) =>
        Effect.forEach([created.api_keys.live, created.api_keys.test], (key) =>
          apiKeys.authenticate(`Bearer ${key}`),
        ),
      ).pipe(Effect.provide(apiKeysLive)),
    )
    expect(principals).toMatchObject([
      { sellerId: created.seller_id, mode: "live" },
      { sellerId: created.seller_id, mode: "test" },
    ])
    expect(created.postback_secret).toMatch(/^whsec_[A-Za-z0-9]{43}$/)
  })

  it("ops seller create prints a null live key without approved KYC", async () => {
    expect((await createSeller()).api_keys.live).toBeNull()
  })

  it("ops seller create makes one seller where several processes use the same e-mail at once", async () => {
    const emails = ["ana@example.com", "Ana@example.com", "ANA@EXAMPLE.COM", "ana@Example.com"]
    const runs = await Promise.all(
      emails.map((email) =>
        ops("seller", "create", "--email", email, "--password", password, "--name", "Loja"),
      ),
    )
    expect(runs.map(({ exitCode }) => exitCode).sort()).toEqual([0, 1, 1, 1])
    for (const done of runs.filter(({ exitCode }) => exitCode === 1)) {
      expect(errorOf(done)).toMatchObject({ code: "invalid_state", param: "email" })
    }
    expect(await server.redis.keys("seller:*")).toHaveLength(1)
  })

  it("ops seller create takes the document of an approved seller, and does not store it in clear", async () => {
    const { seller_id, api_keys } = await createSeller("--kyc", "approved", "--document", "529.982.247-25")
    expect(api_keys.live).toMatch(/^sk_live_/)
    const { document } = await ops("seller", "show", seller_id)
    expect(document.seller).toMatchObject({ kyc_status: "approved", document: "***.982.247-**" })
    const [key = ""] = await server.redis.keys(`seller:*:${seller_id}`)
    expect(JSON.stringify(await server.redis.hgetall(key))).not.toContain("52998224725")
  })

  it("ops seller create answers a mistake with the error envelope and the option's name", async () => {
    const good = ["--email", "ana@example.com", "--password", password, "--name", "Loja"]
    const mistakes: ReadonlyArray<readonly [param: string, ...args: Array<string>]> = [
      ["password", "--password", "short"],
      ["kyc", "--kyc", "yes"],
      ["phone", "--phone", "1"],
      ["document", "--document", "529.982.247-24"],
      ["document", "--document", "ABCDEFGHI09"],
    ]
    const runs = await Promise.all(mistakes.map(([, ...args]) => ops("seller", "create", ...good, ...args)))
    for (const [i, done] of runs.entries()) {
      expect(errorOf(done)).toMatchObject({ code: "validation_failed", param: mistakes[i]?.[0] })
    }
    // What every process makes that opens the store.
    const own = ["customer-secret:{customers}", "encryption-keys"]
    expect((await server.redis.keys("*")).toSorted()).toEqual(own)
  })
})

describe("ops endpoint create", () => {
  it("ops endpoint create prints the endpoint with its secret, and makes up to five in a mode", async () => {
    const { seller_id } = await createSeller()
    const first = await ops(...endpointArguments(seller_id, "--description", "Loja 1"))
    expect(first.exitCode).toBe(0)
    expect(Schema.is(Endpoint)(first.document)).toBe(true)
    expect(first.document).toMatchObject({
      url: `${origin}/hooks`,
      events: ["transaction.paid"],
      description: "Loja 1",
      ordering: "none",
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9]{43}$/),
    })
    const ordered = ["--ordering", "resource"]
    const more = await Promise.all(
      Array.from({ length: 5 }, () => ops(...endpointArguments(seller_id, ...ordered))),
    )
    const made = more.filter(({ exitCode }) => exitCode === 0)
    expect(made.map(({ document }) => document.ordering)).toEqual(Array(4).fill("resource"))
    const [refused] = more.filter(({ exitCode }) => exitCode === 1)
    if (refused === undefined) throw new Error("none was refused")
    expect(errorOf(refused).code).toBe("invalid_state")
    expect(await server.redis.keys("destination:*")).toHaveLength(5)
  })

  it("ops endpoint create answers a mistake with the error envelope and the option's name", async () => {
    const { seller_id } = await createSeller()
    const mistakes: ReadonlyArray<readonly [code: string, param: string, ...args: Array<string>]> = [
      ["invalid_url", "url", "--url", "https://10.0.0.1/"],
      ["invalid_event_type", "events.1", "--events", "transaction.paid,ping"],
      ["validation_failed", "events", "--events", ","],
      ["validation_failed", "mode", "--mode", "sandbox"],
      ["validation_failed", "ordering", "--ordering", "event"],
      ["resource_not_found", "seller", "--seller", "sel_1"],
    ]
    const runs = await Promise.all(
      mistakes.map(([, , ...args]) => ops(...endpointArguments(seller_id, ...args))),
    )
    for (const [i, done] of runs.entries()) {
      const [code, param] = mistakes[i] ?? []
      expect(errorOf(done)).toMatchObject({ code, param })
    }
    expect(await server.redis.keys("destination:*")).toEqual([])
  })
})

describe("ops seller show", () => {
  it("ops seller show prints the seller, its endpoints without secrets, and its charges by status", async () => {
    const { seller_id, user_id } = await createSeller()
    const { document: endpoint } = await ops(...endpointArguments(seller_id))
    await server.redis.zadd(keys.transactionsKey(seller_id, "test", "paid"), 0, "txn_1", 0, "txn_2")
    await server.redis.zadd(keys.transactionsKey(seller_id, "live", "pending"), 0, "txn_3")
    const done = await ops("seller", "show", seller_id)
    expect(done.exitCode).toBe(0)
    const { secret, ...shown } = endpoint
    const none = { pending: 0, paid: 0, expired: 0, failed: 0, refunded: 0, chargeback: 0 }
    expect(done.document).toMatchObject({
      seller: { id: seller_id, user_id, name: "Loja", status: "active", kyc_status: "none" },
      endpoints: { live: [], test: [shown] },
      transactions: { live: { ...none, pending: 1 }, test: { ...none, paid: 2 } },
    })
    expect(done.stdout).not.toContain(secret)
    expect(done.stdout).not.toContain("enc:v2:0:")
  })

  it("ops seller show answers resource_not_found for an unknown seller", async () => {
    for (const id of ["sel_1", "sel_01ARZ3NDEKTSV4RRFFQ69G5FAV"]) {
      const error = errorOf(await ops("seller", "show", id))
      expect(error).toMatchObject({ code: "resource_not_found", param: "seller" })
    }
  })
})

describe("ops mail list", () => {
  it("ops mail list prints an empty list without mails, and the newest first with some", async () => {
    expect((await ops("mail", "list")).document).toEqual({ data: [] })
    await server.redis.xadd("mail", "1795219200000-0", "to", "ana@example.com", "subject", "first")
    await server.redis.xadd("mail", "1795219200001-0", "to", "rui@example.com", "subject", "second")
    expect((await ops("mail", "list")).document).toEqual({
      data: [
        {
          id: "1795219200001-0",
          sent_at: "2026-11-21T00:00:00.001Z",
          to: "rui@example.com",
          subject: "second",
        },
        {
          id: "1795219200000-0",
          sent_at: "2026-11-21T00:00:00.000Z",
          to: "ana@example.com",
          subject: "first",
        },
      ],
    })
  })
})

describe("ops", () => {
  it("ops help and ops --help list the commands, through npm as well", async () => {
    const { document, exitCode } = await ops("help")
    expect(exitCode).toBe(0)
    const listed = document.commands.map(({ command }: { command: string }) => command)
    expect(listed).toContain("seller show SELLER")
    expect((await ops("--help")).document).toEqual(document)
    const { stdout } = await run("npm", ["run", "--silent", "ops", "--", "help"], environment())
    expect(JSON.parse(stdout)).toEqual(document)
  })

  it("ops names the commands there are where it is given an unknown one or none", async () => {
    expect(errorOf(await ops("sellers"))).toMatchObject({ code: "validation_failed", param: "command" })
    expect(errorOf(await ops()).message).toContain("seller create")
  })

  it("ops says what to do where there is no Redis, without the password of its URL", async () => {
    const away = { ...environment(), REDIS_URL: "redis://:hush@127.0.0.1:1" }
    const error = errorOf(await runOps(["mail", "list"], away))
    expect(error.code).toBe("service_unavailable")
    expect(error.message).toMatch(/127\.0\.0\.1:1.*npm start.*REDIS_URL/)
    expect(error.message).not.toContain("hush")
  })

  it("ops names a setting that is wrong", async () => {
    const done = await runOps(["mail", "list"], { ...environment(), PARTITIONS: "many" })
    expect(errorOf(done)).toMatchObject({ code: "validation_failed", param: "PARTITIONS" })
  })

  it("ops uses the Redis that runs for the data folder, and that folder's encryption key", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "corrente-test-ops-"))
    try {
      const settings = { DATA_DIR: dataDir }
      const error = errorOf(await runOps(["mail", "list"], settings))
      expect(error).toMatchObject({ code: "service_unavailable" })
      expect(error.message).toContain("npm start")

      mkdirSync(join(dataDir, "redis"), { recursive: true })
      // A server without a password takes any.
      const address = server.url.replace("redis://", "redis://default:any@")
      writeFileSync(join(dataDir, "redis", "address"), `${address}\n`)
      const args = ["seller", "create", "--email", "a@b.co", "--password", password, "--name", "A"]
      const { document } = await runOps(args, settings)
      const key = Buffer.from(readFileSync(join(dataDir, "encryption.key"), "utf8"), "base64")
      const sealed = await server.redis.hget(userKey(document.user_id), "totp_secret")
      expect(makeCipher(plainKey(key)).open(sealed ?? "", sealedPlaces.totpSecret(document.user_id))).toBe(
        document.totp_secret,
      )
    } finally {
      rmSync(dataDir, { recursive: true, force: true })
    }
  })
})
