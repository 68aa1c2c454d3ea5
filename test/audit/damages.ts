import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as keys from "../../src/store/keys.ts"
import { type AuditStage, startAuditStage } from "./auditStage.ts"

/** Something of a stage, by its name. */
export type Of<A> = (stage: AuditStage) => A

/** What is broken, and the check and the key that an audit must name. */
export interface Damage {
  readonly check: string
  /** The key that is broken. */
  readonly key: Of<string>
  /** Other keys that are broken with it. */
  readonly also?: ReadonlyArray<Of<string>>
  readonly damage: (stage: AuditStage, key: string) => Promise<unknown>
  /** The key that is named, where it is another. */
  readonly at?: Of<string>
  /** What the sentence says. */
  readonly says?: RegExp
}

type Shop = AuditStage["shop"]

export const balance: Of<string> = ({ shop }) => keys.balanceKey(shop.owner)
export const ledger: Of<string> = ({ shop }) => keys.ledgerKey(shop.owner)
export const events: Of<string> = ({ shop }) => keys.eventsKey(shop.owner)
export const feed: Of<string> = ({ shop }) => keys.feedKey(shop.owner)

export const chargeId =
  (name: keyof Shop["charges"]): Of<string> =>
  ({ shop }) =>
    shop.charges[name]
export const withdrawalId =
  (name: keyof Shop["withdrawals"]): Of<string> =>
  ({ shop }) =>
    shop.withdrawals[name]
export const pixKeyId =
  (name: keyof Shop["pixKeys"]): Of<string> =>
  ({ shop }) =>
    shop.pixKeys[name]

/** The index of a seller's ids: of all, or of a status. */
export const charges =
  (status?: string): Of<string> =>
  ({ shop }) =>
    keys.transactionsKey(shop.owner.sellerId, shop.owner.mode, status)
export const withdrawals =
  (status?: string): Of<string> =>
  ({ shop }) =>
    keys.withdrawalsKey(shop.owner.sellerId, shop.owner.mode, status)
export const pixKeys =
  (status?: string): Of<string> =>
  ({ shop }) =>
    keys.pixKeysKey(shop.owner.sellerId, shop.owner.mode, status)

/** A field with another value. */
export const field = (
  check: string,
  key: Of<string>,
  name: string,
  value: string,
  says?: RegExp,
): Damage => ({
  check,
  key,
  damage: ({ redis }, hash) => redis.hset(hash, name, value),
  ...(says === undefined ? {} : { says }),
})

/** A number in a hash that is one more. */
export const miscounted = (check: string, key: Of<string>, name: string): Damage => ({
  check,
  key,
  damage: ({ redis }, hash) => redis.hincrby(hash, name, 1),
  says: new RegExp(name === "open" ? "." : `\\b${name} `),
})

/** A key that is gone. */
export const gone = (check: string, key: Of<string>): Damage => ({
  check,
  key,
  damage: ({ redis }, name) => redis.del(name),
})

/** A document with other fields. */
export const document = (
  check: string,
  key: Of<string>,
  change: Readonly<Record<string, unknown>>,
  says?: RegExp,
): Damage => ({
  check,
  key,
  damage: async ({ redis }, name) => {
    const before = JSON.parse((await redis.hget(name, "document")) ?? "{}")
    await redis.hset(name, "document", JSON.stringify({ ...before, ...change }))
  },
  ...(says === undefined ? {} : { says }),
})

/** An index without an id, or with one more; `at` is the key that is named, where it is not the index. */
export const member = (
  check: string,
  key: Of<string>,
  act: "without" | "with",
  id: Of<string>,
  at?: Of<string>,
): Damage => ({
  check,
  key,
  damage: (stage, name) =>
    act === "without" ? stage.redis.zrem(name, id(stage)) : stage.redis.zadd(name, 0, id(stage)),
  ...(at === undefined ? {} : { at }),
})

/** A stream with an entry whose fields are others; undefined leaves it out. */
export const entry = (
  check: string,
  key: Of<string>,
  place: number,
  change: Readonly<Record<string, Of<string> | string>> | undefined,
  at?: Of<string>,
): Damage => ({
  check,
  key,
  damage: (stage, name) =>
    stage.rewrite(name, (values, i) => {
      if (i !== place) return values
      if (change === undefined) return []
      return values.map((value, j) => {
        const other = j % 2 === 1 ? change[values[j - 1] ?? ""] : undefined
        if (other === undefined) return value
        return typeof other === "string" ? other : other(stage)
      })
    }),
  ...(at === undefined ? {} : { at }),
})

/** Tests that an audit finds each damage, names its place, and passes again once it is undone. */
export const describeDamages = (what: string, table: Readonly<Record<string, Damage>>): void => {
  describe(`an audit finds that ${what}`, () => {
    let stage: AuditStage
    beforeAll(async () => {
      stage = await startAuditStage()
    })
    afterAll(() => stage.stop())

    for (const [name, { check, key, also = [], damage, at, says }] of Object.entries(table)) {
      it(name, async () => {
        const broken = key(stage)
        const found = await stage.whileBroken([broken, ...also.map((other) => other(stage))], () =>
          damage(stage, broken),
        )

        expect({ check: found.check, key: found.key }).toEqual({ check, key: (at ?? key)(stage) })
        expect(found.expected).not.toBe(found.found)
        if (says !== undefined) expect(found.sentence).toMatch(says)
      })
    }

    it("nothing is wrong, once all of it is undone", async () => {
      expect((await stage.verify()).transactions).toBe(12)
    })
  })
}
