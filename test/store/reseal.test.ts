import { assert, beforeEach, describe, it } from "@effect/vitest"
import { makeId } from "../../schema/ids.ts"
import {
  countSealedEvents,
  type ResealedText,
  resealMember,
  resealPixKey,
  resealText,
} from "../../src/store/encryption.ts"
import * as keys from "../../src/store/keys.ts"
import { useStore } from "../support/storeRuntime.ts"

const sellerId = makeId("sel_", 1_763_683_655_123, 7, new Uint8Array(14))
const feed = { sellerId, mode: "test" } as const
const chargeId = makeId("txn_", 1_763_683_655_123, 7, new Uint8Array(14))
const pixKeyId = makeId("pk_", 1_763_683_655_123, 7, new Uint8Array(14))
const hash = keys.transactionKey(chargeId)

const { redis, withClient } = useStore("reseal")
beforeEach(() => redis("FLUSHALL"))

const text: ResealedText = {
  ...{ hash, field: "document", expected: '"document":"enc:v2:a:old"' },
  ...{ replacement: '"document":"enc:v2:b:new"', isVersioned: true },
}
const reseal = async (changes: Partial<ResealedText> = {}) =>
  (await withClient((client) => resealText(client)({ ...text, ...changes }))).kind

describe("a text that is written anew", () => {
  it("a ciphertext is replaced where it stands, and what changed around it since stays", async () => {
    await redis(
      "HSET",
      hash,
      "document",
      '{"status":"paid","document":"enc:v2:a:old","x":"%1"}',
      "version",
      "4",
    )
    assert.strictEqual(await reseal(), "resealed")
    assert.deepStrictEqual(await redis("HMGET", hash, "document", "version"), [
      '{"status":"paid","document":"enc:v2:b:new","x":"%1"}',
      "5",
    ])
  })

  it("a ciphertext that has changed meanwhile is left as it is, and so is its version", async () => {
    const changed = '{"document":"enc:v2:a:other"}'
    await redis("HSET", hash, "document", changed, "version", "4")
    assert.strictEqual(await reseal(), "stale")
    assert.deepStrictEqual(await redis("HMGET", hash, "document", "version"), [changed, "4"])
  })

  it("a record that is gone is not made again", async () => {
    assert.strictEqual(await reseal(), "stale")
    assert.strictEqual(await redis("EXISTS", hash), 0)
  })

  it("only the first of two equal ciphertexts is replaced, and a pattern's characters are none", async () => {
    await redis("HSET", hash, "document", "enc.v2 enc:v2:a:o-d enc:v2:a:o-d")
    const change = { expected: "enc:v2:a:o-d", replacement: "enc:v2:b:%0", isVersioned: false }
    assert.strictEqual(await reseal(change), "resealed")
    assert.deepStrictEqual(await redis("HMGET", hash, "document", "version"), [
      "enc.v2 enc:v2:b:%0 enc:v2:a:o-d",
      null,
    ])
  })

  it("the time to live of a record is as it was", async () => {
    await redis("HSET", hash, "document", text.expected)
    await redis("PEXPIRE", hash, "60000")
    await reseal({ isVersioned: false })
    assert.isAbove(Number(await redis("PTTL", hash)), 0)
  })

  it("twice at once, a ciphertext is replaced once", async () => {
    await redis("HSET", hash, "document", text.expected, "version", "1")
    const kinds = await Promise.all(Array.from({ length: 50 }, () => reseal()))
    assert.deepStrictEqual(kinds.filter((kind) => kind === "resealed").length, 1)
    assert.strictEqual(await redis("HGET", hash, "version"), "2")
  })
})

describe("a PIX key that is written anew", () => {
  const pixKey = keys.pixKeyKey(pixKeyId)
  const values = keys.pixKeyValuesKey(feed)
  const change = { id: pixKeyId, feed, expected: "old", replacement: "new", valueHash: "newHash" }
  const resealKey = () => withClient((client) => resealPixKey(client)(change))

  it("value and hash are replaced together, and the hash that finds duplicates with them", async () => {
    await redis("HSET", pixKey, "value", "old", "value_hash", "oldHash", "version", "3")
    await redis("HSET", values, "oldHash", pixKeyId, "otherHash", "another")
    assert.deepStrictEqual(await resealKey(), { kind: "resealed" })
    assert.deepStrictEqual(await redis("HMGET", pixKey, "value", "value_hash", "version"), [
      "new",
      "newHash",
      "3",
    ])
    assert.deepStrictEqual(await redis("HMGET", values, "newHash", "oldHash", "otherHash"), [
      pixKeyId,
      null,
      "another",
    ])
  })

  it("a removed key finds no duplicates afterwards either, and takes nothing from the key that has its value now", async () => {
    await redis("HSET", pixKey, "value", "old", "value_hash", "oldHash")
    await redis("HSET", values, "oldHash", "another")
    assert.deepStrictEqual(await resealKey(), { kind: "resealed" })
    assert.deepStrictEqual(await redis("HGETALL", values), ["oldHash", "another"])
  })

  it("a key whose value has changed meanwhile is left as it is", async () => {
    await redis("HSET", pixKey, "value", "other", "value_hash", "oldHash")
    assert.deepStrictEqual(await resealKey(), { kind: "stale" })
    assert.deepStrictEqual(await redis("HMGET", pixKey, "value", "value_hash"), ["other", "oldHash"])
    await redis("DEL", pixKey)
    assert.deepStrictEqual(await resealKey(), { kind: "stale" })
    assert.strictEqual(await redis("EXISTS", pixKey), 0)
  })
})

describe("a member of a set that is written anew", () => {
  const resealOne = () => withClient((client) => resealMember(client)("backup-codes:{u1}:x", "old", "new"))

  it("a member is replaced if it is still there, and one that was used does not come back", async () => {
    await redis("SADD", "backup-codes:{u1}:x", "old", "other")
    assert.deepStrictEqual(await resealOne(), { kind: "resealed" })
    assert.deepStrictEqual(((await redis("SMEMBERS", "backup-codes:{u1}:x")) as Array<string>).sort(), [
      "new",
      "other",
    ])
    assert.deepStrictEqual(await resealOne(), { kind: "stale" })
    await redis("SREM", "backup-codes:{u1}:x", "new")
    assert.deepStrictEqual(await resealOne(), { kind: "stale" })
    assert.deepStrictEqual(await redis("SMEMBERS", "backup-codes:{u1}:x"), ["other"])
  })
})

describe("events under a key", () => {
  it("events are counted by the key of their document, page by page, with the newest of each", async () => {
    const stream = keys.eventsKey(feed)
    const add = (id: number, data: string) => redis("XADD", stream, `${id}-0`, "seq", `${id}`, "data", data)
    for (let id = 1; id <= 201; id++) await add(id, `{"document":"enc:v2:${id < 200 ? "a" : "b"}:x"}`)
    await add(202, '{"name":"\\"document\\":\\"enc:v2:c:x","document":null}')
    const first = await withClient((client) => countSealedEvents(client)(stream, undefined))
    assert.strictEqual(first.last, "200-0")
    assert.sameDeepMembers(
      [...first.found],
      [
        { keyId: "a", count: 199, newestMillis: 199 },
        { keyId: "b", count: 1, newestMillis: 200 },
      ],
    )
    const second = await withClient((client) => countSealedEvents(client)(stream, "200-0"))
    assert.deepStrictEqual(second, { last: "202-0", found: [{ keyId: "b", count: 1, newestMillis: 201 }] })
    const end = await withClient((client) => countSealedEvents(client)(stream, "202-0"))
    assert.deepStrictEqual(end, { last: undefined, found: [] })
  })
})
