import { createHash } from "node:crypto"
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Redis } from "ioredis"
import { afterAll, beforeAll, describe, expect, it, type TestContext } from "vitest"
import { createAuthority } from "../support/certificates.ts"
import { freeTestPort } from "../support/ports.ts"
import { startTestCluster, type TestCluster } from "../support/redisCluster.ts"
import { nodeArguments, type RedisNode, startRedisNode } from "../support/redisNode.ts"
import { startTestSentinels, waitForReplica } from "../support/redisSentinels.ts"
import { startTcpProxy } from "../support/tcpProxy.ts"
import { until } from "../support/until.ts"
import { run, runOps } from "./cli.ts"

type AtEnd = TestContext["onTestFinished"]

let backups: string
beforeAll(() => {
  backups = mkdtempSync(join(tmpdir(), "corrente-backups-"))
})
afterAll(() => rmSync(backups, { recursive: true, force: true }))

const started = async (atEnd: AtEnd, ...more: ReadonlyArray<string>): Promise<RedisNode> => {
  const node = await startRedisNode(nodeArguments(...more))
  atEnd(node.stop)
  return node
}

const urlOf = (node: RedisNode, db = 0) => `redis://${node.address}/${db}`

const ops = (url: string, ...words: ReadonlyArray<string>) => runOps(words, { REDIS_URL: url })

const backUp = async (url: string, dir: string, ...flags: ReadonlyArray<string>) => {
  const { exitCode, stdout, document } = await ops(url, "backup", ...flags, dir)
  expect(exitCode, stdout).toBe(0)
  return document
}

/** Restores into a server of its own; a connection to it. */
const restoredOn = async (atEnd: AtEnd, dir: string, db = 0) => {
  const target = await started(atEnd)
  const { exitCode, stdout, document } = await ops(urlOf(target, db), "restore", dir)
  expect(exitCode, stdout).toBe(0)
  const redis = new Redis(urlOf(target, db))
  atEnd(() => redis.disconnect())
  return { redis, document }
}

const refusal = async (url: string, ...words: ReadonlyArray<string>) => {
  const { exitCode, document } = await ops(url, ...words)
  expect(exitCode).toBe(1)
  return document.error as { readonly code: string; readonly param?: string; readonly message: string }
}

/** A key of every kind that the service uses, one that ends, and one that has. */
const fill = async (redis: Redis) => {
  await redis.set("text", Buffer.from([0, 1, 255, 13, 10]))
  await redis.hset("feed:{p07}:sel_1:live", { seq: 12, last: "1700-3" })
  await redis.hset("hash", { long: "x".repeat(5_000) })
  await redis.sadd("set", "a", "b")
  await redis.zadd("sorted", 1.5, "a", 2, "b")
  await redis.rpush("list", "a", "b", "a")
  await redis.xadd("stream", "5-1", "field", "value")
  await redis.xadd("stream", "6-1", "field", "value")
  await redis.xdel("stream", "6-1")
  await redis.set("ends", "later", "PX", 600_000)
  await redis.set("ended", "soon", "PX", 1)
}

describe("ops backup of REDIS_URL", () => {
  it("every kind of key is restored as it was, with its end, in its database", async ({ onTestFinished }) => {
    const server = await started(onTestFinished)
    const redis = new Redis(urlOf(server, 3))
    onTestFinished(() => redis.disconnect())
    await fill(redis)
    await server.call("SET", "of another", "database")
    const dir = join(backups, "kinds")
    const made = await backUp(urlOf(server, 3), dir)
    expect(made).toMatchObject({
      db: 3,
      nodes: [{ role: "primary", server: server.address }],
      feeds: { count: 1 },
    })
    expect(readFileSync(join(dir, "feeds.jsonl"), "utf8")).toBe(
      '{"partition":"p07","seller":"sel_1","mode":"live","seq":12,"entry":"1700-3"}\n',
    )

    const { redis: restored, document } = await restoredOn(onTestFinished, dir, 5)
    expect(document).toMatchObject({ restored: true, keys: 8, seams: null })
    expect((await restored.keys("*")).sort()).toEqual([
      "ends",
      "feed:{p07}:sel_1:live",
      "hash",
      "list",
      "set",
      "sorted",
      "stream",
      "text",
    ])
    expect(await restored.getBuffer("text")).toEqual(Buffer.from([0, 1, 255, 13, 10]))
    expect(await restored.hgetall("hash")).toEqual({ long: "x".repeat(5_000) })
    expect((await restored.smembers("set")).sort()).toEqual(["a", "b"])
    expect(await restored.zrange("sorted", "0", "-1", "WITHSCORES")).toEqual(["a", "1.5", "b", "2"])
    expect(await restored.lrange("list", 0, -1)).toEqual(["a", "b", "a"])
    expect(await restored.xrange("stream", "-", "+")).toEqual([["5-1", ["field", "value"]]])
    // An entry that was deleted is not written again.
    await expect(restored.xadd("stream", "6-1", "field", "value")).rejects.toThrow("equal or smaller")
    expect(await restored.pexpiretime("ends")).toBe(await redis.pexpiretime("ends"))
  })

  it("a user with a password is backed up over TLS", async ({ onTestFinished }) => {
    const authority = createAuthority("test")
    const issued = authority.issue({ names: ["localhost"] })
    const files = mkdtempSync(join(tmpdir(), "corrente-certificates-"))
    onTestFinished(() => rmSync(files, { recursive: true, force: true }))
    const texts = {
      "ca.pem": authority.certificatePem,
      "cert.pem": issued.certificatePem,
      "key.pem": issued.privateKeyPem,
    }
    for (const [name, text] of Object.entries(texts)) writeFileSync(join(files, name), text)
    const tlsPort = await freeTestPort()
    const server = await started(
      onTestFinished,
      ...["--tls-port", String(tlsPort), "--tls-auth-clients", "no"],
      ...["--tls-ca-cert-file", join(files, "ca.pem")],
      ...["--tls-cert-file", join(files, "cert.pem"), "--tls-key-file", join(files, "key.pem")],
    )
    await server.call("SET", "a", "1")
    // What docs/operations.md#backups says that a user of backups may do.
    await server.call("ACL", "SETUSER", "keeper", "on", ">p@ss:w/rd", "+info", "+time", "+replconf", "+psync")
    const url = `rediss://keeper:${encodeURIComponent("p@ss:w/rd")}@localhost:${tlsPort}`
    const dir = join(backups, "tls")
    const { exitCode, stdout } = await run(process.execPath, ["dist/ops.mjs", "backup", "--json", dir], {
      ...{ REDIS_URL: url, NODE_EXTRA_CA_CERTS: join(files, "ca.pem") },
    })
    expect(exitCode, stdout).toBe(0)
    expect(JSON.parse(stdout).nodes).toMatchObject([{ server: `localhost:${tlsPort}`, keys: 1 }])

    const stranger = await run(
      process.execPath,
      ["dist/ops.mjs", "backup", "--json", join(backups, "stranger")],
      {
        REDIS_URL: url,
      },
    )
    expect(JSON.parse(stranger.stdout).error.message).toContain("certificate")
  })

  it("a server that refuses a full copy is no backup", async ({ onTestFinished }) => {
    const server = await started(onTestFinished)
    await server.call("ACL", "SETUSER", "reader", "on", ">secret", "+info", "+time")
    const dir = join(backups, "refused")
    const { code, message } = await refusal(`redis://reader:secret@${server.address}`, "backup", dir)
    expect([code, message]).toEqual(["service_unavailable", expect.stringContaining("NOPERM")])
    expect(readdirSync(dir)).toEqual([])
  })

  it("the replica is read, once it has what was acknowledged before; with --from-primaries the primary", async ({
    onTestFinished,
  }) => {
    const primary = await started(onTestFinished)
    const proxy = await startTcpProxy(primary.port)
    onTestFinished(proxy.close)
    const replica = await started(onTestFinished, "--replicaof", `127.0.0.1 ${proxy.port}`)
    await waitForReplica(primary, replica)
    // Neither side notices: to the replica its link is up, and it has all that it knows of.
    proxy.swallow()
    await primary.call("SET", "a", "1")
    const dir = join(backups, "behind")
    const made = backUp(urlOf(primary), dir)
    await until("the replica to be asked", async () => {
      const asked = /cmdstat_info:calls=(\d+)/.exec(String(await replica.call("INFO", "commandstats")))?.[1]
      return Number(asked) > 20
    })
    await replica.call("REPLICAOF", "127.0.0.1", primary.port)
    expect((await made).nodes).toMatchObject([{ role: "replica", server: replica.address, keys: 1 }])
    const { redis } = await restoredOn(onTestFinished, dir)
    expect(await redis.get("a")).toBe("1")

    const fromPrimary = await backUp(urlOf(primary), join(backups, "primary"), "--from-primaries")
    expect(fromPrimary.nodes).toMatchObject([{ role: "primary", server: primary.address, keys: 1 }])
  })

  it("the replica of the primary that Sentinels name is read, and its primary restored into", async ({
    onTestFinished,
  }) => {
    const sentinels = await startTestSentinels(1)
    onTestFinished(sentinels.stop)
    const [primary, replica] = sentinels.servers
    await primary.call("SET", "a", "1")
    const made = await backUp(sentinels.url, join(backups, "sentinels"))
    expect(made.nodes).toMatchObject([{ role: "replica", server: replica.address, keys: 1, slots: null }])

    await primary.call("FLUSHALL")
    const restored = await ops(sentinels.url, "restore", join(backups, "sentinels"))
    expect(restored.exitCode, restored.stdout).toBe(0)
    expect(await primary.call("GET", "a")).toBe("1")
  })

  it("a server that sends its copy by way of its disk is backed up too, and with --unchecked nothing is counted", async ({
    onTestFinished,
  }) => {
    const server = await started(onTestFinished, "--repl-diskless-sync", "no")
    await server.call("SET", "a", "1")
    const dir = join(backups, "disk")
    const made = await backUp(urlOf(server), dir, "--unchecked")
    expect(made).toMatchObject({ nodes: [{ keys: null }], feeds: null })
    const { redis } = await restoredOn(onTestFinished, dir)
    expect(await redis.get("a")).toBe("1")
  })
})

it("a backup takes no copy that the server began before for another", async ({ onTestFinished }) => {
  // By way of its disk a server gives one copy to all who ask meanwhile.
  const server = await started(onTestFinished, "--repl-diskless-sync", "no")
  for (let i = 0; i < 50; i += 1) await server.call("SET", `key ${i}`, "1")
  // Microseconds for each key: the copy takes a second.
  await server.call("CONFIG", "SET", "rdb-key-save-delay", 20_000)
  const first = backUp(urlOf(server), join(backups, "first of two"))
  await until("the first copy to begin", async () =>
    String(await server.call("INFO", "persistence")).includes("rdb_bgsave_in_progress:1"),
  )
  await server.call("SET", "later", "1")
  const second = await backUp(urlOf(server), join(backups, "second of two"))
  expect([(await first).nodes[0].keys, second.nodes[0].keys]).toEqual([50, 51])
})

it("of a snapshot that breaks off nothing stays", async ({ onTestFinished }) => {
  const server = await started(onTestFinished)
  // More than fits into buffers on the way.
  for (let i = 0; i < 50; i += 1) await server.call("SET", `key ${i}`, "x".repeat(100_000))
  await server.call("CONFIG", "SET", "rdbcompression", "no")
  await server.call("CONFIG", "SET", "rdb-key-save-delay", 100_000)
  const dir = join(backups, "broken off")
  const failed = refusal(urlOf(server), "backup", dir)
  await until(
    "the snapshot to be under way",
    () => existsSync(dir) && readdirSync(dir).includes("node-1.rdb.part"),
  )
  await server.kill9()
  expect(await failed).toMatchObject({ code: "service_unavailable" })
  expect(readdirSync(dir)).toEqual([])
})

it("on a machine without redis-server a backup is made, and says that nothing has loaded it", async ({
  onTestFinished,
}) => {
  const server = await started(onTestFinished)
  await server.call("SET", "a", "1")
  const env = { REDIS_URL: urlOf(server), PATH: "/nowhere" }
  const inJson = await run(process.execPath, ["dist/ops.mjs", "backup", "--json", join(backups, "bare")], env)
  expect(JSON.parse(inJson.stdout)).toMatchObject({ nodes: [{ keys: null }], feeds: null })
  const inText = await run(
    process.execPath,
    ["dist/ops.mjs", "backup", "--no-json", join(backups, "bare text")],
    env,
  )
  expect(inText.stdout).toContain("No redis-server of this machine has loaded it")
  const target = await started(onTestFinished)
  const to = { ...env, REDIS_URL: urlOf(target) }
  const restored = await run(
    process.execPath,
    ["dist/ops.mjs", "restore", "--json", join(backups, "bare")],
    to,
  )
  expect([restored.exitCode, JSON.parse(restored.stdout).error.message]).toEqual([
    ...[1, expect.stringContaining("redis-server could not be run")],
  ])
})

describe("a cluster", () => {
  let cluster: TestCluster
  beforeAll(async () => {
    cluster = await startTestCluster({ withReplicas: true })
    // A node names a replica once it has heard how far it has got.
    const named = async () =>
      (await cluster.nodes[0]?.call("CLUSTER", "SLOTS")) as ReadonlyArray<ReadonlyArray<unknown>>
    await until("the replicas to be named", async () => (await named()).every((row) => row.length === 4))
  })
  afterAll(() => cluster?.stop())

  const keyOn = (i: number) => ["{a}", "{b}", "{c}", "{d}"].map((tag) => `key:${tag}`)[i] ?? ""
  const write = async (key: string, value: string) => (await cluster.primaryOf(key)).call("SET", key, value)

  it("is backed up from its replicas, and restored into one server or into another cluster", async ({
    onTestFinished,
  }) => {
    for (const i of [0, 1, 2, 3]) await write(keyOn(i), String(i))
    const dir = join(backups, "cluster")
    const made = await backUp(cluster.url, dir)
    const replicas = cluster.nodes.slice(3).map(({ address }) => address)
    expect(made.nodes).toHaveLength(3)
    const servers = made.nodes.map(({ server, role }: { server: string; role: string }) => [server, role])
    expect(servers.toSorted()).toEqual(replicas.map((address) => [address, "replica"]).toSorted())
    const slots = made.nodes.flatMap(
      (node: { slots: ReadonlyArray<readonly [number, number]> }) => node.slots,
    )
    expect(slots.reduce((sum: number, [first, last]: [number, number]) => sum + last - first + 1, 0)).toBe(
      16_384,
    )

    const { redis, document } = await restoredOn(onTestFinished, dir)
    expect(document.keys).toBe(4)
    expect(await redis.mget([0, 1, 2, 3].map(keyOn))).toEqual(["0", "1", "2", "3"])

    const other = await startTestCluster()
    onTestFinished(other.stop)
    const restored = await ops(other.url, "restore", dir)
    expect(restored.exitCode, restored.stdout).toBe(0)
    for (const i of [0, 1, 2, 3]) {
      expect(await (await other.primaryOf(keyOn(i))).call("GET", keyOn(i))).toBe(String(i))
    }
    const { code, message } = await refusal(other.url, "restore", dir)
    expect([code, message]).toEqual(["invalid_state", expect.stringContaining("is not empty")])
  })

  it("while a slot is being moved, nothing is backed up", async () => {
    const from = await cluster.primaryOf(keyOn(0))
    const to = cluster.nodes.slice(0, 3).find((node) => node !== from)
    const slot = Number(await from.call("CLUSTER", "KEYSLOT", keyOn(0)))
    await from.call("CLUSTER", "SETSLOT", slot, "MIGRATING", String(await to?.call("CLUSTER", "MYID")))
    const { message } = await refusal(cluster.url, "backup", join(backups, "moving"))
    expect(message).toMatch(new RegExp(`Slots are being moved at ${from.address} \\(\\[${slot}->-`))
    await from.call("CLUSTER", "SETSLOT", slot, "STABLE")
  })

  it("a damaged or missing snapshot of one server restores nothing", async ({ onTestFinished }) => {
    const whole = join(backups, "whole")
    await backUp(cluster.url, whole)
    const damaged = join(backups, "damaged")
    cpSync(whole, damaged, { recursive: true })
    const bytes = readFileSync(join(damaged, "node-3.rdb"))
    writeFileSync(join(damaged, "node-3.rdb"), bytes.with(20, (bytes[20] ?? 0) ^ 1))
    const missing = join(backups, "missing")
    cpSync(whole, missing, { recursive: true })
    rmSync(join(missing, "node-2.rdb"))
    const target = await started(onTestFinished)
    for (const dir of [damaged, missing]) {
      expect(await refusal(urlOf(target), "restore", dir)).toMatchObject({
        code: "validation_failed",
        param: "dir",
      })
      expect(await target.call("DBSIZE")).toBe(0)
    }
  })

  it("a snapshot that its manifest describes and Redis cannot load restores nothing", async ({
    onTestFinished,
  }) => {
    const server = await started(onTestFinished)
    await server.call("SET", "a", "1")
    const dir = join(backups, "unloadable")
    const { dir: _, ...manifest } = await backUp(urlOf(server), dir)
    const file = join(dir, "node-1.rdb")
    const bytes = readFileSync(file)
    writeFileSync(file, bytes.with(-1, (bytes.at(-1) ?? 0) ^ 1))
    const sha256 = createHash("sha256").update(readFileSync(file)).digest("hex")
    const nodes = [{ ...manifest.nodes[0], sha256 }]
    writeFileSync(join(dir, "manifest.json"), JSON.stringify({ ...manifest, nodes }))
    const target = await started(onTestFinished)
    const { message } = await refusal(urlOf(target), "restore", dir)
    expect(message).toContain("Wrong RDB checksum")
    expect(await target.call("DBSIZE")).toBe(0)
  })
})
