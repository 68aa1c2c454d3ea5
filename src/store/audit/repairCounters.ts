import { Effect } from "effect"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import type { Feed } from "../../../schema/ids.ts"
import * as keys from "../keys.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction, unexpectedReply } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { words } from "../redis/reply.ts"

const declaration = declareFunction(import.meta.url, {
  keys: ["balance", "ledger"],
  args: ["newest_entry", "counters_count", "...fields"],
})

type Field = readonly [name: string, value: string]

/** What a ledger adds up to, up to its newest entry ("": none). */
export interface LedgerTotals {
  readonly newestEntryId: string
  readonly counters: ReadonlyArray<Field>
  readonly buckets: ReadonlyArray<Field>
}

/** The counters that were repaired, with what they were; `stale`: the ledger has grown; `money`: a bucket differs. */
export type CounterRepair =
  | { readonly kind: "repaired"; readonly before: ReadonlyArray<Field> }
  | { readonly kind: "stale" | "money" }

/** Sets the counters of a balance to a ledger's totals, if its buckets already are those. */
export const repairCounters = (
  client: RedisClient["Service"],
  feed: Feed,
  { newestEntryId, counters, buckets }: LedgerTotals,
): Effect.Effect<CounterRepair, StoreUnavailable> =>
  Effect.flatMap(
    callFunction(
      client,
      declaration,
      { balance: keys.balanceKey(feed), ledger: keys.ledgerKey(feed) },
      {
        newest_entry: newestEntryId,
        counters_count: counters.length,
        fields: [...counters, ...buckets].flat(),
      },
    ),
    (reply): Effect.Effect<CounterRepair, StoreUnavailable> => {
      const [kind, ...fields] = words(reply)
      if (kind === "stale" || kind === "money") return Effect.succeed({ kind })
      if (kind !== "repaired") return Effect.fail(unexpectedReply(declaration, reply))
      const before = fields.flatMap(
        (name, i): ReadonlyArray<Field> => (i % 2 === 0 ? [[name, fields[i + 1] ?? ""]] : []),
      )
      return Effect.succeed({ kind, before })
    },
  )
