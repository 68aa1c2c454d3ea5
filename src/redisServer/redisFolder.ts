import { mkdirSync, readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Option, Schema } from "effect"
import type { ProcessRecord } from "./processIdentity.ts"
import { RedisServerError } from "./redisServerError.ts"

/** The files of our own Redis, under `<DATA_DIR>/redis`. */
export interface RedisFolder {
  /** Absolute, without symbolic links, as Redis itself names it. */
  readonly path: string
  /** One line: the server's URL. Written before the server starts, removed when it was stopped in order. */
  readonly addressFile: string
  /** The server's process. Absent while one is being started. */
  readonly processFile: string
  /** The process of ours that owns the folder. */
  readonly ownerFile: string
  readonly logFile: string
}

const filesUnder = (path: string): RedisFolder => ({
  path,
  addressFile: join(path, "address"),
  processFile: join(path, "process.json"),
  ownerFile: join(path, "owner.json"),
  logFile: join(path, "redis.log"),
})

/** The folder of a data folder, which need not exist. */
export const redisFolderOf = (dataDir: string): RedisFolder => filesUnder(join(dataDir, "redis"))

/** The error for a folder that cannot be used; `cause` is what the system said. */
export const folderError = (path: string, cause: unknown): RedisServerError =>
  new RedisServerError({
    message:
      `Cannot write ${path} (${(cause as NodeJS.ErrnoException).code ?? String(cause)}). ` +
      "Set DATA_DIR to a folder that this user may write, or REDIS_URL to a Redis that runs already.",
  })

/** Runs a change of the folder; what the system refuses becomes a {@link RedisServerError}. */
export const changeFolder = <A>(path: string, change: () => A): Effect.Effect<A, RedisServerError> =>
  Effect.try({ try: change, catch: (cause) => folderError(path, cause) })

/** Makes the folder where it is missing, for this user alone. */
export const makeRedisFolder = (dataDir: string): Effect.Effect<RedisFolder, RedisServerError> => {
  const { path } = redisFolderOf(dataDir)
  return changeFolder(path, () => {
    mkdirSync(path, { recursive: true, mode: 0o700 })
    return filesUnder(realpathSync(path))
  })
}

const decodeRecord = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.Struct({ pid: Schema.Int, startedAt: Schema.String })),
)

const readText = (path: string): string | undefined => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return undefined
  }
}

/** Replaces a file whole: a reader sees the old text or the new one. */
export const replaceFile = (path: string, text: string): void => {
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, text, { mode: 0o600 })
  renameSync(draft, path)
}

/** A recorded process, or undefined where the file is missing or broken. */
export const readRecord = (path: string): ProcessRecord | undefined =>
  Option.getOrUndefined(decodeRecord(readText(path)))

/** Our server's URL, as the address file gives it. */
export const readAddress = (folder: RedisFolder): string | undefined => {
  const address = readText(folder.addressFile)?.trim()
  return address !== undefined && /^redis:\/\/127\.0\.0\.1:\d+$/.test(address) ? address : undefined
}

/** The URL of our server on a port. */
export const addressOf = (port: number): string => `redis://127.0.0.1:${port}`

/** Forgets the server: it was stopped in order. */
export const forgetServer = (folder: RedisFolder): void => {
  rmSync(folder.addressFile, { force: true })
  rmSync(folder.processFile, { force: true })
}

const logBytesMax = 8 * 1024 * 1024

/** Keeps one log of bounded size beside the current one; called while no server writes it. */
export const boundLog = (folder: RedisFolder): void => {
  const bytes = statSync(folder.logFile, { throwIfNoEntry: false })?.size ?? 0
  if (bytes > logBytesMax) renameSync(folder.logFile, `${folder.logFile}.old`)
}

/** The last lines that the server logged. */
export const lastLogLines = (folder: RedisFolder, lines: number): string =>
  (readText(folder.logFile) ?? "").trimEnd().split("\n").slice(-lines).join("\n")
