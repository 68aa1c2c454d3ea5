import { readdirSync, readFileSync, readlinkSync, realpathSync } from "node:fs"
import { isRunning, type ProcessRecord, processRecord } from "./processIdentity.ts"
import { type RedisFolder, readRecord } from "./redisFolder.ts"

/** Whether a process is a redis-server that works in a folder; one of another user cannot be told, and is none of ours. */
const isServerIn = (pid: string, path: string): boolean => {
  try {
    return (
      readFileSync(`/proc/${pid}/comm`, "latin1").trim() === "redis-server" &&
      readlinkSync(`/proc/${pid}/cwd`) === path
    )
  } catch {
    return false
  }
}

/** A redis-server that works in the folder, recorded or not. Only Linux tells where a process works. */
const unrecordedServer = (folder: RedisFolder): ProcessRecord | undefined => {
  if (process.platform !== "linux") return undefined
  const path = realpathSync(folder.path)
  const pid = readdirSync("/proc").find((name) => /^\d+$/.test(name) && isServerIn(name, path))
  return pid === undefined ? undefined : processRecord(Number(pid))
}

/**
 * The redis-server of this machine that runs on the folder; undefined if there is none. A process that was killed between the
 * start of its server and the record of it leaves one that no file names, and a second one on the same files would destroy them.
 */
export const serverOf = (folder: RedisFolder): ProcessRecord | undefined => {
  const recorded = readRecord(folder.processFile)
  return recorded !== undefined && isRunning(recorded) ? recorded : unrecordedServer(folder)
}
