import { linkSync, rmSync, statSync, writeFileSync } from "node:fs"
import { Effect, Schedule, type Scope } from "effect"
import { isRunning, type ProcessRecord, processRecord } from "./processIdentity.ts"
import { changeFolder, type RedisFolder, readRecord } from "./redisFolder.ts"
import { RedisServerError } from "./redisServerError.ts"

/** How old a guard without a readable record may get: it was cut, as removing a dead owner takes microseconds. */
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

/** The file of the process that is removing a dead owner. */
const guardOf = (ownerFile: string): string => `${ownerFile}.removal`

/** Removes a dead owner's file. Only one process at a time may, or the second would remove the first's new file. */
const removeDeadOwner = (ownerFile: string, self: ProcessRecord): void => {
  const guard = guardOf(ownerFile)
  if (!createAtomically(guard, JSON.stringify(self))) {
    if (isLeft(guard)) rmSync(guard, { force: true })
    return
  }
  const owner = readRecord(ownerFile)
  if (owner === undefined || !isRunning(owner)) rmSync(ownerFile, { force: true })
  rmSync(guard, { force: true })
}

/** How long, and how often, the folder is asked for while another process removes a dead owner: microseconds, if it is not stalled. */
const removalMillisMax = 5_000
const removalCheckMillis = 20

/** What came of asking for the folder; `busy` while another process removes a dead owner. */
type Asked = "taken" | "busy" | { readonly owner: ProcessRecord }

/** Asks once. */
const ask = ({ ownerFile }: RedisFolder, self: ProcessRecord): Asked => {
  if (createAtomically(ownerFile, JSON.stringify(self))) return "taken"
  const owner = readRecord(ownerFile)
  if (owner !== undefined && isRunning(owner)) return { owner }
  removeDeadOwner(ownerFile, self)
  return "busy"
}

const refusal = (dataDir: string, owner: ProcessRecord | undefined) =>
  new RedisServerError({
    message:
      `Corrente already runs on the data folder ${dataDir} (process ${owner?.pid ?? "unknown"}). ` +
      "Stop it first, or set another DATA_DIR (and PORT) for this one.",
  })

/** Takes the folder; fails where a live process owns it. */
const take = Effect.fnUntraced(function* (folder: RedisFolder, dataDir: string) {
  const self = processRecord(process.pid) ?? { pid: process.pid, startedAt: "" }
  const asking = changeFolder(folder.path, () => {
    const first = ask(folder, self)
    // The dead owner is removed, unless another process is at it.
    return first === "busy" ? ask(folder, self) : first
  })
  const asked = yield* Effect.repeat(asking, {
    while: (answer) => answer === "busy",
    schedule: Schedule.spaced(removalCheckMillis),
    times: removalMillisMax / removalCheckMillis,
  })
  if (asked === "taken") return
  return yield* refusal(dataDir, asked === "busy" ? readRecord(guardOf(folder.ownerFile)) : asked.owner)
})

/**
 * Makes this process the owner of the folder's Redis until the scope closes. Two servers appending to the same files
 * would destroy them, so a second process is refused; the claim of a killed one is taken over.
 */
export const ownFolder = (
  folder: RedisFolder,
  dataDir: string,
): Effect.Effect<void, RedisServerError, Scope.Scope> =>
  Effect.acquireRelease(take(folder, dataDir), () =>
    Effect.sync(() => rmSync(folder.ownerFile, { force: true })),
  )
