import { formLimits } from "../../../../schema/formLimits.ts"
import type { Exception, ExceptionAct } from "../../../../schema/resources/exception.ts"
import { call } from "../../api/http.ts"
import { formatMoney } from "../../text/format.ts"
import { Checkbox, Field, textOf } from "../../ui/form.tsx"
import type { Act } from "./acts.tsx"
import { exceptionPageTexts as texts } from "./exceptionPageTexts.ts"
import { exceptionTexts } from "./exceptionTexts.ts"

/** Asks which seller gets the money. */
export const SellerField = () => (
  <Field
    label={texts.value.sellerId}
    name="seller_id"
    required
    placeholder="sel_…"
    autocomplete="off"
    data-testid="seller-id-input"
  />
)

/** The act of an operator on an exception, as its dialog asks for it. */
export const actOn = (exception: Exception, act: ExceptionAct): Act => {
  const { id, amount, kind, seller_id } = exception
  const text = exceptionTexts.value.acts[act]
  const needsSeller = act === "credit" && kind === "payment_unknown" && seller_id === null
  const isBankAsked = act !== "dismiss" && (kind === "payout_stuck" || kind === "refund_stuck")
  return {
    title: text.name,
    explanation: <p>{text.consequence(formatMoney(amount))}</p>,
    submit: text.name,
    isDanger: act === "fail" || act === "debit",
    reason: "required",
    reasonHint: texts.value.reasonHint,
    reasonLengthMax: formLimits.exceptionReasonLengthMax,
    fields: needsSeller ? (
      <SellerField />
    ) : isBankAsked ? (
      <Checkbox label={texts.value.withoutBank} name="without_bank" data-testid="without-bank-checkbox" />
    ) : undefined,
    perform: ({ reason = "" }, values) =>
      call("POST /v1/admin/exceptions/:id/resolve", {
        params: { id },
        body: {
          ...{ act, reason },
          ...(needsSeller ? { seller_id: textOf(values, "seller_id") } : {}),
          ...(values.get("without_bank") === null ? {} : { without_bank: true }),
        },
      }),
    isDecision: true,
    done: text.done,
  }
}
