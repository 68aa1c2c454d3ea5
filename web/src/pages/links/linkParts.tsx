import { formLimits } from "../../../../schema/formLimits.ts"
import type { PaymentLink } from "../../../../schema/resources/paymentLink.ts"
import { formatMoney } from "../../text/format.ts"
import { textsOf } from "../../text/i18n.ts"
import { nowMillis } from "../../text/today.ts"
import { type LinkState, stateOf } from "./rules.ts"

const texts = textsOf({
  "pt-BR": {
    states: { open: "Ativo", off: "Desativado", expired: "Expirado", full: "Sem vagas" },
    free: "Valor livre",
    from: (least: string) => `A partir de ${least}`,
    between: (least: string, most: string) => `De ${least} a ${most}`,
  },
  en: {
    states: { open: "Active", off: "Switched off", expired: "Expired", full: "Full" },
    free: "Any amount",
    from: (least: string) => `From ${least}`,
    between: (least: string, most: string) => `From ${least} to ${most}`,
  },
})

const tones: Readonly<Record<LinkState, string>> = {
  open: "good",
  off: "neutral",
  expired: "neutral",
  full: "waiting",
}

/** Whether a link takes payments, or why not. */
export const LinkStatus = ({ link }: { readonly link: PaymentLink }) => {
  const state = stateOf(link, nowMillis())
  return (
    <span class={`status ${tones[state]}`} data-status={state} data-testid="link-status">
      {texts.value.states[state]}
    </span>
  )
}

/** What a payer of a link pays, in words. */
export const linkAmount = ({ amount, amount_min, amount_max }: PaymentLink): string => {
  if (amount !== null) return formatMoney(amount)
  const least = formatMoney(amount_min ?? 0)
  if ((amount_max ?? 0) >= formLimits.amountMax) {
    return amount_min === formLimits.amountMin ? texts.value.free : texts.value.from(least)
  }
  return texts.value.between(least, formatMoney(amount_max ?? 0))
}
