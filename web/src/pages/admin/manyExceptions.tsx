import { formLimits } from "../../../../schema/formLimits.ts"
import { actsOfKind, type ExceptionAct, type ExceptionKind } from "../../../../schema/names.ts"
import { call } from "../../api/http.ts"
import { textsOf } from "../../text/i18n.ts"
import { Button } from "../../ui/button.tsx"
import { textOf } from "../../ui/form.tsx"
import { Card } from "../../ui/page.tsx"
import { type Act, useAct } from "./acts.tsx"
import { SellerField } from "./exceptionAct.tsx"
import { exceptionPageTexts } from "./exceptionPageTexts.ts"
import { exceptionTexts, kindText } from "./exceptionTexts.ts"

const texts = textsOf({
  "pt-BR": {
    title: "Resolver todas deste tipo",
    scope: `As exceções abertas deste tipo, registradas até agora: as ${formLimits.exceptionsPerCallMax} mais novas de cada vez.`,
    consequence: (act: string, kind: string) =>
      `"${act}" em todas as exceções abertas do tipo "${kind}" registradas até agora, até ${formLimits.exceptionsPerCallMax}. Cada uma é resolvida como se fosse a única.`,
    done: "Pronto. As que não puderam ser resolvidas continuam abertas na lista.",
  },
  en: {
    title: "Resolve all of this kind",
    scope: `The open exceptions of this kind recorded until now: the newest ${formLimits.exceptionsPerCallMax} at a time.`,
    consequence: (act: string, kind: string) =>
      `"${act}" for all open exceptions of the kind "${kind}" recorded until now, up to ${formLimits.exceptionsPerCallMax}. Each is resolved as by itself.`,
    done: "Done. Those that could not be resolved stay open in the list.",
  },
})

const actOnAll = (kind: ExceptionKind, act: ExceptionAct): Act => {
  const { name } = exceptionTexts.value.acts[act]
  const needsSeller = act === "credit" && kind === "payment_unknown"
  // What is recorded while the dialog is open is left out: nobody has seen it.
  const createdBefore = new Date().toISOString()
  return {
    title: name,
    explanation: <p>{texts.value.consequence(name, kindText(kind))}</p>,
    submit: name,
    isDanger: act !== "dismiss",
    reason: "required",
    reasonHint: exceptionPageTexts.value.reasonHint,
    reasonLengthMax: formLimits.exceptionReasonLengthMax,
    fields: needsSeller ? <SellerField /> : undefined,
    perform: ({ reason = "" }, values) =>
      call("POST /v1/admin/exceptions/resolve", {
        body: {
          ...{ kind, created_before: createdBefore, act, reason },
          ...(needsSeller ? { seller_id: textOf(values, "seller_id") } : {}),
        },
      }),
    done: texts.value.done,
  }
}

/** The acts on all open exceptions of a kind. */
export const ManyExceptions = ({
  kind,
  onDone,
}: {
  readonly kind: ExceptionKind
  readonly onDone: () => unknown
}) => {
  const { ask, dialog } = useAct(onDone)
  return (
    <Card title={texts.value.title}>
      <p class="muted">{texts.value.scope}</p>
      <div class="form-buttons">
        {actsOfKind[kind].map((act) => (
          <Button
            key={act}
            data-testid="exceptions-act"
            data-act={act}
            kind="plain"
            onClick={() => ask(actOnAll(kind, act))}
          >
            {exceptionTexts.value.acts[act].name}
          </Button>
        ))}
      </div>
      {dialog}
    </Card>
  )
}
