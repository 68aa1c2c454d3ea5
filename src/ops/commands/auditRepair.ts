import { Effect } from "effect"
import { Command } from "effect/cli"
import { CustomerDigests } from "../../../actors/ports/customerDigests.ts"
import { SecretOpener } from "../../../actors/ports/secretOpener.ts"
import { sealedPlaces } from "../../../actors/values/sealedPlaces.ts"
import { parseCharge } from "../../../actors/values/storedDocuments.ts"
import type { Feed } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import { AccountSecrets } from "../../accounts/accountSecrets.ts"
import { documentTerm } from "../../accounts/sellers/documentTerm.ts"
import { repairAll } from "../../audit/repair.ts"
import { RedisClient } from "../../store/redis/redisClient.ts"
import { answer } from "../answer.ts"
import { type Block, fields, heading, table } from "../text/blocks.ts"
import { count } from "../text/values.ts"
import { auditTimeoutMillis, toApiError } from "./auditVerify.ts"

const shownOf = <A>(items: ReadonlyArray<A>): ReadonlyArray<A> => items.slice(0, limits.repairedShownMax)

const repair = Effect.fnUntraced(function* () {
  const { open } = yield* SecretOpener
  const { fingerprints } = yield* AccountSecrets
  const term = documentTerm({ open, fingerprints })
  const digests = yield* CustomerDigests
  const customerOf = (feed: Feed, id: string, text: string) => {
    const document = open(parseCharge(text).customer.document, sealedPlaces.customerDocument(id))
    return document === undefined ? undefined : digests.of(feed, document)
  }
  const { timers, indexes, counters, refused } = yield* repairAll(yield* RedisClient, term, customerOf).pipe(
    Effect.mapError(toApiError),
  )
  return {
    ok: refused.length === 0,
    timers_set: timers.length,
    indexes_mended: indexes.length,
    counters_mended: counters.length,
    refused_count: refused.length,
    timers: shownOf(timers),
    indexes: shownOf(indexes),
    counters: shownOf(counters),
    refused: shownOf(refused).map(({ sentence }) => sentence),
  }
})

type Repaired = Effect.Success<ReturnType<typeof repair>>

/** A list with its head; nothing where there is nothing to list. */
const listed = (title: string, items: ReadonlyArray<string>): ReadonlyArray<Block> =>
  items.length === 0
    ? []
    : [
        heading(title),
        table(
          [`First ${count(items.length)}`],
          items.map((item) => [item]),
        ),
      ]

const shownRepair = (report: Repaired): ReadonlyArray<Block> => [
  fields(
    ["Everything mended", report.ok],
    ["Timers set", count(report.timers_set)],
    ["Indexes mended", count(report.indexes_mended)],
    ["Counters mended", count(report.counters_mended)],
    ["Left as they are", count(report.refused_count)],
  ),
  ...listed("Left as they are: these cannot be derived from other data", report.refused),
  ...listed("Timers", report.timers),
  ...listed("Indexes", report.indexes),
  ...listed("Counters", report.counters),
]

export const auditRepair = Command.make("repair", {}, answer(repair, shownRepair, auditTimeoutMillis)).pipe(
  Command.withDescription(
    "Mend what follows from other data: indexes, counters of ledger entries, and missing timers. Never changes money or documents: what it must leave it names. The service may keep running.",
  ),
)
