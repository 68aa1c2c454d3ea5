import { Effect, Schema } from "effect"
import type { StoredLedgerEntry } from "../../../actors/ports/ledger.ts"
import { WithdrawalStore } from "../../../actors/ports/withdrawalStore.ts"
import { EntryWithdrawal } from "../../../schema/resources/ledger.ts"

const readShown = Schema.decodeUnknownOption(Schema.fromJsonString(EntryWithdrawal))

/**
 * Makes the function that reads the withdrawals of a page of entries, by their ids, in one pipeline. Withdrawals that test mode has
 * forgotten are left out.
 */
export const makeEntryWithdrawals = Effect.gen(function* () {
  const store = yield* WithdrawalStore

  return Effect.fnUntraced(function* (entries: ReadonlyArray<StoredLedgerEntry>) {
    const ofWithdrawals = entries.filter(({ resourceType }) => resourceType === "withdrawal")
    const ids = [...new Set(ofWithdrawals.map(({ resourceId }) => resourceId))]
    const found = ids.length === 0 ? [] : yield* store.loadMany(ids)
    return new Map(
      found.flatMap(({ id, document }) => {
        const read = readShown(document)
        return read._tag === "None" ? [] : [[id, read.value] as const]
      }),
    )
  })
})
