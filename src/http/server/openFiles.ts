import { readFileSync } from "node:fs"
import { limits } from "../../../schema/limits.ts"

/**
 * How many files this process may have open, connections included; infinite if the operating system sets no limit.
 * Node raises its own limit to the allowed maximum when it starts.
 */
export const openFilesMax = (): number => {
  try {
    const text = readFileSync("/proc/self/limits", "latin1")
    const limit = /^Max open files\s+(\S+)/m.exec(text)?.[1]
    return limit === "unlimited" ? Number.POSITIVE_INFINITY : Number(limit)
  } catch {
    // Not Linux. The report contains the limits too; it takes a few milliseconds.
    const report = process.report.getReport() as {
      readonly userLimits?: { readonly open_files?: { readonly soft?: number | "unlimited" } }
    }
    const limit = report.userLimits?.open_files?.soft
    return typeof limit === "number" ? limit : Number.POSITIVE_INFINITY
  }
}

/** How many connections a process accepts. */
export interface ConnectionCaps {
  /** Open at once; the next is answered 503 and closed. */
  readonly total: number
  /** Above this, answers end their connections. */
  readonly crowdedAbove: number
  /** Per client address; the next is answered 503 and closed. */
  readonly perAddress: number
  /** Whether clients on this machine are exempt from `perAddress`. */
  readonly exemptsLoopback: boolean
}

/** Settings and operating system limits that determine the caps. */
export interface ConnectionCapsOptions {
  /** CONNECTIONS_MAX, over all processes; undefined: as many as the open files allow. */
  readonly connectionsMax: number | undefined
  /** CONNECTIONS_PER_ADDRESS_MAX, over all processes; undefined: a share of the total. */
  readonly connectionsPerAddressMax: number | undefined
  readonly processes: number
  readonly openFilesMax: number
}

/** Files reserved for everything else (Redis, receivers, acquirers, logs): at most a third if there are few. */
const reservedFiles = (openFiles: number): number => Math.min(limits.reservedFiles, Math.ceil(openFiles / 3))

/**
 * The caps of one process. A configured total may use the files reserved for deliveries, but never the last {@link
 * limits.reservedFilesMin}: a process that cannot accept connections spins.
 */
export const connectionCapsOf = (options: ConnectionCapsOptions): ConnectionCaps => {
  const { connectionsMax, connectionsPerAddressMax, processes, openFilesMax: files } = options
  const wanted =
    connectionsMax === undefined ? files - reservedFiles(files) : Math.ceil(connectionsMax / processes)
  const possible = files - Math.min(limits.reservedFilesMin, reservedFiles(files))
  const total = Math.max(1, Math.min(wanted, possible, limits.connectionsMax))
  const room = Math.min(Math.floor(total / 4), limits.connectionsRoomMax)
  return {
    total,
    crowdedAbove: total - room,
    perAddress:
      connectionsPerAddressMax === undefined
        ? Math.ceil(total / 4)
        : Math.ceil(connectionsPerAddressMax / processes),
    exemptsLoopback: connectionsPerAddressMax === undefined,
  }
}
