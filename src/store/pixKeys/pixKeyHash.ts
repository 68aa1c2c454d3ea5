import type { StoredPixKey } from "../../../actors/ports/pixKeyStore.ts"
import type { Mode } from "../../../schema/ids.ts"
import type { PixKeyStatus, PixKeyType } from "../../../schema/resources/pixKey.ts"

/** Reads a PIX key's hash; undefined if there is none. */
export const readPixKey = (id: string, record: Readonly<Record<string, string>>): StoredPixKey | undefined =>
  record.status === undefined
    ? undefined
    : {
        id,
        sellerId: record.seller ?? "",
        mode: record.mode as Mode,
        type: record.type as PixKeyType,
        value: record.value ?? "",
        valueHash: record.value_hash ?? "",
        maskedValue: record.masked ?? "",
        status: record.status as PixKeyStatus,
        version: Number(record.version),
        createdAt: record.created_at ?? "",
        verifiedAt: record.verified_at || undefined,
      }
