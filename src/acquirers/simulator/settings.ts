import type { Redacted } from "effect"
import * as kind from "../../env/settingKinds.ts"
import type { ReadAcquirerSettings } from "../acquirerModule.ts"
import type { SimulatorOptions } from "./simulator.ts"

/** Settings of the simulator (docs/partner.md#settings-of-the-simulator). */
export interface SimulatorSettings extends SimulatorOptions {
  /** Signs the simulator's notices; undefined: none are accepted. */
  readonly webhookSecret: Redacted.Redacted<string> | undefined
}

/** The simulator always serves test mode; in production, live mode needs a second setting that allows it. */
export const readSimulatorSettings: ReadAcquirerSettings<SimulatorSettings> = (reader, { isProduction }) => {
  const allows = reader.value(
    "ALLOW_SIMULATED_LIVE",
    kind.oneOf("yes", "no"),
    "no",
    "Correct it, or leave it out for the default (no).",
  )
  if (isProduction && reader.textOf("LIVE_ACQUIRER") === "simulator" && allows === "no") {
    reader.refuse(
      "LIVE_ACQUIRER is simulator, which invents live payments and payouts, and production refuses that. Name a real " +
        "acquirer; or set ALLOW_SIMULATED_LIVE=yes if no real money is involved, as in a demonstration.",
    )
  }
  return {
    delayMillis: reader.value(
      "SIMULATOR_DELAY_MS",
      kind.wholeNumber(0, 86_400_000),
      3_000,
      "Correct it, or leave it out for the default (3000).",
    ),
    chargeLatencyMillis: reader.value(
      "SIMULATOR_CHARGE_LATENCY_MS",
      kind.wholeNumber(0, 60_000),
      0,
      "Correct it, or leave it out for the default (0).",
    ),
    // The location in a BR Code has 77 characters; `/qr/v2/` and 32 hex digits take 39 of them.
    locationHost: reader.value(
      "PIX_LOCATION_HOST",
      kind.hostName(38),
      "pix.corrente.test",
      "Correct it, or leave it out for the default (pix.corrente.test).",
    ),
    hasManualPayouts:
      reader.value(
        "SIMULATOR_PAYOUTS",
        kind.oneOf("api", "manual"),
        "api",
        "Correct it, or leave it out for the default (api).",
      ) === "manual",
    webhookSecret: reader.secret(
      "SIMULATOR_WEBHOOK_SECRET",
      kind.plainText(256),
      "Leave it out to accept no notices from the simulator.",
    ),
  }
}
