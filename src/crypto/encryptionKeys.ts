import { createHmac } from "node:crypto"

/** A key of `ENCRYPTION_KEY`. */
export interface EncryptionKey {
  /** 1 to 16 letters, digits, `_` and `-`: it stands in every ciphertext. */
  readonly id: string
  /** 32 bytes, for AES-256-GCM. */
  readonly bytes: Uint8Array
}

/** The keys of `ENCRYPTION_KEY`: all of them open, and the first, the newest, seals. Their ids differ. */
export type EncryptionKeys = readonly [EncryptionKey, ...ReadonlyArray<EncryptionKey>]

/** The id of a key that is given without one. */
export const plainKeyId = "0"

/** A single key without an id, of 32 bytes. */
export const plainKey = (bytes: Uint8Array): EncryptionKeys => [{ id: plainKeyId, bytes }]

/** For each key, newest first, another one that is drawn from it and serves this purpose alone. */
export const derivedKeys = (keys: EncryptionKeys, purpose: string): readonly [Buffer, ...Array<Buffer>] => {
  const derived = ({ bytes }: EncryptionKey): Buffer => createHmac("sha256", bytes).update(purpose).digest()
  const [newest, ...older] = keys
  return [derived(newest), ...older.map(derived)]
}
