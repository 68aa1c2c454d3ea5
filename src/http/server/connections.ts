import { readFileSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { endianness } from "node:os"
import { renderError, serviceUnavailable } from "../../../schema/errors.ts"
import { limits } from "../../../schema/limits.ts"
import { clientOf } from "../../accounts/clientAddress.ts"
import { errorHeaders } from "../contract/failure.ts"
import { blockListOf, contains, remoteAddressText } from "./addressList.ts"
import { writeAnswer } from "./answer.ts"
import { deadEnd } from "./router.ts"
import type { ServerState } from "./serverState.ts"
import type { HttpResponse, TemplatedApp } from "./uws.ts"

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

/** States in which a process has a socket open: established, and closed by the other side only. */
const openStates = new Set(["01", "08"])

/** Decodes an address of the table: words in the machine's byte order. */
const bytesOf = (hex: string): ArrayBuffer => {
  const bytes = Buffer.from(hex, "hex")
  if (endianness() === "LE") bytes.swap32()
  return new Uint8Array(bytes).buffer
}

/**
 * The remote addresses, as 4 or 16 bytes, of the open connections on a local port. `table` is the text of
 * `/proc/net/tcp` or `/proc/net/tcp6`.
 */
export const remoteAddressesOf = (table: string, localPort: number): ReadonlyArray<ArrayBuffer> => {
  const port = localPort.toString(16).toUpperCase().padStart(4, "0")
  const lines = new RegExp(
    `^ *\\d+: [0-9A-F]+:${port} ([0-9A-F]{8}|[0-9A-F]{32}):[0-9A-F]{4} ([0-9A-F]{2}) `,
    "gm",
  )
  const addresses: Array<ArrayBuffer> = []
  for (const [, address = "", state = ""] of table.matchAll(lines)) {
    if (openStates.has(state)) addresses.push(bytesOf(address))
  }
  return addresses
}

/** Asks the operating system who is connected to a local port; undefined if it does not tell (not Linux). */
export const readRemoteAddresses = async (
  localPort: number,
): Promise<ReadonlyArray<ArrayBuffer> | undefined> => {
  const tables = await Promise.all(
    ["/proc/net/tcp", "/proc/net/tcp6"].map((path) => readFile(path, "latin1").catch(() => undefined)),
  )
  if (tables[0] === undefined) return undefined
  return tables.flatMap((table) => (table === undefined ? [] : remoteAddressesOf(table, localPort)))
}

const tooManyConnections = serviceUnavailable(
  "Too many connections are open. Try again in a moment, and close connections you no longer use.",
)

const loopback = ["127.0.0.0/8", "::1"]

/** What {@link Connections} needs besides its caps. */
export interface ConnectionsOptions {
  /**
   * TRUSTED_PROXIES: addresses and ranges whose connections belong to many clients. They count towards the total
   * only.
   */
  readonly trustedProxies: ReadonlyArray<string>
  /** How many processes listen on the port: they share the connections that the operating system reports. */
  readonly processes: number
  /** The remote addresses of the port's open connections; undefined if the operating system does not tell. */
  readonly readRemoteAddresses: () => Promise<ReadonlyArray<ArrayBuffer> | undefined>
  /** Called with the number of refusals: at the first one, then at most once a minute. */
  readonly onRefused: (count: number) => void
}

/**
 * Counts connections as they open and close, and answers those above the caps with 503.
 *
 * uWebSockets.js reports that a connection closed, but not which one: its address is gone by then. So a client
 * certainly holds only the connections it opened since the last count, minus all that closed since, whoever they
 * belonged to. Nobody is refused for connections of others. When that is too little to decide, the operating system
 * is asked who is connected, and counting restarts from its answer.
 */
export class Connections {
  readonly #state: ServerState
  readonly #caps: ConnectionCaps
  readonly #options: ConnectionsOptions
  readonly #exempt: ReturnType<typeof blockListOf>
  #open = 0
  #isRefusing = false
  readonly #openedBy = new Map<string, number>()
  #closedSinceCount = 0
  /** Connections closed since the operating system was asked; undefined while it is not being asked. */
  #closedWhileCounting: number | undefined = undefined
  #countsAgainAtMillis = 0
  #refused = 0
  #reportsAgainAtMillis = 0

  constructor(state: ServerState, caps: ConnectionCaps, options: ConnectionsOptions) {
    this.#state = state
    this.#caps = caps
    this.#options = options
    this.#exempt = blockListOf([...options.trustedProxies, ...(caps.exemptsLoopback ? loopback : [])])
  }

  /** Watches the connections of an app; must be called before it listens. */
  watch(app: TemplatedApp): void {
    const changed = (res: HttpResponse, change: unknown): void => {
      if (change === 1) this.#opened(res)
      else this.#closed()
    }
    app.filter(changed)
  }

  #opened(res: HttpResponse): void {
    this.#open++
    this.#state.connectionsAre(this.#open)
    if (this.#open > this.#caps.total || this.#isOverItsShare(res)) this.#refuse(res)
    else this.#state.isCrowded = this.#open > this.#caps.crowdedAbove
  }

  #closed(): void {
    this.#open--
    this.#state.connectionsAre(this.#open)
    if (this.#isRefusing) return
    this.#closedSinceCount++
    if (this.#closedWhileCounting !== undefined) this.#closedWhileCounting++
    this.#state.isCrowded = this.#open > this.#caps.crowdedAbove
    if (this.#open === 0) this.#beginAnew()
  }

  #beginAnew(): void {
    this.#openedBy.clear()
    this.#closedSinceCount = 0
  }

  #isOverItsShare(res: HttpResponse): boolean {
    const { perAddress, total } = this.#caps
    if (perAddress >= total) return false
    const address = remoteAddressText(res.getRemoteAddress())
    const client = clientOf(address)
    const openedBefore = this.#openedBy.get(client) ?? 0
    const hasMany = openedBefore >= perAddress / 2
    // Looking an address up in the list takes longer than all the rest, so only of those who have many.
    if (hasMany && contains(this.#exempt, address)) return false
    if (openedBefore - this.#closedSinceCount >= perAddress) return true
    this.#openedBy.set(client, openedBefore + 1)
    // At half the share, so that the count arrives before the share is used up.
    if (hasMany && this.#closedSinceCount > 0) this.#countAgain()
    else if (this.#openedBy.size > total) this.#countAgain()
    return false
  }

  /**
   * Asks the operating system who is connected. Connections opened meanwhile may be missing from its answer; closed
   * ones are subtracted.
   */
  #countAgain(): void {
    const nowMillis = performance.now()
    if (this.#closedWhileCounting !== undefined || nowMillis < this.#countsAgainAtMillis) return
    this.#closedWhileCounting = 0
    void this.#options.readRemoteAddresses().then((addresses) => {
      const endMillis = performance.now()
      // Reading takes milliseconds for thousands of connections: spend at most a fifth of the time on it.
      const pauseMillis = Math.max(limits.connectionCountMillisMin, 4 * (endMillis - nowMillis))
      this.#countsAgainAtMillis = endMillis + pauseMillis
      if (addresses !== undefined) this.#takeCount(addresses)
      else if (this.#openedBy.size > this.#caps.total) this.#beginAnew()
      this.#closedWhileCounting = undefined
    })
  }

  #takeCount(addresses: ReadonlyArray<ArrayBuffer>): void {
    this.#beginAnew()
    this.#closedSinceCount = this.#closedWhileCounting ?? 0
    for (const address of addresses) {
      const client = clientOf(remoteAddressText(address))
      this.#openedBy.set(client, (this.#openedBy.get(client) ?? 0) + 1)
    }
    for (const [client, count] of this.#openedBy) {
      this.#openedBy.set(client, Math.ceil(count / this.#options.processes))
    }
  }

  #refuse(res: HttpResponse): void {
    const requestId = this.#state.requestIds.of("")
    const { defaultHeaders } = this.#state
    const asked = {
      requestId,
      route: deadEnd,
      headOnly: false,
      asksToClose: false,
      cors: undefined,
      defaultHeaders,
    }
    // The socket closes, and `closed` runs, before this returns.
    this.#isRefusing = true
    writeAnswer(res, asked, true, {
      status: tooManyConnections.status,
      contentType: "application/json",
      body: renderError(tooManyConnections, requestId),
      headers: errorHeaders(tooManyConnections),
    })
    this.#isRefusing = false
    this.#report()
  }

  #report(): void {
    this.#refused++
    const nowMillis = performance.now()
    if (nowMillis < this.#reportsAgainAtMillis) return
    this.#reportsAgainAtMillis = nowMillis + limits.connectionReportMillis
    this.#options.onRefused(this.#refused)
    this.#refused = 0
  }
}
