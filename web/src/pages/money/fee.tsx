import type { Withdrawal } from "../../../../schema/resources/withdrawal.ts"
import { textsOf } from "../../text/i18n.ts"
import { Money } from "../../ui/values.tsx"
import { isFeeCharged } from "./rules.ts"

const texts = textsOf({
  "pt-BR": { notCharged: "Não cobrada" },
  en: { notCharged: "Not charged" },
})

/** What a withdrawal costs; that it costs nothing, once its money is back in the balance. */
export const WithdrawalFee = ({ of: { fee, status } }: { readonly of: Withdrawal }) =>
  isFeeCharged(status) ? <Money amount={fee} /> : <span class="muted">{texts.value.notCharged}</span>
