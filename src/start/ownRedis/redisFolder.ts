import { randomBytes } from "node:crypto"
import { mkdirSync, readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Option, Schema } from "effect"
import type { ProcessRecord } from "./processIdentity.ts"
import { RedisServerError } from "./redisServerError.ts"

/** The files of our own Redis, under `<DATA_DIR>/redis`. */
export interface RedisFolder {
  /** Absolute, without symbolic links, as Redis itself names it. */
  readonly path: string
  /** One line, for this user alone: the server's URL with its password. Written before the server starts, removed when it was stopped in order. */
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

/** Where our server listens on 127.0.0.1, and what it wants to hear first. */
export interface RedisPlace {
  readonly port: number
  /** Undefined for a server that an older version started: it asks for none. */
  readonly password: string | undefined
}

/** A place of a server with a password of its own, 192 bits by chance. */
export const newPlace = (port: number): RedisPlace => ({
  port,
  password: randomBytes(24).toString("base64url"),
})

const addressPattern = /^redis:\/\/(?:default:([A-Za-z0-9_-]+)@)?127\.0\.0\.1:(\d{1,5})$/

const addressText = (folder: RedisFolder): string => readText(folder.addressFile)?.trim() ?? ""

/** Our server's place, as the address file gives it. */
export const readPlace = (folder: RedisFolder): RedisPlace | undefined => {
  const match = addressPattern.exec(addressText(folder))
  return match === null ? undefined : { port: Number(match[2]), password: match[1] }
}

/** Our server's URL, as the address file gives it, with its password. */
export const readAddress = (folder: RedisFolder): string | undefined => {
  const address = addressText(folder)
  return addressPattern.test(address) ? address : undefined
}

/** The URL of our server, with its password. redis-cli takes it only with the user's name. */
export const addressOf = ({ port, password }: RedisPlace): string =>
  `redis://${password === undefined ? "" : `default:${password}@`}127.0.0.1:${port}`

/** Writes the address file. */
export const writeAddress = (folder: RedisFolder, place: RedisPlace): void =>
  replaceFile(folder.addressFile, `${addressOf(place)}\n`)

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
