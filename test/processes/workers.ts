import { execFileSync } from "node:child_process"
import type { ApiClient } from "../support/apiClient.ts"

/** A worker, as the system lists its process. */
export interface ListedWorker {
  readonly pid: number
  /** Its number, which the supervisor counts from 1. */
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

/** The workers of a supervisor that run now, by their number. */
export const workersOf = (supervisorPid: number): ReadonlyArray<ListedWorker> =>
  childrenOf(supervisorPid)
    .flatMap(({ pid, command }) => {
      const number = /\/worker\.mjs (\d+)$/.exec(command)?.[1]
      return number === undefined ? [] : [{ pid, number: Number(number) }]
    })
    .toSorted((a, b) => a.number - b.number)

/** Workers of every service that this test process started. */
export const workersOfAll = (): ReadonlyArray<ListedWorker> =>
  childrenOf(process.pid).flatMap(({ pid }) => workersOf(pid))

/** Whether the process runs, as our child or as an orphan. */
export const isThere = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** The number of the worker that has a client's only connection, by its metrics; undefined where it does not say. */
export const workerBehind = async (client: ApiClient): Promise<string | undefined> =>
  /^corrente_scrape_process (\d+)$/m.exec((await client.get("/metrics")).text)?.[1]
