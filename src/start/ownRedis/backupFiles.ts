import { createHash } from "node:crypto"
import {
  createReadStream,
  createWriteStream,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
} from "node:fs"
import { join } from "node:path"
import { Transform } from "node:stream"
import { pipeline } from "node:stream/promises"
import { Effect, Option, Schema } from "effect"
import { type ApiError, validationFailed } from "../../../schema/errors.ts"
import { changeFolder, folderError, replaceFile } from "./redisFolder.ts"
import type { RedisServerError } from "./redisServerError.ts"

/** What a backup says about itself, in `manifest.json` beside its `dump.rdb`. It is written last: without it a backup is not whole. */
export const BackupManifest = Schema.Struct({
  format: Schema.Literal(1),
  /** ISO time of Redis' clock: everything that was acknowledged before is in the backup. */
  taken_at: Schema.String,
  /** The service's version, and that of its function library in Redis. */
  version: Schema.String,
  library_version: Schema.String,
  redis_version: Schema.String,
  keys: Schema.Int,
  bytes: Schema.Int,
  /** Of `dump.rdb`, in hex. */
  sha256: Schema.String,
})
export type BackupManifest = typeof BackupManifest.Type

/** The name of Redis' own snapshot file, in its folder as in a backup. */
export const snapshotName = "dump.rdb"
const manifestName = "manifest.json"

const decodeManifest = Schema.decodeUnknownOption(Schema.fromJsonString(BackupManifest))

/** Creates the folder of a backup, for this user only. 400 at `dir` where there are files in it. */
export const makeBackupFolder = (dir: string): Effect.Effect<void, ApiError | RedisServerError> =>
  Effect.gen(function* () {
    const files = yield* changeFolder(dir, () => {
      mkdirSync(dir, { recursive: true, mode: 0o700 })
      return readdirSync(dir)
    })
    if (files.length > 0) {
      return yield* validationFailed(
        "dir",
        `${dir} is not empty. Name a new folder: no backup is overwritten.`,
      )
    }
  })

/** Writes the manifest, which makes the backup whole. */
export const writeManifest = (dir: string, manifest: BackupManifest): Effect.Effect<void, RedisServerError> =>
  changeFolder(dir, () => replaceFile(join(dir, manifestName), `${JSON.stringify(manifest, undefined, 2)}\n`))

/** The manifest of a backup. 400 at `dir` where there is none that can be read. */
export const readManifest = (dir: string): Effect.Effect<BackupManifest, ApiError> =>
  Effect.suspend(() => {
    let text = ""
    try {
      text = readFileSync(join(dir, manifestName), "utf8")
    } catch {
      // It is not there, or may not be read: the same to whoever restores.
    }
    return Option.match(decodeManifest(text), {
      onNone: () =>
        Effect.fail(
          validationFailed(
            "dir",
            `${dir} is no whole backup: its ${manifestName} is missing or cannot be read.`,
          ),
        ),
      onSome: (manifest) => Effect.succeed(manifest),
    })
  })

/** What was copied: its size, and its hash in hex. */
export interface Copied {
  readonly bytes: number
  readonly sha256: string
}

const copyAndHash = async (from: string, to: string): Promise<Copied> => {
  const hash = createHash("sha256")
  let bytes = 0
  const hashing = new Transform({
    transform: (chunk: Buffer, _, done) => {
      hash.update(chunk)
      bytes += chunk.length
      done(null, chunk)
    },
  })
  const draft = `${to}.part`
  // Flushed: a backup must outlive the machine's crash.
  await pipeline(createReadStream(from), hashing, createWriteStream(draft, { mode: 0o600, flush: true }))
  renameSync(draft, to)
  return { bytes, sha256: hash.digest("hex") }
}

/** Copies a file to the disk, for this user only, and hashes what it copies. */
export const copyFile = (from: string, to: string): Effect.Effect<Copied, RedisServerError> =>
  Effect.tryPromise({ try: () => copyAndHash(from, to), catch: (cause) => folderError(to, cause) })
