import { LRUCache } from "lru-cache"
import type { Mode } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import { clientOf } from "../../accounts/clientAddress.ts"
import type { Lane, Route } from "./route.ts"

const bearer = "Bearer "

/** Tells by a request's head who waits with whom, and where. */
export class Callers {
  readonly #remotePrefixes: ReadonlyArray<string>
  /** Sellers by the header that they were recognised by. */
  readonly #sellers = new LRUCache<string, string>({ max: limits.cachedApiKeysMax })

  /** `remoteModes` are those whose payment partner is remote. */
  constructor(remoteModes: ReadonlySet<Mode>) {
    this.#remotePrefixes = [...remoteModes].map((mode) => `${bearer}sk_${mode}_`)
  }

  /** Where the time of a request goes. */
  laneOf(route: Route, authorization: string | undefined): Lane {
    if (!route.asksPartner || authorization === undefined) return route.lane
    return this.#remotePrefixes.some((prefix) => authorization.startsWith(prefix)) ? "outside" : route.lane
  }

  /**
   * With whom a request takes turns: its seller; where that is not known yet, whoever comes from the same address, as
   * keys that nobody has can be made up without end.
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
