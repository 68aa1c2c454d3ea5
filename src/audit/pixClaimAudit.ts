import { Effect } from "effect"
import * as keys from "../store/keys.ts"
import type { RedisClient } from "../store/redis/redisClient.ts"
import { differs, shown } from "./difference.ts"
import { type ExceptionDocument, readChargeDocument } from "./documents.ts"
import { type AuditFailure, type Fields, lookAgain, readFields } from "./reads.ts"
import type { KeyFault, Sighting } from "./resourceKind.ts"

type Client = RedisClient["Service"]

/** A Pix, and the key of its claim. */
export interface UsedPix {
  readonly endToEndId: string
  readonly key: string
}

/** The Pix that a record has used, and the key of its claim; undefined where it used none of an acquirer account. */
export const usedPix = ({ account, mode }: Fields, endToEndId: unknown): UsedPix | undefined =>
  account && mode === "live" && typeof endToEndId === "string"
    ? { endToEndId, key: keys.pixClaimsKey(account, endToEndId) }
    : undefined

const faultOf = (
  { endToEndId, key }: UsedPix,
  holder: string,
  found: string | undefined,
): KeyFault | undefined =>
  found === holder
    ? undefined
    : { key, expected: `${holder} as the holder of ${endToEndId}, which it has used`, found: shown(found) }

const holderOf = (client: Client, { endToEndId, key }: UsedPix) =>
  Effect.map(client.call("HGET", [key, endToEndId]), (found) => (found === null ? undefined : String(found)))

/** Checks that each live charge of a page which a Pix has paid is the holder of that Pix. */
export const auditPixClaimsOf = Effect.fnUntraced(function* (
  client: Client,
  sightings: ReadonlyArray<Sighting>,
): Effect.fn.Return<void, AuditFailure> {
  const used = sightings.flatMap(({ id, record }) => {
    const pix = usedPix(record, readChargeDocument(record.document)?.end_to_end_id)
    return pix === undefined ? [] : [{ id, pix }]
  })
  const holders = yield* client.callAll(used.map(({ pix }) => ["HGET", [pix.key, pix.endToEndId]] as const))
  const suspects = used.filter(({ id }, i) => holders[i] !== id)
  for (const { id } of suspects) {
    yield* lookAgain(
      Effect.gen(function* () {
        const names = ["account", "mode", "document"]
        const record = readFields(names, yield* client.call("HMGET", [keys.transactionKey(id), ...names]))
        const pix = usedPix(record, readChargeDocument(record.document)?.end_to_end_id)
        const fault = pix && faultOf(pix, id, yield* holderOf(client, pix))
        if (fault !== undefined) yield* differs("pix_claim", fault.key, fault)
      }),
    )
  }
})

/** The fault of a credited exception whose Pix another holds. */
export const creditClaimFault = Effect.fnUntraced(function* (
  client: Client,
  { id, act, details }: ExceptionDocument,
  record: Fields,
) {
  const pix = act === "credit" ? usedPix(record, details.end_to_end_id) : undefined
  return pix && faultOf(pix, id, yield* holderOf(client, pix))
})
