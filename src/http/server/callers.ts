import { LRUCache } from "lru-cache"
import type { Mode } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import { bearerCredentials } from "../../accounts/apiKeys/bearer.ts"
import { clientOf } from "../../accounts/clientAddress.ts"
import type { Lane, Route } from "./route.ts"

/** Determines from a request's head which queue it joins, and in which lane. */
export class Callers {
  /** How the keys begin whose charges wait for a remote acquirer. */
  readonly #remotePrefixes: ReadonlyArray<string>
  /** Known sellers by `Authorization` header. */
  readonly #sellers = new LRUCache<string, string>({ max: limits.cachedApiKeysMax })

  /** `remoteModes` are the modes whose acquirer is remote. */
  constructor(remoteModes: ReadonlySet<Mode>) {
    this.#remotePrefixes = [...remoteModes].map((mode) => `sk_${mode}_`)
  }

  /** The lane of a request. */
  laneOf(route: Route, authorization: string | undefined): Lane {
    // Nearly all requests end here, before their header is read.
    if (!route.asksAcquirer || this.#remotePrefixes.length === 0) return route.lane
    const key = bearerCredentials(authorization ?? "")
    return this.#remotePrefixes.some((prefix) => key?.startsWith(prefix)) ? "outside" : route.lane
  }

  /**
   * The key under which a request queues: its seller, or the client address while the seller is unknown, because
   * anyone can make up keys without end.
   */
  keyOf(route: Route, authorization: string | undefined, address: () => string): string {
    if (authorization === undefined || route.sellerOf === undefined) return clientOf(address())
    const known = this.#sellers.get(authorization)
    if (known !== undefined) return known
    const seller = route.sellerOf(authorization)
    if (seller === undefined) return clientOf(address())
    this.#sellers.set(authorization, seller)
    return seller
  }
}
