import { LRUCache } from "lru-cache"
import type { Mode } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import { clientOf } from "../../accounts/clientAddress.ts"
import type { Lane, Route } from "./route.ts"

const bearer = "Bearer "

/** Determines from a request's head which queue it joins, and in which lane. */
export class Callers {
  readonly #remotePrefixes: ReadonlyArray<string>
  /** Known sellers by `Authorization` header. */
  readonly #sellers = new LRUCache<string, string>({ max: limits.cachedApiKeysMax })

  /** `remoteModes` are the modes whose acquirer is remote. */
  constructor(remoteModes: ReadonlySet<Mode>) {
    this.#remotePrefixes = [...remoteModes].map((mode) => `${bearer}sk_${mode}_`)
  }

  /** The lane of a request. */
  laneOf(route: Route, authorization: string | undefined): Lane {
    if (!route.asksAcquirer || authorization === undefined) return route.lane
    return this.#remotePrefixes.some((prefix) => authorization.startsWith(prefix)) ? "outside" : route.lane
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
