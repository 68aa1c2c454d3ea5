import { createHash } from "node:crypto"
import {
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from "node:fs"
import { join } from "node:path"
import { Transform } from "node:stream"
import { pipeline } from "node:stream/promises"
import { Effect, Option, Schema } from "effect"
import { type ApiError, validationFailed } from "../../../schema/errors.ts"
import { changeFolder, folderError, replaceFile } from "../ownRedis/redisFolder.ts"
import type { RedisServerError } from "../ownRedis/redisServerError.ts"

/** A file of a backup; `sha256` is in hex. */
const HashedFile = { file: Schema.String, bytes: Schema.Int, sha256: Schema.String }

/** One server's part of a backup. */
const NodeSnapshot = Schema.Struct({
  ...HashedFile,
  /** ISO time of the primary's clock: everything that was acknowledged before is in the snapshot. */
  taken_at: Schema.String,
  /** `host:port` of the server that was read, and whether it was the primary; null where an older build made the backup. */
  server: Schema.NullOr(Schema.String),
  role: Schema.Literals(["primary", "replica"]),
  /** The snapshot's moment: the id of the primary's history, and how many bytes of it the snapshot includes. */
  replication_id: Schema.NullOr(Schema.String),
  offset: Schema.NullOr(Schema.Int),
  /** First and last of each stretch; null where the server is no node of a cluster. */
  slots: Schema.NullOr(Schema.Array(Schema.Tuple([Schema.Int, Schema.Int]))),
  redis_version: Schema.String,
  /** Null where the snapshot was not loaded to count them. */
  keys: Schema.NullOr(Schema.Int),
})
export type NodeSnapshot = typeof NodeSnapshot.Type

/** What a backup says about itself, in `manifest.json`. It is written last: without it a backup is not whole. */
export const BackupManifest = Schema.Struct({
  format: Schema.Literal(2),
  /** The earliest moment of its snapshots. */
  taken_at: Schema.String,
  /** The service's version, and that of its function library in Redis. */
  version: Schema.String,
  library_version: Schema.String,
  /** The database that has the service's keys. */
  db: Schema.Int,
  nodes: Schema.Array(NodeSnapshot),
  /** The newest event of each feed, a line of JSON each; null where the snapshots were not loaded to read them. */
  feeds: Schema.NullOr(Schema.Struct({ ...HashedFile, count: Schema.Int })),
})
export type BackupManifest = typeof BackupManifest.Type

/** What builds before format 2 wrote, beside one `dump.rdb`. */
const OldManifest = Schema.Struct({
  format: Schema.Literal(1),
  taken_at: Schema.String,
  version: Schema.String,
  library_version: Schema.String,
  redis_version: Schema.String,
  keys: Schema.Int,
  bytes: Schema.Int,
  sha256: Schema.String,
})

/** The name of Redis' own snapshot file, in its folder. */
export const snapshotName = "dump.rdb"
const manifestName = "manifest.json"

const decodeManifest = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.Union([BackupManifest, OldManifest])),
)

const upgraded = (manifest: BackupManifest | typeof OldManifest.Type): BackupManifest => {
  if (manifest.format === 2) return manifest
  const { taken_at, version, library_version, redis_version, keys, bytes, sha256 } = manifest
  const place = { server: null, role: "primary", replication_id: null, offset: null, slots: null } as const
  const node = { file: snapshotName, bytes, sha256, taken_at, ...place, redis_version, keys }
  return { format: 2, taken_at, version, library_version, db: 0, nodes: [node], feeds: null }
}

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
      onSome: (manifest) => Effect.succeed(upgraded(manifest)),
    })
  })

/** What was copied: its size, and its hash in hex. */
export interface Copied {
  readonly bytes: number
  readonly sha256: string
}

/** Writes to the disk, for this user only, and hashes what it writes. The file gets its name once it is whole; of a part nothing stays. */
export const writeAndHash = async (source: AsyncIterable<Buffer>, to: string): Promise<Copied> => {
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
  try {
    // Flushed: a backup must outlive the machine's crash.
    await pipeline(source, hashing, createWriteStream(draft, { mode: 0o600, flush: true }))
    renameSync(draft, to)
  } finally {
    rmSync(draft, { force: true })
  }
  return { bytes, sha256: hash.digest("hex") }
}

/** A file of a backup, as its manifest describes it. */
type DescribedFile = Pick<NodeSnapshot, "file" | "bytes" | "sha256">

const damaged = (dir: string, { file }: DescribedFile): ApiError =>
  validationFailed(
    "dir",
    `The backup in ${dir} is damaged: its ${file} is not the one that its manifest describes.`,
  )

const isDescribed = ({ bytes, sha256 }: DescribedFile, found: Copied): boolean =>
  found.bytes === bytes && found.sha256 === sha256

const hashFile = async (path: string): Promise<Copied> => {
  const hash = createHash("sha256")
  let bytes = 0
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    hash.update(chunk)
    bytes += chunk.length
  }
  return { bytes, sha256: hash.digest("hex") }
}

const refuseMissing = (dir: string, { file }: DescribedFile): Effect.Effect<void, ApiError> =>
  existsSync(join(dir, file))
    ? Effect.void
    : Effect.fail(validationFailed("dir", `${dir} is no whole backup: its ${file} is missing.`))

/** Reads a file of a backup. 400 at `dir` unless it is what the manifest says. */
export const verifyFile = Effect.fnUntraced(function* (dir: string, described: DescribedFile) {
  yield* refuseMissing(dir, described)
  const path = join(dir, described.file)
  const found = yield* Effect.tryPromise({
    try: () => hashFile(path),
    catch: (cause) => folderError(path, cause),
  })
  if (!isDescribed(described, found)) return yield* damaged(dir, described)
})

/** Copies a file of a backup. 400 at `dir` unless it is what the manifest says. */
export const copyVerified = Effect.fnUntraced(function* (dir: string, described: DescribedFile, to: string) {
  yield* refuseMissing(dir, described)
  if (!isDescribed(described, yield* copyFile(join(dir, described.file), to))) {
    return yield* damaged(dir, described)
  }
})

/** Copies a file to the disk, for this user only, and hashes what it copies. */
const copyFile = (from: string, to: string): Effect.Effect<Copied, RedisServerError> =>
  Effect.tryPromise({
    try: () => writeAndHash(createReadStream(from), to),
    catch: (cause) => folderError(to, cause),
  })
