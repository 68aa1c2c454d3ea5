import { randomBytes } from "node:crypto"
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  unlinkSync,
  writeSync,
} from "node:fs"
import { dirname, join } from "node:path"
import { Effect, Redacted, Result, Schema, SchemaGetter, SchemaIssue } from "effect"
import { type EncryptionKeys, plainKeyId } from "../crypto/encryptionKeys.ts"
import { keyOf32Bytes, type SettingKind } from "../env/settingKinds.ts"

/** More keys than a rotation needs, and few enough to look up by each. */
export const encryptionKeysMax = 8

const idPattern = /^[A-Za-z0-9_-]{1,16}$/

/** An item of the list: `id:key`, or a key alone, whose id is `0`. */
const keyOf = (item: string) => {
  const colon = item.indexOf(":")
  const id = colon < 0 ? plainKeyId : item.slice(0, colon).trim()
  const bytes = Schema.decodeUnknownResult(keyOf32Bytes.codec)(item.slice(colon + 1).trim())
  return idPattern.test(id) && Result.isSuccess(bytes) ? { id, bytes: bytes.success } : undefined
}

/**
 * Reads ENCRYPTION_KEY: one key in base64, or up to {@link encryptionKeysMax} as `id:key`, newest first, separated by commas. Undefined
 * where one of them is no key, or where two have the same id or are the same key.
 */
export const parseEncryptionKeys = (text: string): EncryptionKeys | undefined => {
  const keys = text.split(",").flatMap((item) => keyOf(item.trim()) ?? [])
  const [newest, ...older] = keys
  if (newest === undefined || keys.length !== text.split(",").length || keys.length > encryptionKeysMax) {
    return undefined
  }
  const ids = new Set(keys.map(({ id }) => id))
  const values = new Set(keys.map(({ bytes }) => Buffer.from(bytes).toString("hex")))
  return ids.size === keys.length && values.size === keys.length ? [newest, ...older] : undefined
}

/** The keys of ENCRYPTION_KEY. Decodes only: nothing writes settings. */
export const encryptionKeyList: SettingKind<EncryptionKeys> = {
  codec: Schema.String.pipe(
    Schema.decodeTo(Schema.NonEmptyArray(Schema.Struct({ id: Schema.String, bytes: Schema.Uint8Array })), {
      decode: SchemaGetter.transformEffect((text: string, options) => {
        const keys = parseEncryptionKeys(text)
        return keys === undefined
          ? Effect.fail(new SchemaIssue.InvalidValue({ message: "not a list of keys" }, undefined, options))
          : Effect.succeed(keys)
      }),
      encode: SchemaGetter.forbiddenEncoding,
    }),
  ),
  mustBe:
    `${keyOf32Bytes.mustBe}, or 1 to ${encryptionKeysMax} of them as id:key, newest first, separated by commas, each with ` +
    "an id of its own (1 to 16 letters, digits, _ and -)",
}

/** The file of a development data folder's key. */
export const encryptionKeyFile = (dataDir: string): string => join(dataDir, "encryption.key")

const errorCode = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code

/** Writes a file and links it into place, unless another process was faster: never half a key, never two. */
const createOnce = (path: string, text: string): void => {
  const draft = `${path}.${process.pid}.${randomBytes(4).toString("hex")}`
  const file = openSync(draft, "wx", 0o600)
  try {
    writeSync(file, text)
    fsyncSync(file)
    linkSync(draft, path)
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error
  } finally {
    closeSync(file)
    unlinkSync(draft)
  }
}

/**
 * The encryption key of a development data folder: generated on first use, mode 0600, and kept from then on. Fails with
 * a sentence that says what to do if the folder is not writable or the file holds no key.
 */
export const developmentKey = (dataDir: string): Result.Result<Redacted.Redacted<EncryptionKeys>, string> => {
  const path = encryptionKeyFile(dataDir)
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    const existing = readIfThere(path)
    if (existing === undefined) createOnce(path, `${randomBytes(32).toString("base64")}\n`)
    const keys = parseEncryptionKeys((existing ?? readFileSync(path, "utf8")).trim())
    if (keys !== undefined) return Result.succeed(Redacted.make(keys))
    return Result.fail(
      `${path} must hold ${encryptionKeyList.mustBe}. Restore it from a backup. The data beside it cannot be read ` +
        "without it, so to start over remove the whole data folder.",
    )
  } catch (error) {
    return Result.fail(
      `DATA_DIR ${dataDir} cannot be used (${errorCode(error) ?? String(error)}). ` +
        "Set it to a folder that this user may write, or set ENCRYPTION_KEY and REDIS_URL.",
    )
  }
}

const readIfThere = (path: string): string | undefined => {
  try {
    return readFileSync(path, "utf8")
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined
    throw error
  }
}
