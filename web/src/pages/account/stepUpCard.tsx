import { useState } from "preact/hooks"
import { formLimits } from "../../../../schema/formLimits.ts"
import type { StepUpPrefs, User } from "../../../../schema/resources/account.ts"
import { call } from "../../api/http.ts"
import { failureOf, type Resource } from "../../api/resource.ts"
import { failureText } from "../../text/failures.ts"
import { textsOf } from "../../text/i18n.ts"
import { minuteMillis } from "../../text/spans.ts"
import { Checkbox } from "../../ui/form.tsx"
import { notify } from "../../ui/notice.tsx"
import { Card, Shown } from "../../ui/page.tsx"

const minutes = formLimits.stepUpMillis / minuteMillis

const texts = textsOf({
  "pt-BR": {
    title: "Quando pedimos um código",
    always: `Saques, devoluções, chaves Pix e estas preferências pedem um código. Depois de um, o próximo só é pedido após ${minutes} minutos.`,
    webhook: "Pedir também para mudar webhooks e seus segredos",
    account: "Pedir também para chaves de API, nome da loja e identificação",
    off: "Sem a verificação em duas etapas, essas ações não são permitidas.",
    saved: "Preferências salvas.",
    operator: `Tudo o que a operação altera pede um código. Depois de um, o próximo só é pedido após ${minutes} minutos.`,
  },
  en: {
    title: "When we ask for a code",
    always: `Withdrawals, refunds, Pix keys and these preferences ask for a code. After one, the next is asked for ${minutes} minutes later at the soonest.`,
    webhook: "Ask for changes to webhooks and their secrets, too",
    account: "Ask for API keys, the store's name and identification, too",
    off: "Without two-factor authentication these actions are not allowed.",
    saved: "The preferences have been saved.",
    operator: `Every change by operators asks for a code. After one, the next is asked for ${minutes} minutes later at the soonest.`,
  },
})

const names = ["webhook", "account"] as const

interface StepUpCardProps {
  readonly who: User
  readonly prefs: Resource<StepUpPrefs>
}

/** Which changes ask for a second factor; changing that asks for one itself. */
export const StepUpCard = ({ who, prefs }: StepUpCardProps) => {
  // Shown at once, and until the change is saved or refused.
  const [change, setChange] = useState<Partial<StepUpPrefs>>()
  const { value } = texts
  const save = async (wanted: Partial<StepUpPrefs>) => {
    setChange(wanted)
    try {
      prefs.set(await call("PUT /v1/me/security/step-up-prefs", { body: wanted }))
      notify(texts.value.saved)
    } catch (error) {
      notify(failureText(failureOf(error)))
    }
    setChange(undefined)
  }
  return (
    <Card title={value.title}>
      <div class="form">
        <p class="muted">{who.role === "admin" ? value.operator : value.always}</p>
        {!who.twoFactorEnabled && <p>{value.off}</p>}
        {who.twoFactorEnabled && who.role !== "admin" && (
          <Shown of={prefs}>
            {(shown) =>
              names.map((name) => (
                <Checkbox
                  key={name}
                  label={value[name]}
                  checked={change?.[name] ?? shown[name]}
                  disabled={change !== undefined}
                  data-testid={`step-up-${name}`}
                  onChange={(event) => save({ [name]: event.currentTarget.checked })}
                />
              ))
            }
          </Shown>
        )}
      </div>
    </Card>
  )
}
