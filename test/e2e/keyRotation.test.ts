import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { Redis } from "ioredis"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { keyIdOfSealed, sealedPlaces } from "../../actors/values/sealedPlaces.ts"
import { makeId } from "../../schema/ids.ts"
import type { Customer } from "../../schema/resources/customer.ts"
import type { Transaction } from "../../schema/resources/transaction.ts"
import { termsOfDocument } from "../../src/accounts/sellers/documentTerm.ts"
import { makeCipher, makeFingerprints } from "../../src/crypto/cipher.ts"
import { plainKey } from "../../src/crypto/encryptionKeys.ts"
import * as keys from "../../src/store/keys.ts"
import { runOps } from "../ops/cli.ts"
import { signInAsOperator } from "../support/dashboard.ts"
import { startTestRedis, type TestRedis } from "../support/redis.ts"
import { type RedisPeer, startRedisPeer } from "../support/redisPeer.ts"
import { newDataDir, runService } from "../support/service.ts"
import { startTlsReceiver, type TlsReceiver } from "../support/tlsReceiver.ts"
import { pause, until } from "../support/until.ts"
import { chargeBody, freshKey, getCharge, makeCharge, postCharge } from "./support/charges.ts"
import { makeClient, type Page } from "./support/client.ts"
import { dashboardClient } from "./support/dashboardClient.ts"
import {
  expectReadable,
  type HeldSecrets,
  holdSecrets,
  isTrusted,
  paymentPage,
} from "./support/heldSecrets.ts"
import { noticeSettings } from "./support/notices.ts"
import { openStage, receiverSettings, type Stage } from "./support/stage.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))
const [old, fresh] = [randomBytes(32), randomBytes(32)]
const oldText = old.toString("base64")
const freshText = `new:${fresh.toString("base64")}`
const lists = {
  old: oldText,
  readable: `${oldText},${freshText}`,
  newest: `${freshText},${oldText}`,
  only: freshText,
} as const

let redis: TestRedis
let client: Redis
let receiver: TlsReceiver
let peer: RedisPeer
const stages: [Stage | undefined, Stage | undefined] = [undefined, undefined]
let held: HeldSecrets

const at = (i: 0 | 1): Stage => {
  const stage = stages[i]
  if (stage === undefined) throw new Error(`process ${i} is being restarted`)
  return stage
}
const environmentOf = (list: keyof typeof lists) => ({
  REDIS_URL: redis.url,
  ENCRYPTION_KEY: lists[list],
})
const start = async (i: 0 | 1, list: keyof typeof lists) => {
  const settings = { SIMULATOR_DELAY_MS: "20", ...noticeSettings, ...receiverSettings(receiver, peer) }
  stages[i] = await openStage({ ...settings, ENCRYPTION_KEY: lists[list] }, { redisUrl: redis.url })
}
/** Restarts one process after the other with other keys: one of them always serves. */
const roll = async (list: keyof typeof lists, which: ReadonlyArray<0 | 1> = [0, 1]) => {
  for (const i of which) {
    const stopped = at(i)
    stages[i] = undefined
    await stopped.service.terminate()
    await stopped.close()
    await start(i, list)
  }
}
const ops = (list: keyof typeof lists, ...args: ReadonlyArray<string>) => runOps(args, environmentOf(list))

beforeAll(async () => {
  redis = await startTestRedis({ appendfsync: "no" })
  client = new Redis(redis.url)
  receiver = await startTlsReceiver()
  peer = await startRedisPeer()
  await Promise.all([start(0, "old"), start(1, "old")])
  held = await holdSecrets(at(0), receiver, peer)
})
afterAll(async () => {
  await Promise.all(stages.map((stage) => stage?.close()))
  client?.disconnect()
  await receiver?.close()
  await peer?.close()
  await redis?.stop()
})

/** Makes charges one after the other, at whichever process serves, until it is stopped; answers the charges that were acknowledged. */
const startLoad = () => {
  const made: Array<string> = []
  let isStopped = false
  const running = (async () => {
    for (let i = 0; !isStopped; i++) {
      const key = freshKey()
      // As a client does: with the same key again, at the other process.
      for (let tries = 0; ; tries++) {
        const stage = stages[(i + tries) % 2]
        if (stage === undefined) continue
        const client = makeClient(stage.service.url, held.person.keys.test)
        const answer = await postCharge<Transaction>(client, chargeBody({ amount: 1_001 }), key).catch(
          () => undefined,
        )
        if (answer?.status === 201) {
          made.push(answer.body.id)
          break
        }
        if (tries > 200) throw new Error(`a charge failed: ${answer?.text}`)
        await pause(20)
      }
    }
  })()
  running.catch(() => {})
  return {
    count: () => made.length,
    stop: async () => {
      isStopped = true
      await running
      return made
    },
  }
}

/** Notices under the old key, as many as it takes to kill a rotation before it has ended. */
const plantNotices = async (count: number): Promise<ReadonlyArray<string>> => {
  const { seal } = makeCipher(plainKey(old))
  const names: Array<string> = []
  for (let i = 0; i < count; i++) {
    const bodyHash = `planted-${i}`
    const name = keys.noticeKey(makeId("inb_", Date.now(), 3, randomBytes(14)))
    const body = seal(`body ${i}`, sealedPlaces.noticeBody(bodyHash))
    const headers = seal("{}", sealedPlaces.noticeHeaders(bodyHash))
    await client.hset(name, { body_hash: bodyHash, body, headers })
    names.push(name)
  }
  return names
}

const keyIdsOf = async (names: ReadonlyArray<string>) => {
  const bodies = await Promise.all(names.map((name) => client.hget(name, "body")))
  return bodies.map((body) => keyIdOfSealed(body ?? ""))
}

/** Starts a rotation in a process of its own, and kills it once some but not all of what was planted is written anew. */
const killRotation = async (planted: ReadonlyArray<string>) => {
  const sample = planted.filter((_, i) => i % 40 === 0)
  const child = spawn(process.execPath, ["dist/ops.mjs", "keys", "rotate"], {
    cwd: root,
    env: { PATH: process.env.PATH, ...environmentOf("newest") },
    stdio: "ignore",
  })
  const ended = once(child, "exit")
  await until("some texts to be written anew", async () => (await keyIdsOf(sample)).includes("new"))
  child.kill("SIGKILL")
  await ended
  return keyIdsOf(planted)
}

/** Lets the holder be found under the old key, as a seller is that was made long before the new one. */
const findByOldKey = async () => {
  const { sellerId } = held.person
  const [term] = termsOfDocument({ fingerprints: makeFingerprints(plainKey(old)) }, "52998224725")
  const record = keys.sellerKey(sellerId)
  const foundBy = String(await client.hget(record, "found_by"))
  const lookup = keys.sellerLookupKeyOf(sellerId)
  const now = foundBy.split(" ").find((one) => one.startsWith("d:")) ?? ""
  await client.hset(record, "found_by", foundBy.replace(now, term))
  await client.zrem(lookup, `${now} ${sellerId}`)
  await client.zadd(lookup, 0, `${term} ${sellerId}`)
}

const dayMillis = 86_400_000

describe("a ciphertext", () => {
  it("a document that is copied to another charge is shown there as ciphertext, and stays that charge's own", async () => {
    const shop = makeClient(at(0).service.url, held.person.keys.test)
    const [one, two] = [await makeCharge(shop, { amount: 1_001 }), await makeCharge(shop, { amount: 1_001 })]
    const documentOf = async (id: string) => String(await client.hget(keys.transactionKey(id), "document"))
    const sealedIn = (text: string) => /"document":"(enc:[^"]+)"/.exec(text)?.[1] ?? ""
    const [from, to] = [await documentOf(one.id), await documentOf(two.id)]
    await client.hset(keys.transactionKey(two.id), "document", to.replace(sealedIn(to), sealedIn(from)))
    expect((await getCharge(shop, two.id)).body.customer.document).toBe(sealedIn(from))
    expect((await getCharge(shop, one.id)).body.customer.document).toBe("52998224725")
    await client.hset(keys.transactionKey(two.id), "document", to)
  })
})

describe("a rotation of ENCRYPTION_KEY", () => {
  it("rotates under load, with two processes and a kill in the middle, and everything opens before, during and after", async () => {
    await expectReadable(at(1), receiver, held, peer)
    const load = startLoad()

    const tooEarly = { ...environmentOf("newest"), PORT: "0", DATA_DIR: newDataDir() }
    const refused = await runService(tooEarly)
    expect(refused.code).toBe(1)
    expect(refused.output).toContain("2 running processes do not know the key 'new' yet")
    await roll("readable")
    await roll("newest", [0])
    // The other still encrypts with the old key, and each reads what the other writes.
    const early = await ops("newest", "keys", "rotate")
    expect(early.document.error).toMatchObject({
      code: "invalid_state",
      message: expect.stringContaining("1 with '0'"),
    })
    const shopOn = (i: 0 | 1) => makeClient(at(i).service.url, held.person.keys.test)
    const customers = new Set<string>()
    const customerOf = async (id: string) =>
      (await shopOn(0).get<Customer>(`/v1/transactions/${id}/customer`)).body.id
    for (const i of [0, 1] as const) {
      const { id } = await makeCharge(shopOn(i), { amount: 1_001 })
      customers.add(await customerOf(id))
      const elsewhere = await getCharge(shopOn(i === 0 ? 1 : 0), id)
      expect(elsewhere.body.customer.document).toBe("52998224725")
    }
    await roll("newest", [1])

    const planted = await plantNotices(4_000)
    await findByOldKey()
    const before = await ops("newest", "keys", "show")
    expect(before.document.processes).toEqual([{ key: "new", count: 2 }])
    const [newest, older] = before.document.keys
    expect(newest).toMatchObject({ id: "new", state: "encrypts" })
    expect(older).toMatchObject({ id: "0", state: "needed" })
    expect(older.by_kind).toMatchObject({
      ...{
        notices: 8_002,
        endpoint_secrets: 2,
        endpoint_passwords: 1,
        postback_secrets: 1,
        tracker_headers: 1,
        pix_keys: 1,
        alert_settings: 1,
        report_recipients: 1,
        customer_secret: 1,
      },
      ...{ seller_documents: 1, seller_lookups: 1, totp_secrets: 1, backup_codes: 9, withdrawals: 1 },
    })
    expect(older.events).toBeGreaterThan(0)

    // What was stored under the old key is looked up under both.
    const operator = dashboardClient(at(0).service.url, await signInAsOperator(at(0).service))
    expect((await operator.get<Page<object>>("/v1/admin/sellers?q=52998224725")).body.data).toHaveLength(1)

    const killed = await killRotation(planted)
    expect(new Set(killed)).toEqual(new Set(["0", "new"]))
    const halted = await ops("newest", "keys", "show")
    expect(halted.document.rotation).toMatchObject({ key: "new", ended_at: null })
    expect(halted.document.keys[1].records).toBeGreaterThan(0)
    await expectReadable(at(0), receiver, held, peer)

    const done = await ops("newest", "keys", "rotate")
    expect(done.exitCode).toBe(0)
    expect(done.stderr).toMatch(/^Pass 1: \d+ of about \d+ keys of Redis, \d+ texts written anew\n/)
    expect(done.document).toMatchObject({ newest: "new", unreadable: 0, released: [] })
    expect(new Set(await keyIdsOf(planted))).toEqual(new Set(["new"]))
    const after = await ops("newest", "keys", "show")
    expect(after.document.keys[1]).toMatchObject({ id: "0", state: "needed", records: 0, by_kind: {} })
    expect(after.document.rotation).toMatchObject({ key: "new", ended_at: expect.any(String) })
    const keptMillis = Date.parse(after.document.keys[1].keep_until) - Date.now()
    expect(keptMillis / dayMillis).toBeCloseTo(30, 1)
    expect((await ops("newest", "keys", "rotate")).document).toMatchObject({ rewritten: 0, passes: 1 })

    await roll("newest")
    customers.add(await customerOf((await makeCharge(shopOn(1), { amount: 1_001 })).id))
    expect(customers.size).toBe(1)
    await expectReadable(at(1), receiver, held, peer)
    expect(await paymentPage(at(0), held)).toBe(200)
    expect(await isTrusted(at(1), held)).toBe(true)
    const page = await shopOn(0).get<Page<Transaction>>(`/v1/transactions?limit=1&cursor=${held.cursor}`)
    expect(page.status).toBe(200)
    const made = await load.stop()
    expect(made.length).toBeGreaterThan(20)
    await client.del(...planted)
    const verified = await ops("newest", "audit", "verify", "--full")
    expect(verified.document).toMatchObject({ ok: true })
    for (const id of made) {
      expect((await getCharge(shopOn(0), id)).body.customer.document).toBe("52998224725")
    }
  })

  it("a start without the old key is refused while events need it, and names the key", async () => {
    const settings = { ...environmentOf("only"), PORT: "0", DATA_DIR: newDataDir() }
    const { code, output } = await runService(settings)
    expect(code).toBe(1)
    expect(output).toContain("sealed with the key '0', which ENCRYPTION_KEY does not name")
  })

  it("once the events have ended the old key is let go of, and everything opens without it", async () => {
    // As if 31 days had passed.
    for (const name of await client.keys("events:*")) await client.xtrim(name, "MAXLEN", 0)
    expect((await ops("newest", "keys", "show")).document.keys[1]).toMatchObject({
      state: "needed",
      events: 0,
    })
    expect((await ops("newest", "keys", "rotate")).document.released).toEqual([])
    await client.hset(keys.keyRotationKey, "newest:0", Date.now() - 31 * dayMillis)
    const shown = await ops("newest", "keys", "show")
    expect(shown.document.keys[1]).toMatchObject({ id: "0", state: "unneeded", records: 0, events: 0 })
    expect((await ops("newest", "keys", "rotate")).document.released).toEqual(["0"])
    expect((await ops("newest", "keys", "show")).document.keys[1]).toMatchObject({ state: "free" })

    await roll("only")
    await expectReadable(at(0), receiver, held, peer)
    expect(await paymentPage(at(0), held)).toBe(404)
    expect(await isTrusted(at(1), held)).toBe(false)
  })
})
