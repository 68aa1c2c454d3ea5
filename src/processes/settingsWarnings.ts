import { Effect } from "effect"
import { acquirerWarnings } from "../acquirers/acquirersLive.ts"
import type { SettingsShape } from "../config/settingsShape.ts"

/** Warns about settings that are unusual in production. */
export const warnAboutSettings = (settings: SettingsShape) =>
  Effect.gen(function* () {
    if (settings.webhookAllowDestinations.length > 0) {
      yield* Effect.logWarning(
        `WEBHOOK_ALLOW_DESTINATIONS exempts ${settings.webhookAllowDestinations.join(", ")} from the destination rules: for development and tests only.`,
      )
    }
    const isProduction = settings.environment === "production"
    for (const warning of acquirerWarnings(settings.liveAcquirer, settings.acquirers, isProduction)) {
      yield* Effect.logWarning(warning)
    }
    if (settings.faultPoint !== undefined) {
      const { moment, call } = settings.faultPoint
      yield* Effect.logWarning(`FAULT_POINT makes this process die ${moment} ${call}: for tests only.`)
    }
    if (settings.webhookCaFile !== undefined) {
      yield* Effect.logWarning(
        `WEBHOOK_CA_FILE makes webhook deliveries trust the authorities of ${settings.webhookCaFile}: for development and tests only.`,
      )
    }
  })
