import { useState } from "preact/hooks"
import type { CorrenteError } from "../../../../client/src/errors.ts"
import type { Transaction } from "../../../../schema/resources/transaction.ts"
import { call } from "../../api/http.ts"
import { failureOf } from "../../api/resource.ts"
import { textsOf } from "../../text/i18n.ts"
import { Button } from "../../ui/button.tsx"
import { FormError } from "../../ui/feedback.tsx"
import { allowedActs, type TestAct } from "./rules.ts"

const texts = textsOf<{
  readonly title: string
  readonly hint: string
  readonly acts: Readonly<Record<TestAct, string>>
}>({
  "pt-BR": {
    title: "Simular",
    hint: "Só no modo de teste: faça agora o que o pagador, o banco ou o tempo fariam.",
    acts: {
      pay: "Pagar",
      expire: "Expirar",
      fail: "Fazer falhar",
      refund: "Devolver pelo banco",
      chargeback: "Contestar",
    },
  },
  en: {
    title: "Simulate",
    hint: "In test mode only: do now what the payer, the bank or time would do.",
    acts: {
      pay: "Pay",
      expire: "Expire",
      fail: "Fail",
      refund: "Refund at the bank",
      chargeback: "Charge back",
    },
  },
})

interface TestActsProps {
  readonly charge: Transaction
  /** Centavos that can still go back to the payer. */
  readonly left: number
  readonly onDone: (charge: Transaction) => void
}

/** Buttons for what test mode can make of a charge: those that its state allows. Nothing where it allows none. */
export const TestActs = ({ charge, left, onDone }: TestActsProps) => {
  const [error, setError] = useState<CorrenteError>()
  const acts = allowedActs(charge.status, left)
  const perform = async (act: TestAct) => {
    setError(undefined)
    try {
      onDone(await call(`POST /v1/me/test/transactions/:id/${act}`, { params: { id: charge.id } }))
    } catch (cause) {
      setError(failureOf(cause))
    }
  }
  if (acts.length === 0) return null
  return (
    <section class="test-acts" aria-label={texts.value.title}>
      <strong title={texts.value.hint}>{texts.value.title}</strong>
      <div class="acts">
        {acts.map((act) => (
          <Button
            key={act}
            needs="integrating"
            data-testid="test-act"
            data-act={act}
            onClick={() => perform(act)}
          >
            {texts.value.acts[act]}
          </Button>
        ))}
      </div>
      <FormError error={error} />
    </section>
  )
}
