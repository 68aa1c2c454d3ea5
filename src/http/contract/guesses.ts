import { Effect } from "effect"
import type { StoreUnavailable } from "../../../actors/ports/store.ts"
import { strangerAsker, userAsker } from "../../accounts/askers.ts"
import { clientOf } from "../../accounts/clientAddress.ts"
import { KnownDevices } from "../../accounts/sessions/knownDevices.ts"
import type { Asker } from "../../accounts/users/turns.ts"
import { Users } from "../../accounts/users/users.ts"
import { Settings } from "../../config/settings.ts"
import type { BrowserRequest } from "./browserRequest.ts"
import { trustCookieName } from "./cookies.ts"
import { limitByDevice, limitByEmail, limitsByAddress } from "./guessLimits.ts"
import type { NamedBucket } from "./quota.ts"

/** What is tried under an e-mail address, and how often a minute. */
export interface Guessing {
  /** Its policies' name. */
  readonly policy: string
  readonly perAddress: number
  readonly perEmail: number
}

/** Who tries: whom its password waits with, and what it takes a token of. */
export interface Guesser {
  readonly asker: Asker
  readonly buckets: ReadonlyArray<NamedBucket>
}

/**
 * Tells known devices from strangers. Strangers share the quotas of their address, its network and the e-mail address. A
 * device that its user signed in from before has one of its own, so that no stranger's tries lock the owner out; what
 * it tried while it was a stranger counts there too.
 */
export const makeGuessers = Effect.gen(function* () {
  const users = yield* Users
  const devices = yield* KnownDevices
  const { partitions } = yield* Settings

  return Effect.fnUntraced(function* (
    { policy, perAddress, perEmail }: Guessing,
    email: string,
    browser: BrowserRequest,
  ): Effect.fn.Return<Guesser, StoreUnavailable> {
    const { ipAddress } = browser
    const user = yield* users.findByEmail(email)
    const trustedDevice = browser.cookie(trustCookieName)
    const known = yield* devices.knownAs(user, { ipAddress: ipAddress || undefined, trustedDevice })
    const shown = known === "trustedDevice" ? `cookie ${trustedDevice}` : `address ${clientOf(ipAddress)}`
    const byDevice = limitByDevice(`${policy}-device`, email, shown, perEmail, partitions)
    if (user !== undefined && known !== undefined) return { asker: userAsker(user.id), buckets: [byDevice] }
    return {
      asker: strangerAsker(ipAddress),
      buckets: [
        ...limitsByAddress(`${policy}-address`, ipAddress, perAddress, partitions),
        limitByEmail(policy, email, perEmail, partitions),
        byDevice,
      ],
    }
  })
})
