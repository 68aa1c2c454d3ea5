import { createHash } from "node:crypto"
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { entryIdOf } from "../../schema/ids.ts"
import type { Transaction } from "../../schema/resources/transaction.ts"
import { redisFolderOf } from "../../src/start/ownRedis/redisFolder.ts"
import { chargeBody, freshKey, getCharge, makeCharge, postCharge } from "../e2e/support/charges.ts"
import { clientsOf } from "../e2e/support/stage.ts"
import { makeSeller } from "../support/seller.ts"
import { type Service, startService } from "../support/service.ts"
import { runOps, runOpsAtTerminal } from "./cli.ts"

let service: Service
let backups: string
beforeAll(async () => {
  backups = mkdtempSync(join(tmpdir(), "corrente-backups-"))
  service = await startService({ env: { LOG_LEVEL: "warn" } })
})
afterAll(async () => {
  await service?.stop()
  rmSync(backups, { recursive: true, force: true })
})

const environment = () => ({ DATA_DIR: service.dataDir })
const backUp = (dir: string) => runOps(["backup", dir], environment())
const restore = (...words: ReadonlyArray<string>) => runOps(["restore", ...words], environment())
const folder = () => redisFolderOf(service.dataDir).path

/** A copy of a backup, which the test may damage. */
const copyOf = (dir: string, name: string) => {
  const copy = join(backups, name)
  cpSync(dir, copy, { recursive: true })
  return copy
}

describe("ops backup and ops restore", () => {
  it("a restored backup is the data as it was at the backup, and a second start keeps it", async () => {
    const seller = await makeSeller(service)
    const { test } = clientsOf(service.url, seller)
    const key = freshKey()
    // Never paid by itself.
    const charge = await makeCharge(test, { amount: 12_901 }, key)
    const dir = join(backups, "first")
    const before = Date.now()
    const made = await backUp(dir)

    expect(made.exitCode, made.stdout).toBe(0)
    const bytes = readFileSync(join(dir, "node-1.rdb"))
    const sha256 = createHash("sha256").update(bytes).digest("hex")
    const feeds = readFileSync(join(dir, "feeds.jsonl"), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
    expect(made.document).toEqual({
      ...{ dir, format: 2, db: 0, version: expect.any(String) },
      taken_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      library_version: expect.stringMatching(/^[0-9a-f]{12}$/),
      nodes: [
        {
          ...{ file: "node-1.rdb", sha256, bytes: bytes.length, slots: null, role: "primary" },
          taken_at: made.document.taken_at,
          server: new URL(service.redisUrl).host,
          redis_version: expect.stringMatching(/^\d+\./),
          keys: expect.any(Number),
          replication_id: expect.stringMatching(/^[0-9a-f]{40}$/),
          offset: expect.any(Number),
        },
      ],
      feeds: {
        ...{ file: "feeds.jsonl", count: feeds.length, bytes: expect.any(Number) },
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    })
    expect(made.document.nodes[0].keys).toBeGreaterThan(0)
    const { data } = (
      await test.get<{ data: ReadonlyArray<{ id: string; seq: number }> }>("/v1/events?limit=1")
    ).body
    const [newest] = data
    const feed = { sellerId: seller.id, mode: "test" } as const
    expect(feeds.filter((one) => one.seller === seller.id && one.mode === "test")).toEqual([
      {
        partition: expect.stringMatching(/^p\d\d$/),
        ...{
          seller: seller.id,
          mode: "test",
          seq: newest?.seq,
          entry: entryIdOf(feed, newest?.id ?? ""),
        },
      },
    ])
    expect(Math.abs(Date.parse(made.document.taken_at) - before)).toBeLessThan(60_000)
    const { dir: _, ...manifest } = made.document
    expect(JSON.parse(readFileSync(join(dir, "manifest.json"), "utf8"))).toEqual(manifest)
    expect(readdirSync(dir).sort()).toEqual(["feeds.jsonl", "manifest.json", "node-1.rdb"])
    expect(statSync(join(dir, "node-1.rdb")).mode & 0o077).toBe(0)
    expect(existsSync(join(folder(), "dump.rdb"))).toBe(false)

    await test.post(`/v1/test/transactions/${charge.id}/pay`, {})
    expect((await getCharge(test, charge.id)).body.status).toBe("paid")
    const later = await makeCharge(test, { amount: 901 })
    await service.terminate()
    const restored = await restore("--force", dir)
    expect(restored.exitCode, restored.stdout).toBe(0)
    expect(restored.document).toMatchObject({
      restored: true,
      nodes: [{ sha256 }],
      taken_at: manifest.taken_at,
    })
    expect(restored.document.next).toContain("corrente_payouts_frozen")
    expect(readdirSync(restored.document.put_aside)).toEqual(["appendonlydir"])
    expect(readdirSync(folder())).not.toContain("restoring")

    for (const _start of ["first", "second"]) {
      await service.restart()
      expect((await getCharge(test, charge.id)).body).toEqual(charge)
      expect((await getCharge(test, later.id)).status).toBe(404)
      // The saved answer is there too, so a repeated request makes no second charge.
      const repeated = await postCharge<Transaction>(test, chargeBody({ amount: 12_901 }), key)
      expect([repeated.status, repeated.body.id]).toEqual([201, charge.id])
      await service.terminate()
    }
    await service.restart()
  })

  it("a backup never overwrites files", async () => {
    const dir = join(backups, "taken")
    mkdirSync(dir)
    writeFileSync(join(dir, "precious"), "")
    const { exitCode, document } = await backUp(dir)

    expect([exitCode, document.error.code, document.error.param]).toEqual([1, "validation_failed", "dir"])
    expect(readdirSync(dir)).toEqual(["precious"])
  })

  it("a restore is refused while the service runs, and while its Redis does after a crash", async () => {
    const dir = join(backups, "second")
    const shown = await runOpsAtTerminal(["backup", dir], environment())
    expect(shown.stdout).toMatch(
      /^Taken +[\d-]+ [\d:]+ UTC$[\s\S]+^node-1\.rdb +primary [\d.:]+ .* [0-9a-f]{64}$/m,
    )
    const running = await restore("--force", dir)
    expect(running.exitCode).toBe(1)
    expect(running.document.error.message).toContain("Corrente already runs on the data folder")

    await service.kill9()
    const left = await restore("--force", dir)
    expect([left.exitCode, left.document.error.code]).toEqual([1, "invalid_state"])
    expect(left.document.error.message).toMatch(/A redis-server \(process \d+\) still runs on .*kill \d+/)
    await service.restart()
  })

  it("a restore over data is refused without --force, and changes nothing", async () => {
    const dir = join(backups, "third")
    await backUp(dir)
    await service.terminate()
    const names = readdirSync(folder()).sort()
    const { exitCode, document } = await restore(dir)

    expect([exitCode, document.error.code]).toEqual([1, "invalid_state"])
    expect(document.error.message).toContain("--force")
    expect(readdirSync(folder()).sort()).toEqual(names)
    await service.restart()
  })

  it("a backup that is not what its manifest says is refused, and the data stays", async () => {
    const whole = join(backups, "fourth")
    await backUp(whole)
    const longer = copyOf(whole, "longer")
    appendFileSync(join(longer, "node-1.rdb"), "x")
    const changed = copyOf(whole, "changed")
    const bytes = readFileSync(join(changed, "node-1.rdb"))
    writeFileSync(join(changed, "node-1.rdb"), bytes.with(20, (bytes[20] ?? 0) ^ 1))
    const empty = copyOf(whole, "empty")
    rmSync(join(empty, "node-1.rdb"))
    const unfinished = copyOf(whole, "unfinished")
    rmSync(join(unfinished, "manifest.json"))
    const foreign = copyOf(whole, "foreign")
    writeFileSync(join(foreign, "manifest.json"), '{"format":3}')
    await service.terminate()
    const names = readdirSync(folder()).sort()

    for (const dir of [longer, changed, empty, unfinished, foreign, join(backups, "nowhere")]) {
      const { exitCode, document } = await restore("--force", dir)
      expect([dir, exitCode, document.error.code, document.error.param]).toEqual([
        ...[dir, 1, "validation_failed", "dir"],
      ])
      expect(readdirSync(folder()).sort()).toEqual(names)
    }
    await service.restart()
  })

  it("a backup of a build before format 2 is restored", async () => {
    const dir = join(backups, "old")
    const { document } = await backUp(dir)
    const [{ sha256, bytes, keys, redis_version }] = document.nodes
    const { taken_at, version, library_version } = document
    renameSync(join(dir, "node-1.rdb"), join(dir, "dump.rdb"))
    rmSync(join(dir, "feeds.jsonl"))
    const old = { format: 1, taken_at, version, library_version, redis_version, keys, bytes, sha256 }
    writeFileSync(join(dir, "manifest.json"), JSON.stringify(old))
    await service.terminate()
    const restored = await restore("--force", dir)
    expect(restored.exitCode, restored.stdout).toBe(0)
    expect(restored.document).toMatchObject({ taken_at, nodes: [{ file: "dump.rdb", sha256, server: null }] })
    await service.restart()
  })

  it("a backup of several servers, or of another database, is no data of npm start's Redis", async () => {
    const whole = join(backups, "fifth")
    const { document } = await backUp(whole)
    const { dir: _, ...manifest } = document
    await service.terminate()
    for (const changes of [{ nodes: [...manifest.nodes, ...manifest.nodes] }, { nodes: [] }, { db: 1 }]) {
      writeFileSync(join(whole, "manifest.json"), JSON.stringify({ ...manifest, ...changes }))
      const { exitCode, document } = await restore("--force", whole)
      expect([exitCode, document.error.code, document.error.param]).toEqual([1, "validation_failed", "dir"])
      expect(document.error.message).toContain("Set REDIS_URL to an empty Redis")
    }
    await service.restart()
  })
})
