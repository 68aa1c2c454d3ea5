import type { Mode } from "../../../schema/ids.ts"
import { bearerCredentials } from "../../accounts/apiKeys/apiKeySecret.ts"
import { clientOf } from "../../accounts/clientAddress.ts"
import type { Route, RouteClass } from "./route.ts"

/** Determines from a request's head which queue it joins, and in which class. */
export class Callers {
  /** How the keys begin whose charges wait for a remote acquirer. */
  readonly #remotePrefixes: ReadonlyArray<string>

  /** `remoteModes` are the modes whose acquirer is remote. */
  constructor(remoteModes: ReadonlySet<Mode>) {
    this.#remotePrefixes = [...remoteModes].map((mode) => `sk_${mode}_`)
  }

  /** The class of a request. */
  classOf(route: Route, authorization: string | undefined): RouteClass {
    // Nearly all requests end here, before their header is read.
    if (!route.asksAcquirer || this.#remotePrefixes.length === 0) return route.routeClass
    const key = bearerCredentials(authorization ?? "")
    return this.#remotePrefixes.some((prefix) => key?.startsWith(prefix)) ? "outside" : route.routeClass
  }

  /**
   * The key under which a request queues: its seller, or the client address while the seller is unknown, because
   * anyone can make up keys without end.
   */
  keyOf(route: Route, authorization: string | undefined, address: () => string): string {
    if (authorization === undefined || route.sellerOf === undefined) return clientOf(address())
    return route.sellerOf(authorization) ?? clientOf(address())
  }
}
