import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as keys from "../../src/store/keys.ts"
import { type AuditStage, startAuditStage } from "./auditStage.ts"

/** A value taken from a stage. */
export type Of<A> = (stage: AuditStage) => A

/** A damage, and the check and key that an audit must name for it. */
export interface Damage {
  readonly check: string
  /** The key that is damaged. */
  readonly key: Of<string>
  /** Other keys that the damage changes. */
  readonly also?: ReadonlyArray<Of<string>>
  readonly damage: (stage: AuditStage, key: string) => Promise<unknown>
  /** The key that an audit names, where it is not the damaged one. */
  readonly at?: Of<string>
  /** What the audit's sentence must match. */
  readonly says?: RegExp
}

type Shop = AuditStage["shop"]

/** Keys of the shop's owner. */
export const balance: Of<string> = ({ shop }) => keys.balanceKey(shop.owner)
export const ledger: Of<string> = ({ shop }) => keys.ledgerKey(shop.owner)
export const events: Of<string> = ({ shop }) => keys.eventsKey(shop.owner)
export const feed: Of<string> = ({ shop }) => keys.feedKey(shop.owner)

/** Ids of the shop's charges, withdrawals, refunds and PIX keys, by name. */
export const chargeId =
  (name: keyof Shop["charges"]): Of<string> =>
  ({ shop }) =>
    shop.charges[name]
export const withdrawalId =
  (name: keyof Shop["withdrawals"]): Of<string> =>
  ({ shop }) =>
    shop.withdrawals[name]
export const refundId =
  (name: keyof Shop["refunds"]): Of<string> =>
  ({ shop }) =>
    shop.refunds[name]
export const pixKeyId =
  (name: keyof Shop["pixKeys"]): Of<string> =>
  ({ shop }) =>
    shop.pixKeys[name]

/** Indexes of the owner's ids: of all, or of a status. */
export const charges =
  (status?: string): Of<string> =>
  ({ shop }) =>
    keys.transactionsKey(shop.owner.sellerId, shop.owner.mode, status)
export const withdrawals =
  (status?: string): Of<string> =>
  ({ shop }) =>
    keys.withdrawalsKey(shop.owner.sellerId, shop.owner.mode, status)
export const refunds =
  (status?: string): Of<string> =>
  ({ shop }) =>
    keys.refundsKey(shop.owner.sellerId, shop.owner.mode, status)
export const pixKeys =
  (status?: string): Of<string> =>
  ({ shop }) =>
    keys.pixKeysKey(shop.owner.sellerId, shop.owner.mode, status)

/** Sets a field to another value. */
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

/** Adds one to a number in a hash. */
export const miscounted = (check: string, key: Of<string>, name: string): Damage => ({
  check,
  key,
  damage: ({ redis }, hash) => redis.hincrby(hash, name, 1),
  says: new RegExp(name === "open" ? "." : `\\b${name} `),
})

/** Deletes a key. */
export const gone = (check: string, key: Of<string>): Damage => ({
  check,
  key,
  damage: ({ redis }, name) => redis.del(name),
})

/** Changes fields of a document. */
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

/** Removes an id from an index or adds one; `at` is the key that an audit names, where it is not the index. */
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

/** Changes fields of a stream's entry; undefined removes the entry. */
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

/** Tests that an audit finds each damage to `what`, names its place, and passes again once it is undone. `prepare` adds to the shop. */
export const describeDamages = (
  what: string,
  table: Readonly<Record<string, Damage>>,
  prepare: (stage: AuditStage) => Promise<unknown> = () => Promise.resolve(),
): void => {
  describe(`an audit of damage to ${what}`, () => {
    let stage: AuditStage
    beforeAll(async () => {
      stage = await startAuditStage()
      await prepare(stage)
    })
    afterAll(() => stage.stop())

    for (const [name, { check, key, also = [], damage, at, says }] of Object.entries(table)) {
      it(`an audit finds damage to ${what}: ${name}`, async () => {
        const broken = key(stage)
        const found = await stage.whileBroken([broken, ...also.map((other) => other(stage))], () =>
          damage(stage, broken),
        )

        expect({ check: found.check, key: found.key }).toEqual({ check, key: (at ?? key)(stage) })
        expect(found.expected).not.toBe(found.found)
        if (says !== undefined) expect(found.sentence).toMatch(says)
      })
    }

    it(`an audit passes once all damage to ${what} is undone`, async () => {
      expect((await stage.verify()).transactions).toBeGreaterThanOrEqual(13)
    })
  })
}
