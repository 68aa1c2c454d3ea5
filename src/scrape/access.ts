import { createHash, timingSafeEqual } from "node:crypto"
import { BlockList } from "node:net"
import { Redacted } from "effect"
import { ApiError } from "../../schema/errors.ts"
import { addressOfEntry } from "../http/contract/forwardedFor.ts"
import { contains } from "../http/server/addressList.ts"
import type { Incoming } from "../http/server/route.ts"

/** Who may scrape. */
export interface AccessRules {
  /** METRICS_TOKEN. */
  readonly token: Redacted.Redacted<string> | undefined
  /** Whether nobody may scrape without a token: one proxy that writes no header would make the world this machine. */
  readonly isProduction: boolean
}

/** What the check reads of a request: all of its headers, as alternating names and values. */
type Scraper = Pick<Incoming, "authorization" | "remoteAddress" | "headers">

const loopback = new BlockList()
loopback.addSubnet("127.0.0.0", 8, "ipv4")
loopback.addAddress("::1", "ipv6")

const denied = (message: string) => new ApiError({ code: "permission_denied", message })

const notLocal = () =>
  denied(
    "Metrics are for this machine only. Set METRICS_TOKEN, and send Authorization: Bearer with it, to read them from elsewhere.",
  )
const needsToken = () =>
  denied("In production metrics need METRICS_TOKEN. Set it, and send Authorization: Bearer with its value.")
const wrongToken = () => denied("Metrics need Authorization: Bearer with the value of METRICS_TOKEN.")

const digestOf = (text: string) => createHash("sha256").update(text).digest()

/** Headers by which a proxy shows itself, whatever their value. */
const showsProxy = (name: string): boolean =>
  name === "via" || name === "forwarded" || name === "x-real-ip" || name.startsWith("x-forwarded-")

/** Whether a request names this machine: a name of another may lead here too (DNS rebinding). */
const isLocalHost = (host: string): boolean =>
  /^localhost(?::\d{1,5})?$/i.test(host) || contains(loopback, addressOfEntry(host))

const isFromHere = ({ remoteAddress, headers }: Scraper): boolean => {
  if (!contains(loopback, remoteAddress)) return false
  let host = ""
  for (let index = 0; index < headers.length; index += 2) {
    const [name = "", value = ""] = headers.slice(index, index + 2)
    if (showsProxy(name)) return false
    if (name === "sec-fetch-site" && value.toLowerCase() === "cross-site") return false
    if (name === "host") host = value
  }
  return isLocalHost(host)
}

/**
 * Makes the check of a scrape (docs/operations.md#metrics): with a token, whoever sends it is let in; without one, nobody in
 * production, and elsewhere a client of this machine that asks this machine by its own name, and through no proxy.
 */
export const makeAccess = ({ token, isProduction }: AccessRules) => {
  if (token !== undefined) {
    const wanted = digestOf(`Bearer ${Redacted.value(token)}`)
    return ({ authorization = "" }: Scraper): ApiError | undefined =>
      timingSafeEqual(digestOf(authorization), wanted) ? undefined : wrongToken()
  }
  return (scraper: Scraper): ApiError | undefined => {
    if (isProduction) return needsToken()
    return isFromHere(scraper) ? undefined : notLocal()
  }
}
