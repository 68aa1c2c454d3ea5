import type { SellerSettings } from "../../../../schema/resources/seller.ts"
import { formatMoney } from "../../text/format.ts"
import { textsOf } from "../../text/i18n.ts"
import { numberSettings, type SettingKind, settingInput } from "./settingsForm.ts"

const texts = textsOf({
  "pt-BR": {
    names: {
      charge_fee_bps: "Taxa por cobrança (%)",
      charge_fee_fixed: "Taxa fixa por cobrança (R$)",
      reserve_bps: "Reserva (% do líquido)",
      reserve_days: "Dias de reserva",
      withdrawal_fee: "Taxa por saque (R$)",
      withdrawal_daily_value: "Limite de saques por dia (R$)",
      withdrawal_daily_count: "Saques por dia",
      withdrawal_auto_approval: "Aprovar saques sozinho, sem operador",
    },
    yes: "sim",
    no: "não",
  },
  en: {
    names: {
      charge_fee_bps: "Fee per charge (%)",
      charge_fee_fixed: "Fixed fee per charge (R$)",
      reserve_bps: "Reserve (% of the net amount)",
      reserve_days: "Days of reserve",
      withdrawal_fee: "Fee per withdrawal (R$)",
      withdrawal_daily_value: "Withdrawals per day (R$)",
      withdrawal_daily_count: "Number of withdrawals per day",
      withdrawal_auto_approval: "Approve withdrawals without an operator",
    },
    yes: "yes",
    no: "no",
  },
})

/** A seller's setting in words. */
export const settingName = (name: keyof SellerSettings): string => texts.value.names[name]

/** A number of a setting as people read it. */
export const numberText = (kind: SettingKind, value: number): string => {
  if (kind === "money") return formatMoney(value)
  return kind === "percent" ? `${settingInput(kind, value)} %` : String(value)
}

/** A setting's value as people read it. */
export const settingText = (name: keyof SellerSettings, value: number | boolean): string => {
  if (typeof value === "boolean") return value ? texts.value.yes : texts.value.no
  return numberText(numberSettings.find((setting) => setting.name === name)?.kind ?? "whole", value)
}

/** Whether a name is that of a setting. */
export const isSetting = (name: string): name is keyof SellerSettings => name in texts.value.names
