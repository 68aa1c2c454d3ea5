import { execFileSync } from "node:child_process"
import type { ApiClient } from "../support/apiClient.ts"

/** A process that serves, as the system lists it. */
export interface ListedWorker {
  readonly pid: number
  /** As its supervisor counts, from 1. */
  readonly number: number
}

const childrenOf = (parentPid: number) =>
  execFileSync("ps", ["-A", "-o", "pid=,ppid=,stat=,args="], { encoding: "utf8" })
    .split("\n")
    .flatMap((line) => {
      const [, pid, parent, state, command = ""] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? []
      const isAlive = Number(parent) === parentPid && state?.startsWith("Z") === false
      return isAlive ? [{ pid: Number(pid), command }] : []
    })

/** Workers that run now and were started by the process, by their number. */
export const workersOf = (supervisorPid: number): ReadonlyArray<ListedWorker> =>
  childrenOf(supervisorPid)
    .flatMap(({ pid, command }) => {
      const number = /processes\/worker\.ts (\d+)$/.exec(command)?.[1]
      return number === undefined ? [] : [{ pid, number: Number(number) }]
    })
    .toSorted((a, b) => a.number - b.number)

/** Workers of every service that this test process started. */
export const workersOfAll = (): ReadonlyArray<ListedWorker> =>
  childrenOf(process.pid).flatMap(({ pid }) => workersOf(pid))

/** Whether the process is there, as ours or as an orphan. */
export const isThere = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** The number of the worker that a client's one connection is at, by its metrics; undefined before its first audit. */
export const workerBehind = async (client: ApiClient): Promise<string | undefined> =>
  /corrente_audit_ok\{.*process="(\d+)"/.exec((await client.get("/metrics")).text)?.[1]
