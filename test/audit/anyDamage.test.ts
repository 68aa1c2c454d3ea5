import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as keys from "../../src/store/keys.ts"
import { type AuditStage, startAuditStage } from "./auditStage.ts"

let stage: AuditStage
beforeAll(async () => {
  stage = await startAuditStage()
})
afterAll(() => stage.stop())

/** The fields of each kind of hash that an audit can recompute. */
const auditedFields: Readonly<Record<string, ReadonlyArray<string>>> = {
  txn: ["seller", "mode", "status", "document", "events"],
  rfd: ["seller", "mode", "status", "document", "events", "transaction", "held_from_reserve"],
  wd: ["seller", "mode", "status", "document", "events", "version", "day"],
  pk: ["seller", "mode", "status", "type"],
  balance: [
    ...["available", "reserve", "pending_withdraw", "pending_refund", "external", "fees", "open"],
    ...["entries", "credits", "debits", "reserve_entries", "withdrawal_entries"],
  ],
  feed: ["seq", "last"],
  "wd-day": ["value", "count"],
}

/** All keys of a family in the owner's partition, in order. */
const keysOf = async (family: string): Promise<ReadonlyArray<string>> =>
  (await stage.redis.keys(`${family}:${keys.tagOf(stage.shop.owner.sellerId)}:*`)).toSorted()

/** Damages one key of the families, and returns what an audit finds. */
const findsDamage = async (
  families: ReadonlyArray<string>,
  which: number,
  damage: (key: string, family: string) => Promise<unknown>,
) => {
  const all = (await Promise.all(families.map(keysOf))).flat()
  const key = all[which % all.length] ?? ""
  let done = ""
  const breakIt = async () => {
    done = String(await damage(key, key.slice(0, key.indexOf(":"))))
  }
  try {
    return await stage.whileBroken([key], breakIt)
  } catch (cause) {
    throw new Error(`nothing found at ${key}: ${done}`, { cause })
  }
}

const runs = { numRuns: 20 }

describe("an audit of real keys", () => {
  it("an audit finds any changed field that it can recompute", async () => {
    const property = fc.asyncProperty(fc.nat(), fc.nat(), async (which, place) => {
      const found = await findsDamage(Object.keys(auditedFields), which, async (key, family) => {
        const fields = auditedFields[family] ?? []
        const field = fields[place % fields.length] ?? ""
        const before = (await stage.redis.hget(key, field)) ?? ""
        const after = before === "" ? "7" : /^\d+$/.test(before) ? String(Number(before) + 7) : `${before}0`
        await stage.redis.hset(key, field, after)
        return `${field} ${after}`
      })
      expect(found.key).not.toBe("")
    })
    await fc.assert(property, runs)
  })

  it("an audit finds any missing hash", async () => {
    const families = ["txn", "wd", "rfd", "pk", "balance", "feed", "apikey"]
    await fc.assert(
      fc.asyncProperty(fc.nat(), async (which) => {
        await findsDamage(families, which, (key) => stage.redis.del(key))
      }),
      runs,
    )
  })

  it("an audit finds any member missing from an index", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.nat(), async (which, place) => {
        await findsDamage(
          ["txns", "wds", "rfds", "rfds-of", "pks", "wds-all", "pks-all"],
          which,
          async (key) => {
            const members = await stage.redis.zrange(key, "0", "-1")
            await stage.redis.zrem(key, members[place % members.length] ?? "")
          },
        )
      }),
      runs,
    )
  })

  it("an audit finds any surplus member of an index", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.constantFrom("0", "txn_9", "wd_5", "~"), async (which, stranger) => {
        await findsDamage(["txns", "wds", "rfds", "rfds-of", "pks", "wds-all", "pks-all"], which, (key) =>
          stage.redis.zadd(key, 0, stranger),
        )
      }),
      runs,
    )
  })

  it("an audit finds any missing or changed entry of a ledger or a feed", async () => {
    const change = fc.constantFrom("gone", 1, 3, 5)
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.nat(), change, async (which, place, what) => {
        await findsDamage(["ledger", "events"], which, async (key) => {
          const length = await stage.redis.xlen(key)
          // The oldest event may be missing: retention removes it in the same way.
          const first = key.startsWith("events:") ? 1 : 0
          await stage.rewrite(key, (values, i) => {
            if (i !== first + (place % (length - first))) return values
            return what === "gone" ? [] : values.with(Number(what), "99")
          })
        })
      }),
      runs,
    )
  })
})
