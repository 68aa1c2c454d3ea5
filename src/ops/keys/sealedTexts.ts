import { Effect } from "effect"
import type { SecretOpener } from "../../../actors/ports/secretOpener.ts"
import { keyIdOfSealed, type SealedPlace, sealedPlaces } from "../../../actors/values/sealedPlaces.ts"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import type { Mode } from "../../../schema/ids.ts"
import type { AccountSecrets } from "../../accounts/accountSecrets.ts"
import { documentTerm, termsOfDocument } from "../../accounts/sellers/documentTerm.ts"
import { readFields } from "../../audit/reads.ts"
import type { EncryptionKeys } from "../../crypto/encryptionKeys.ts"
import { type ResealedText, resealMember, resealPixKey, resealText } from "../../store/encryption.ts"
import type { RedisClient, RedisCommand, Reply } from "../../store/redis/redisClient.ts"
import { indexSellers, termsIn } from "../../store/sellerLookup.ts"

/** What is sealed, as it is counted. Events are counted apart: they cannot be written anew. */
const sealedKinds = [
  ...(["customer_documents", "seller_documents", "seller_lookups", "postback_secrets"] as const),
  ...(["endpoint_secrets", "endpoint_passwords", "tracker_headers", "pix_keys"] as const),
  ...(["withdrawals", "totp_secrets", "backup_codes", "notices"] as const),
  ...(["alert_settings", "report_recipients", "customer_secret"] as const),
] as const
export type SealedKind = (typeof sealedKinds)[number]

/** A stored text that a key other than the newest has made. */
export interface OlderText {
  readonly kind: SealedKind
  readonly keyId: string
  /** Writes it anew under the newest key; false where it has changed meanwhile. Undefined: it does not open, so it was altered. */
  readonly rewrite: Effect.Effect<boolean, StoreUnavailable> | undefined
}

/** What texts are found and written anew with. */
export interface SealedTextParts {
  readonly client: RedisClient["Service"]
  readonly open: SecretOpener["Service"]["open"]
  readonly secrets: Pick<AccountSecrets["Service"], "seal" | "fingerprints">
  readonly keys: EncryptionKeys
}

type Record = Readonly<globalThis.Record<string, string>>

/** How the texts of a key are read: the command, and what its reply holds. */
interface Reader {
  readonly command: (key: string) => RedisCommand
  readonly textsOf: (key: string, reply: Reply) => ReadonlyArray<OlderText>
}

/** The id that a key ends with. */
const idOf = (key: string): string => key.slice(key.lastIndexOf(":") + 1)

const hashReader = (
  names: ReadonlyArray<string>,
  textsOf: (id: string, record: Record, key: string) => ReadonlyArray<OlderText>,
): Reader => ({
  command: (key) => ["HMGET", [key, ...names]],
  textsOf: (key, reply) => textsOf(idOf(key), readFields(names, reply), key),
})

const isResealed = ({ kind }: { readonly kind: "resealed" | "stale" }): boolean => kind === "resealed"

/** Makes the readers, by what the names of their keys begin with. */
const makeReaders = ({ client, open, secrets, keys }: SealedTextParts): ReadonlyMap<string, Reader> => {
  const newest = keys[0].id

  const older = (
    kind: SealedKind,
    sealed: string | undefined,
    place: SealedPlace,
    write: (
      plain: string,
      replacement: string,
    ) => Effect.Effect<{ kind: "resealed" | "stale" }, StoreUnavailable>,
  ): ReadonlyArray<OlderText> => {
    const keyId = keyIdOfSealed(sealed ?? "")
    if (sealed === undefined || keyId === undefined || keyId === newest) return []
    const plain = open(sealed, place)
    if (plain === undefined) return [{ kind, keyId, rewrite: undefined }]
    const rewrite = Effect.suspend(() => Effect.map(write(plain, secrets.seal(plain, place)), isResealed))
    return [{ kind, keyId, rewrite }]
  }

  /** A field that holds nothing but its ciphertext. */
  const field = (
    kind: SealedKind,
    key: string,
    name: string,
    record: Record,
    place: SealedPlace,
    more: Partial<Pick<ResealedText, "isVersioned" | "sellerId">> = {},
  ) =>
    older(kind, record[name], place, (_, replacement) =>
      resealText(client)({
        hash: key,
        field: name,
        expected: record[name] ?? "",
        replacement,
        isVersioned: false,
        ...more,
      }),
    )

  const charges = hashReader(["document"], (id, { document = "" }, key) => {
    // The first, as a text's quotes are escaped: what stands before it is no seller's.
    const sealed = /"document":"([^"\\]*)"/.exec(document)?.[1]
    const within = (text: string) => `"document":"${text}"`
    return older("customer_documents", sealed, sealedPlaces.customerDocument(id), (_, replacement) =>
      resealText(client)({
        hash: key,
        field: "document",
        expected: within(sealed ?? ""),
        replacement: within(replacement),
        isVersioned: true,
      }),
    )
  })

  /** The term by which a seller is found, where it is that of an older key. */
  const lookupOf = (id: string, { document = "", found_by }: Record): ReadonlyArray<OlderText> => {
    const plain = open(document, sealedPlaces.sellerDocument(id))
    if (plain === undefined) return []
    const terms = termsOfDocument(secrets, plain)
    const at = terms.findIndex((term, i) => i > 0 && termsIn(found_by ?? "").includes(term))
    const keyId = keys[at]?.id
    if (keyId === undefined) return []
    const rewrite = indexSellers(client, [id], documentTerm({ open, ...secrets }))
    return [{ kind: "seller_lookups", keyId, rewrite: Effect.map(rewrite, (ids) => ids.length > 0) }]
  }

  const sellers = hashReader(["document", "postback_secret", "found_by"], (id, record, key) => [
    ...field("seller_documents", key, "document", record, sealedPlaces.sellerDocument(id), {
      isVersioned: true,
      sellerId: id,
    }),
    ...lookupOf(id, record),
    ...field("postback_secrets", key, "postback_secret", record, sealedPlaces.postbackSecret(id)),
  ])

  const destinations = hashReader(
    ["secret", "secret_previous", "url", "url_password", "headers"],
    (id, record, key) => [
      ...field("endpoint_secrets", key, "secret", record, sealedPlaces.endpointSecret(id)),
      ...field("endpoint_secrets", key, "secret_previous", record, sealedPlaces.endpointSecret(id)),
      ...field(
        "endpoint_passwords",
        key,
        "url_password",
        record,
        sealedPlaces.endpointPassword(id, record.url ?? ""),
      ),
      ...field("tracker_headers", key, "headers", record, sealedPlaces.trackerHeaders(id)),
    ],
  )

  const alertSettings = hashReader(["sealed"], (id, record, key) =>
    field("alert_settings", key, "sealed", record, sealedPlaces.alertSettings(id)),
  )

  const reports = hashReader(["sealed"], (id, record, key) =>
    field("report_recipients", key, "sealed", record, sealedPlaces.reportRecipients(id)),
  )

  const customerSecret = hashReader(["sealed"], (_, record, key) =>
    field("customer_secret", key, "sealed", record, sealedPlaces.customerSecret(key)),
  )

  const pixKeys = hashReader(["value", "seller", "mode", "type"], (id, record) =>
    older("pix_keys", record.value, sealedPlaces.pixKeyValue(id), (plain, replacement) =>
      resealPixKey(client)({
        id,
        feed: { sellerId: record.seller ?? "", mode: record.mode as Mode },
        expected: record.value ?? "",
        replacement,
        valueHash: secrets.fingerprints(`${record.type}:${plain}`)[0],
      }),
    ),
  )

  const withdrawals = hashReader(["pix_value"], (id, record, key) =>
    field("withdrawals", key, "pix_value", record, sealedPlaces.withdrawalPixValue(id)),
  )

  const users = hashReader(["totp_secret", "totp_secret_pending"], (id, record, key) => [
    ...field("totp_secrets", key, "totp_secret", record, sealedPlaces.totpSecret(id)),
    ...field("totp_secrets", key, "totp_secret_pending", record, sealedPlaces.totpSecret(id)),
  ])

  const notices = hashReader(["body", "headers", "body_hash"], (_, record, key) => [
    ...field("notices", key, "body", record, sealedPlaces.noticeBody(record.body_hash ?? "")),
    ...field("notices", key, "headers", record, sealedPlaces.noticeHeaders(record.body_hash ?? "")),
  ])

  const backupCodes: Reader = {
    command: (key) => ["SMEMBERS", [key]],
    textsOf: (key, reply) =>
      (reply as ReadonlyArray<string>).flatMap((sealed) =>
        older("backup_codes", sealed, sealedPlaces.backupCode(idOf(key)), (_, replacement) =>
          resealMember(client)(key, sealed, replacement),
        ),
      ),
  }

  return new Map(
    Object.entries({
      txn: charges,
      seller: sellers,
      destination: destinations,
      "alert-settings": alertSettings,
      rpt: reports,
      "customer-secret": customerSecret,
      pk: pixKeys,
      wd: withdrawals,
      user: users,
      inb: notices,
      "backup-codes": backupCodes,
    }),
  )
}

/** Makes a function that finds the texts that older keys have made, in those of some keys of Redis that hold any. */
export const makeOlderTexts = (parts: SealedTextParts) => {
  const readers = makeReaders(parts)
  return Effect.fnUntraced(function* (names: ReadonlyArray<string>) {
    const read = names.flatMap((name) => {
      const reader = readers.get(name.slice(0, name.indexOf(":")))
      return reader === undefined ? [] : [{ name, reader }]
    })
    const replies = yield* parts.client.callAll(read.map(({ name, reader }) => reader.command(name)))
    return read.flatMap(({ name, reader }, i) => reader.textsOf(name, replies[i] ?? null))
  })
}
