import { linkSync, rmSync, statSync, writeFileSync } from "node:fs"
import { Effect, type Scope } from "effect"
import { isRunning, type ProcessRecord, processRecord } from "./processIdentity.ts"
import { changeFolder, type RedisFolder, readRecord } from "./redisFolder.ts"
import { RedisServerError } from "./redisServerError.ts"

/** A guard without a readable record is an earlier version's, or was cut: removing a dead owner takes microseconds. */
const guardStaleMillis = 10_000

const createAtomically = (path: string, text: string): boolean => {
  // Linked into place, so that the file never exists without its content.
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, text, { mode: 0o600 })
  try {
    linkSync(draft, path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false
    throw error
  } finally {
    rmSync(draft, { force: true })
  }
}

/** Whether a guard's process was killed while it removed a dead owner. */
const isLeft = (guard: string): boolean => {
  const holder = readRecord(guard)
  if (holder !== undefined) return !isRunning(holder)
  const age = Date.now() - (statSync(guard, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
  return age > guardStaleMillis
}

/** Removes a dead owner's file. Only one process at a time may, or the second would remove the first's new file. */
const removeDeadOwner = (ownerFile: string, self: ProcessRecord): void => {
  const guard = `${ownerFile}.removal`
  if (!createAtomically(guard, JSON.stringify(self))) {
    if (isLeft(guard)) rmSync(guard, { force: true })
    return
  }
  const owner = readRecord(ownerFile)
  if (owner === undefined || !isRunning(owner)) rmSync(ownerFile, { force: true })
  rmSync(guard, { force: true })
}

/** Takes the folder, or returns the live process that owns it. */
const take = (folder: RedisFolder, self: ProcessRecord): ProcessRecord | undefined => {
  const attemptsMax = 5
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    if (createAtomically(folder.ownerFile, JSON.stringify(self))) return undefined
    const owner = readRecord(folder.ownerFile)
    if (owner !== undefined && isRunning(owner)) return owner
    removeDeadOwner(folder.ownerFile, self)
  }
  return readRecord(folder.ownerFile) ?? self
}

/**
 * Makes this process the owner of the folder's Redis until the scope closes. Two servers appending to the same files
 * would destroy them, so a second process is refused; the claim of a killed one is taken over.
 */
export const ownFolder = (
  folder: RedisFolder,
  dataDir: string,
): Effect.Effect<void, RedisServerError, Scope.Scope> => {
  const self = processRecord(process.pid) ?? { pid: process.pid, startedAt: "" }
  const taken = Effect.flatMap(
    changeFolder(folder.path, () => take(folder, self)),
    (owner) =>
      owner === undefined
        ? Effect.void
        : Effect.fail(
            new RedisServerError({
              message:
                `Corrente already runs on the data folder ${dataDir} (process ${owner.pid}). ` +
                "Stop it first, or set another DATA_DIR (and PORT) for this one.",
            }),
          ),
  )
  return Effect.acquireRelease(taken, () => Effect.sync(() => rmSync(folder.ownerFile, { force: true })))
}
