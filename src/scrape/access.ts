import { createHash, timingSafeEqual } from "node:crypto"
import { BlockList } from "node:net"
import { Redacted } from "effect"
import { ApiError } from "../../schema/errors.ts"
import { clientAddress } from "../http/contract/browserRequest.ts"
import { blockListOf, contains } from "../http/server/addressList.ts"
import type { Incoming } from "../http/server/route.ts"

/** The headers that {@link makeAccess} reads, in their order. */
export const accessHeaderNames = ["x-forwarded-for", "forwarded"] as const

/** Who may scrape. */
export interface AccessRules {
  /** METRICS_TOKEN. */
  readonly token: Redacted.Redacted<string> | undefined
  readonly trustedProxies: ReadonlyArray<string>
}

const loopback = new BlockList()
loopback.addSubnet("127.0.0.0", 8, "ipv4")
loopback.addAddress("::1", "ipv6")

const denied = (message: string) => new ApiError({ code: "permission_denied", message })

const notLocal = () =>
  denied(
    "Metrics are for this machine only. Set METRICS_TOKEN, and send Authorization: Bearer with it, to read them from elsewhere.",
  )
const wrongToken = () => denied("Metrics need Authorization: Bearer with the value of METRICS_TOKEN.")

const digestOf = (text: string) => createHash("sha256").update(text).digest()

/**
 * Makes the check of a scrape (docs/operations.md#metrics): with a token, whoever sends it is let in; without one, this machine.
 * A client behind one of the trusted proxies counts by its own address; one behind any other proxy is never this machine.
 */
export const makeAccess = ({ token, trustedProxies }: AccessRules) => {
  if (token !== undefined) {
    const wanted = digestOf(`Bearer ${Redacted.value(token)}`)
    return ({ authorization = "" }: Pick<Incoming, "authorization">): ApiError | undefined =>
      timingSafeEqual(digestOf(authorization), wanted) ? undefined : wrongToken()
  }
  const proxies = blockListOf(trustedProxies)
  return ({ remoteAddress, headers }: Pick<Incoming, "remoteAddress" | "headers">): ApiError | undefined => {
    const [forwardedFor = "", forwarded = ""] = headers
    const isProxied = forwardedFor !== "" || forwarded !== ""
    const isTold = forwardedFor !== "" && contains(proxies, remoteAddress)
    if (isProxied && !isTold) return notLocal()
    return contains(loopback, clientAddress(remoteAddress, forwardedFor, proxies)) ? undefined : notLocal()
  }
}
