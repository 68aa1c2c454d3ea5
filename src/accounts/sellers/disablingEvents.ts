import { Clock, Effect, Layer } from "effect"
import { DisablingEvents } from "../../../actors/ports/disablingEvents.ts"
import { SecretOpener } from "../../../actors/ports/secretOpener.ts"
import { SellerStore } from "../../../actors/ports/sellerStore.ts"
import { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import { endpointDisabledEventType } from "../../../schema/events.ts"
import { sellerProfile } from "./sellerProfiles.ts"

/** Events of disabled endpoints, with the profile of their seller as it is now. */
export const DisablingEventsLive = Layer.effect(
  DisablingEvents,
  Effect.gen(function* () {
    const sellers = yield* SellerStore
    const opener = yield* SecretOpener
    return DisablingEvents.of({
      make: Effect.fnUntraced(function* ({ id, sellerId, mode, host }) {
        const seller = yield* sellers.get(sellerId)
        if (seller === undefined) {
          const reason = `no seller ${sellerId}`
          return yield* new StoreUnavailable({ operation: "disable endpoint", reason })
        }
        const profile = sellerProfile(seller, opener, yield* Clock.currentTimeMillis)
        const data = { ...profile, webhook_endpoint: { id, mode, host } }
        return { type: endpointDisabledEventType, data: JSON.stringify(data) }
      }),
    })
  }),
)
