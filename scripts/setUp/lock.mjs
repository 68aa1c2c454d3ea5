// One set-up of a clone at a time.
import {
  accessSync,
  constants,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"

const lockFile = fileURLToPath(new URL("../../.data/setup.lock", import.meta.url))

const lockPollMillis = 200
const lockBeatMillis = 2_000
/** A living holder beats far more often than this, so an older lock belongs to a process id that was used again. */
const lockStaleMillis = 60_000

/** An error whose message tells the user what to do; printed without a stack. */
export class SetUpError extends Error {
  constructor(message, exitCode = 1) {
    super(message)
    this.exitCode = exitCode
  }
}

export const say = (line) => process.stderr.write(`${line}\n`)

export const readText = (path) => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return undefined
  }
}

const lockHolder = () => {
  const pid = Number(readText(lockFile))
  if (!Number.isInteger(pid) || pid <= 0) return undefined
  try {
    if (Date.now() - statSync(lockFile).mtimeMs > lockStaleMillis) return undefined
    process.kill(pid, 0)
    return pid
  } catch (error) {
    return error.code === "EPERM" ? pid : undefined
  }
}

const tryLock = (path) => {
  // Written beside and linked into place, so that the lock never exists without its holder's process id.
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, String(process.pid))
  try {
    linkSync(draft, path)
    return true
  } catch (error) {
    if (error.code === "EEXIST") return false
    throw error
  } finally {
    unlinkSync(draft)
  }
}

/** Removes a dead holder's lock. Only one process at a time may, or another's new lock would be removed. */
const removeDeadLock = () => {
  const guard = `${lockFile}.removal`
  if (!tryLock(guard)) {
    const age = Date.now() - (statSync(guard, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
    if (age > lockStaleMillis) rmSync(guard, { force: true })
    return
  }
  if (lockHolder() === undefined) rmSync(lockFile, { force: true })
  rmSync(guard, { force: true })
}

/** Runs `body` while no other set-up of this clone runs. */
export const locked = async (body) => {
  try {
    mkdirSync(dirname(lockFile), { recursive: true, mode: 0o700 })
    accessSync(dirname(lockFile), constants.W_OK)
  } catch (error) {
    throw new SetUpError(
      `Cannot write ${dirname(lockFile)} (${error.code}): run the set-up as the owner of this folder.`,
    )
  }
  let told = false
  while (!tryLock(lockFile)) {
    const holder = lockHolder()
    if (holder === undefined) removeDeadLock()
    else if (!told) say(`Waiting for the set-up that process ${holder} is doing...`)
    told ||= holder !== undefined
    await new Promise((wake) => setTimeout(wake, lockPollMillis))
  }
  const release = () => rmSync(lockFile, { force: true })
  const beat = setInterval(() => {
    if (existsSync(lockFile)) utimesSync(lockFile, new Date(), new Date())
  }, lockBeatMillis)
  process.once("exit", release)
  try {
    return await body()
  } finally {
    clearInterval(beat)
    process.off("exit", release)
    release()
  }
}
