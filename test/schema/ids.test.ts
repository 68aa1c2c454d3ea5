import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import {
  decodePartition,
  encodePartition,
  encodeTime,
  entryIdOf,
  eventIdOf,
  type Feed,
  type IdPrefix,
  isId,
  makeApiKey,
  makeId,
  modes,
  parseApiKey,
  partitionOfId,
  timeOfId,
  transactionIdOfTxid,
  txidOf,
} from "../../schema/ids.ts"

const prefixes: ReadonlyArray<IdPrefix> = ["txn_", "whd_", "we_", "sel_", "key_", "req_"]
const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

/** Times of ids: up to what 48 bits hold, beyond the year 10000. */
const millis = fc.integer({ min: 0, max: 2 ** 48 - 1 })
const partition = fc.integer({ min: 0, max: 1_023 })
const random = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })
const prefix = fc.constantFrom(...prefixes)
const mode = fc.constantFrom(...modes)
const sellerId = fc
  .tuple(millis, partition, random(14))
  .map(([time, place, bytes]) => makeId("sel_", time, place, bytes))
const feed: fc.Arbitrary<Feed> = fc.record({ sellerId, mode })
/** Places in a stream: three characters hold 32,768 entries of one millisecond. */
const place = fc.tuple(millis, fc.integer({ min: 0, max: 32_767 }))

describe("ids of resources", () => {
  it("an id carries its time and partition, and has the form of its own prefix alone", () => {
    fc.assert(
      fc.property(prefix, millis, partition, random(14), (kind, time, slot, bytes) => {
        const id = makeId(kind, time, slot, bytes)
        assert.match(id, new RegExp(`^${kind}[${alphabet}]{26}$`))
        assert.isTrue(isId(kind, id))
        assert.strictEqual(timeOfId(id), time)
        assert.strictEqual(partitionOfId(id), slot)
        for (const other of prefixes) if (other !== kind) assert.isFalse(isId(other, id))
      }),
    )
  })

  it("ids sort by age", () => {
    fc.assert(
      fc.property(millis, millis, partition, partition, random(28), (one, two, slotA, slotB, bytes) => {
        fc.pre(one !== two)
        const a = makeId("txn_", one, slotA, bytes.subarray(0, 14))
        const b = makeId("txn_", two, slotB, bytes.subarray(14))
        assert.strictEqual(a < b, one < two)
        assert.strictEqual(encodeTime(one) < encodeTime(two), one < two)
      }),
    )
  })

  it("ids differ when any of their random bytes does", () => {
    fc.assert(
      fc.property(
        random(14),
        fc.nat({ max: 13 }),
        fc.integer({ min: 1, max: 31 }),
        (bytes, index, change) => {
          const changed = bytes.slice()
          changed[index] = (changed[index] ?? 0) ^ change
          assert.notStrictEqual(makeId("txn_", 0, 0, bytes), makeId("txn_", 0, 0, changed))
        },
      ),
    )
  })

  it("an id is refused in any other form", () => {
    const id = makeId("txn_", 1_795_000_000_000, 7, new Uint8Array(14))
    const body = id.slice(4)
    const malformed = [
      ...["", "txn_", id.slice(0, -1), `${id}0`, id.toLowerCase(), `${id}\n`],
      ...["I", "L", "O", "U", "-", "é"].map((character) => `${id.slice(0, -1)}${character}`),
      `txn_8${body.slice(1)}`,
    ]
    for (const text of malformed) {
      assert.isFalse(isId("txn_", text), text)
      assert.isUndefined(partitionOfId(text), text)
    }
    for (const text of [body, ` ${id}`, `TXN_${body}`]) assert.isFalse(isId("txn_", text), text)
    assert.isTrue(isId("txn_", `txn_7${body.slice(1)}`), "the largest time that 26 characters hold")
    assert.isNaN(timeOfId("txn_01M7U0000000000000000000".replace("7", "u")))
  })

  it("of texts with an id's characters and others, those of the form of an id are ids, and no others", () => {
    const form = /^txn_[0-7][0-9A-HJKMNP-TV-Z]{25}$/
    const character = fc.oneof(
      { arbitrary: fc.constantFrom(...alphabet), weight: 60 },
      { arbitrary: fc.string({ unit: "binary", minLength: 1, maxLength: 1 }), weight: 1 },
    )
    const body = fc.array(character, { minLength: 25, maxLength: 27, size: "max" })
    fc.assert(
      fc.property(body, (characters) => {
        const text = `txn_${characters.join("")}`
        assert.strictEqual(isId("txn_", text), form.test(text))
        assert.strictEqual(partitionOfId(text) !== undefined, form.test(text))
        assert.strictEqual(Number.isNaN(timeOfId(text)), !form.test(text))
      }),
      { numRuns: 500 },
    )
  })

  it("two characters of an id name each of the 1,024 partitions", () => {
    const texts = Array.from({ length: 1_024 }, (_, slot) => encodePartition(slot))
    assert.strictEqual(new Set(texts).size, 1_024)
    for (const [slot, text] of texts.entries()) {
      assert.match(text, new RegExp(`^[${alphabet}]{2}$`))
      assert.strictEqual(decodePartition(text), slot)
    }
    assert.isNaN(decodePartition("0U"))
  })
})

describe("event ids", () => {
  it("an event id names its stream entry in its own feed", () => {
    fc.assert(
      fc.property(feed, place, (own, [time, sequence]) => {
        const id = eventIdOf(own, `${time}-${sequence}`)
        assert.isTrue(isId("evt_", id))
        assert.strictEqual(entryIdOf(own, id), `${time}-${sequence}`)
        assert.strictEqual(timeOfId(id), time)
        assert.strictEqual(partitionOfId(id), partitionOfId(own.sellerId))
      }),
    )
  })

  it("an event id names nothing in the feed of the other mode, or of another seller of its partition", () => {
    fc.assert(
      fc.property(feed, place, random(14), (own, [time, sequence], bytes) => {
        const id = eventIdOf(own, `${time}-${sequence}`)
        const otherMode: Feed = { ...own, mode: own.mode === "live" ? "test" : "live" }
        assert.isUndefined(entryIdOf(otherMode, id))
        const stranger = makeId("sel_", 0, partitionOfId(own.sellerId) ?? 0, bytes)
        fc.pre(stranger !== own.sellerId)
        assert.isUndefined(entryIdOf({ ...own, sellerId: stranger }, id))
      }),
    )
  })

  it("event ids sort as the entries of their feed do", () => {
    fc.assert(
      fc.property(feed, place, place, (own, one, two) => {
        const isBefore = one[0] < two[0] || (one[0] === two[0] && one[1] < two[1])
        const [a, b] = [eventIdOf(own, one.join("-")), eventIdOf(own, two.join("-"))]
        assert.strictEqual(a < b, isBefore)
      }),
    )
  })

  it("an event id names nothing when its partition or feed tag is altered, or a character is invalid", () => {
    fc.assert(
      fc.property(feed, place, fc.nat({ max: 25 }), fc.nat({ max: 31 }), (own, [time, sequence], at, to) => {
        const id = eventIdOf(own, `${time}-${sequence}`)
        const alter = (character: string) => `${id.slice(0, 4 + at)}${character}${id.slice(5 + at)}`
        for (const character of ["U", "u", "-", ""]) assert.isUndefined(entryIdOf(own, alter(character)))
        const altered = alter(alphabet[to] ?? "0")
        const isPlace = at < 10 || (at >= 12 && at < 15)
        if (altered === id || isPlace) return
        assert.isUndefined(entryIdOf(own, altered))
      }),
    )
  })
})

describe("API keys", () => {
  it("an API key tells its mode and partition", () => {
    fc.assert(
      fc.property(mode, partition, random(41), (keyMode, slot, bytes) => {
        const key = makeApiKey(keyMode, slot, bytes)
        assert.match(key, /^sk_(live|test)_[A-Za-z0-9_-]{43}$/)
        assert.deepStrictEqual(parseApiKey(key), { mode: keyMode, partition: slot })
      }),
    )
  })

  it("an API key is refused in any other form", () => {
    const key = makeApiKey("live", 9, new Uint8Array(41).fill(63))
    const refused = [
      ...["", "sk_live_", key.slice(0, -1), `${key}A`, `Bearer ${key}`, ` ${key}`, `${key}\n`],
      ...[key.replace("live", "prod"), key.replace("sk_", "pk_"), `${key.slice(0, -1)}=`],
      // The first two characters are base32 of the partition, which has no lower case and no U.
      ...["aa", "U0", "0U", "-0", "_0"].map((two) => `sk_live_${two}${key.slice(10)}`),
    ]
    for (const text of refused) assert.isUndefined(parseApiKey(text), text)
  })
})

describe("txids", () => {
  const transactionId = fc
    .tuple(millis, partition, random(14))
    .map(([time, slot, bytes]) => makeId("txn_", time, slot, bytes))

  it("a txid is 32 characters that name its transaction, the same each time", () => {
    fc.assert(
      fc.property(transactionId, (id) => {
        const txid = txidOf(id)
        assert.match(txid, /^[a-zA-Z0-9]{32}$/)
        assert.strictEqual(txidOf(id), txid)
        assert.strictEqual(transactionIdOfTxid(txid), id)
      }),
    )
  })

  it("a txid names nothing when it is altered", () => {
    fc.assert(
      fc.property(transactionId, fc.nat({ max: 31 }), fc.nat({ max: 31 }), (id, at, to) => {
        const txid = txidOf(id)
        const altered = `${txid.slice(0, at)}${alphabet[to]}${txid.slice(at + 1)}`
        fc.pre(altered !== txid)
        assert.isUndefined(transactionIdOfTxid(altered))
      }),
    )
    const txid = txidOf(makeId("txn_", 1, 1, new Uint8Array(14)))
    const ofNoId = txidOf(`txn_${"a".repeat(26)}`)
    for (const text of ["", txid.slice(1), `${txid}0`, txid.toLowerCase(), ofNoId]) {
      assert.isUndefined(transactionIdOfTxid(text), text)
    }
  })
})
