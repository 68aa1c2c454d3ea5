import { renderError, serviceUnavailable } from "../../../schema/errors.ts"
import { limits } from "../../../schema/limits.ts"
import { clientOf } from "../../accounts/clientAddress.ts"
import { errorHeaders } from "../contract/failure.ts"
import { remoteAddressText } from "./address.ts"
import { blockListOf, contains } from "./addressList.ts"
import { writeAnswer } from "./answer.ts"
import type { Front } from "./front.ts"
import type { ConnectionCaps } from "./openFiles.ts"
import { deadEnd } from "./router.ts"
import type { HttpResponse, TemplatedApp } from "./uws.ts"

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
  readonly #front: Front
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

  constructor(front: Front, caps: ConnectionCaps, options: ConnectionsOptions) {
    this.#front = front
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
    if (this.#open > this.#caps.total || this.#isOverItsShare(res)) this.#refuse(res)
    else this.#front.isCrowded = this.#open > this.#caps.crowdedAbove
  }

  #closed(): void {
    this.#open--
    if (this.#isRefusing) return
    this.#closedSinceCount++
    if (this.#closedWhileCounting !== undefined) this.#closedWhileCounting++
    this.#front.isCrowded = this.#open > this.#caps.crowdedAbove
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
    if (contains(this.#exempt, address)) return false
    const client = clientOf(address)
    const openedBefore = this.#openedBy.get(client) ?? 0
    if (openedBefore - this.#closedSinceCount >= perAddress) return true
    this.#openedBy.set(client, openedBefore + 1)
    // At half the share, so that the count arrives before the share is used up.
    if (openedBefore >= perAddress / 2 && this.#closedSinceCount > 0) this.#countAgain()
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
    const requestId = this.#front.requestIds.of("")
    const { standing } = this.#front
    const asked = {
      requestId,
      route: deadEnd,
      headOnly: false,
      asksToClose: false,
      cors: undefined,
      standing,
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
