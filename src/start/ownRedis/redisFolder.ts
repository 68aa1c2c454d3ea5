import { randomBytes } from "node:crypto"
import { mkdirSync, readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Option, Schema } from "effect"
import type { ProcessRecord } from "./processIdentity.ts"
import { RedisServerError } from "./redisServerError.ts"

/** The files of our own Redis, under `<DATA_DIR>/redis`. */
export interface RedisFolder {
  /** Absolute and without symbolic links, as Redis itself reports it. */
  readonly path: string
  /** One line, readable by this user only: the server's URL with its password. Written before the server starts, removed after an orderly stop. */
  readonly addressFile: string
  /** The server's process. Absent while it is starting. */
  readonly processFile: string
  /** The service process that owns the folder. */
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

/** The Redis folder of a data folder; need not exist. */
export const redisFolderOf = (dataDir: string): RedisFolder => filesUnder(join(dataDir, "redis"))

/** The error for a folder that cannot be used; `cause` is the system's error. */
export const folderError = (path: string, cause: unknown): RedisServerError =>
  new RedisServerError({
    message:
      `Cannot write ${path} (${(cause as NodeJS.ErrnoException).code ?? String(cause)}). ` +
      "Set DATA_DIR to a folder that this user may write, or REDIS_URL to a Redis that already runs.",
  })

/** Runs a change of the folder; an error of the system becomes a {@link RedisServerError}. */
export const changeFolder = <A>(path: string, change: () => A): Effect.Effect<A, RedisServerError> =>
  Effect.try({ try: change, catch: (cause) => folderError(path, cause) })

/** Creates the folder if it is missing, accessible to this user only. */
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

/** Replaces a file atomically: a reader sees the old text or the new one. */
export const replaceFile = (path: string, text: string): void => {
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, text, { mode: 0o600 })
  renameSync(draft, path)
}

/** A recorded process, or undefined if the file is missing or broken. */
export const readRecord = (path: string): ProcessRecord | undefined =>
  Option.getOrUndefined(decodeRecord(readText(path)))

/** How to connect to the server on 127.0.0.1. */
export interface RedisAccess {
  readonly port: number
  readonly password: string
}

/** Access with a new password of 192 random bits. */
export const newAccess = (port: number): RedisAccess => ({
  port,
  password: randomBytes(24).toString("base64url"),
})

const addressPattern = /^redis:\/\/default:([A-Za-z0-9_-]+)@127\.0\.0\.1:(\d{1,5})$/

const addressText = (folder: RedisFolder): string => readText(folder.addressFile)?.trim() ?? ""

/** The access that the address file names. */
export const readAccess = (folder: RedisFolder): RedisAccess | undefined => {
  const match = addressPattern.exec(addressText(folder))
  const [, password = "", port] = match ?? []
  return match === null ? undefined : { port: Number(port), password }
}

/** The URL in the address file, with the password. */
export const readAddress = (folder: RedisFolder): string | undefined => {
  const address = addressText(folder)
  return addressPattern.test(address) ? address : undefined
}

/** The server's URL with its password. redis-cli accepts a password only with a user name. */
export const addressOf = ({ port, password }: RedisAccess): string =>
  `redis://default:${password}@127.0.0.1:${port}`

/** Writes the address file. */
export const writeAddress = (folder: RedisFolder, access: RedisAccess): void =>
  replaceFile(folder.addressFile, `${addressOf(access)}\n`)

/** Removes the server's files after an orderly stop. */
export const removeServerFiles = (folder: RedisFolder): void => {
  rmSync(folder.addressFile, { force: true })
  rmSync(folder.processFile, { force: true })
}

const logBytesMax = 8 * 1024 * 1024

/** Rotates a large log to one old file. Call only while no server writes it. */
export const boundLog = (folder: RedisFolder): void => {
  const bytes = statSync(folder.logFile, { throwIfNoEntry: false })?.size ?? 0
  if (bytes > logBytesMax) renameSync(folder.logFile, `${folder.logFile}.old`)
}

/** The last lines of the server's log. */
export const lastLogLines = (folder: RedisFolder, lines: number): string =>
  (readText(folder.logFile) ?? "").trimEnd().split("\n").slice(-lines).join("\n")
