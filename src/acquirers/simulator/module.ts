import { Effect, Redacted } from "effect"
import { Identifiers } from "../../../actors/ports/identifiers.ts"
import type { AcquirerModule } from "../acquirerModule.ts"
import { readNotices } from "../apiPix/notices.ts"
import type { SimulatorSettings } from "./settings.ts"
import { makeSimulator, simulatorSlug } from "./simulator.ts"

export const simulator: AcquirerModule<SimulatorSettings, never> = {
  slug: simulatorSlug,
  make: (settings) => Effect.map(Identifiers, (identifiers) => makeSimulator(settings, identifiers)),
  noticeSource: ({ webhookSecret }) =>
    webhookSecret === undefined
      ? undefined
      : { slug: simulatorSlug, secret: Redacted.value(webhookSecret), read: readNotices },
  warnings: (_, { isLive, isProduction }) =>
    isLive && isProduction
      ? ["ALLOW_SIMULATED_LIVE lets the simulator make up live payments and payouts: no real money moves."]
      : [],
}
