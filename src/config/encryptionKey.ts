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
import { Redacted, Result, Schema } from "effect"
import { keyOf32Bytes } from "../env/settingKinds.ts"

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
export const developmentKey = (dataDir: string): Result.Result<Redacted.Redacted<Uint8Array>, string> => {
  const path = encryptionKeyFile(dataDir)
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    const existing = readIfThere(path)
    if (existing === undefined) createOnce(path, `${randomBytes(32).toString("base64")}\n`)
    const key = Schema.decodeUnknownResult(keyOf32Bytes.codec)(
      (existing ?? readFileSync(path, "utf8")).trim(),
    )
    if (Result.isSuccess(key)) return Result.succeed(Redacted.make(key.success))
    return Result.fail(
      `${path} must hold ${keyOf32Bytes.mustBe}. Restore it from a backup. The data beside it cannot be read ` +
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
