import { Effect } from "effect"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import { clientOf } from "../../accounts/clientAddress.ts"
import { KnownDevices } from "../../accounts/sessions/knownDevices.ts"
import { type Asker, strangerAsker, userAsker } from "../../accounts/users/fairWaitingRoom.ts"
import { Users } from "../../accounts/users/users.ts"
import { Settings } from "../../config/settings.ts"
import type { BrowserRequest } from "./browserRequest.ts"
import { trustCookieName } from "./cookies.ts"
import { limitByDevice, limitByEmail, limitsByAddress } from "./guessLimits.ts"
import type { NamedBucket } from "./quota.ts"

/** What is tried under an e-mail address, and how often per minute. */
export interface Guessing {
  /** The name of its rate limit policies. */
  readonly policy: string
  readonly perAddress: number
  readonly perEmail: number
}

/** The caller who tries: its place in the password queue, and the buckets it takes tokens from. */
export interface Guesser {
  readonly asker: Asker
  readonly buckets: ReadonlyArray<NamedBucket>
}

/**
 * Distinguishes known devices from strangers. Strangers share the quotas of their address, its network and the e-mail
 * address. A device its user has signed in from before has a quota of its own, so that strangers cannot lock the
 * owner out; its attempts as a stranger count there too (`docs/accounts.md#known-devices`).
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
    const [trustedDevice] = browser.cookies(trustCookieName)
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
