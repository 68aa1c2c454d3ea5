// The settings of a seller (`docs/contract/sellers.md#settings`). Pages load them, so this file loads no package.
import { formLimits } from "./formLimits.ts"
import type { Words } from "./words.ts"

interface Facts {
  readonly description: string
  /** As operators read it in pages. */
  readonly name: Words
}

/** A number from 0 to `max`: centavos, hundredths of a percent, or a count. */
interface NumberFacts extends Facts {
  readonly kind: "money" | "percent" | "whole"
  readonly max: number
  readonly default: number
}

interface FlagFacts extends Facts {
  readonly kind: "flag"
  readonly default: boolean
}

/** Every setting, in the order of the wire and of the form; `default` is a new seller's. */
export const settings = {
  charge_fee_bps: {
    kind: "percent",
    max: formLimits.basisPointsMax,
    default: 0,
    description: "Hundredths of a percent of a charge's amount.",
    name: { "pt-BR": "Tarifa por cobrança (%)", en: "Fee per charge (%)" },
  },
  charge_fee_fixed: {
    kind: "money",
    max: formLimits.amountMax,
    default: 0,
    description: "Centavos per charge.",
    name: { "pt-BR": "Tarifa fixa por cobrança (R$)", en: "Fixed fee per charge (R$)" },
  },
  reserve_bps: {
    kind: "percent",
    max: formLimits.basisPointsMax,
    default: 0,
    description: "Hundredths of a percent of a charge's net amount.",
    name: { "pt-BR": "Reserva (% do líquido)", en: "Reserve (% of the net amount)" },
  },
  reserve_days: {
    kind: "whole",
    max: formLimits.reserveDaysMax,
    default: 0,
    description: "Days that a paid charge's reserve is held.",
    name: { "pt-BR": "Dias de reserva", en: "Days of reserve" },
  },
  withdrawal_fee: {
    kind: "money",
    max: formLimits.amountMax,
    default: 100,
    description: "Centavos per withdrawal.",
    name: { "pt-BR": "Tarifa por saque (R$)", en: "Fee per withdrawal (R$)" },
  },
  withdrawal_daily_value: {
    kind: "money",
    max: formLimits.amountMax,
    default: 5_000_000,
    description: "Centavos per day.",
    name: { "pt-BR": "Limite de saques por dia (R$)", en: "Withdrawals per day (R$)" },
  },
  withdrawal_daily_count: {
    kind: "whole",
    max: formLimits.withdrawalsPerDayMax,
    default: 20,
    description: "Withdrawals per day.",
    name: { "pt-BR": "Saques por dia", en: "Number of withdrawals per day" },
  },
  withdrawal_auto_approval: {
    kind: "flag",
    default: false,
    description: "Whether withdrawals are approved without an operator.",
    name: {
      "pt-BR": "Aprovar saques sozinho, sem operador",
      en: "Approve withdrawals without an operator",
    },
  },
} as const satisfies Readonly<Record<string, NumberFacts | FlagFacts>>

type Settings = typeof settings
export type SettingName = keyof Settings

/** The settings that are true or false. */
export type FlagName = {
  [Name in SettingName]: Settings[Name]["kind"] extends "flag" ? Name : never
}[SettingName]
export type NumberName = Exclude<SettingName, FlagName>
