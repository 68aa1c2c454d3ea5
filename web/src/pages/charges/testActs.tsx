import { useState } from "preact/hooks"
import type { CorrenteError } from "../../../../client/src/errors.ts"
import type { Transaction } from "../../../../schema/resources/transaction.ts"
import { api } from "../../api/http.ts"
import { failureOf } from "../../api/resource.ts"
import { textsOf } from "../../text/i18n.ts"
import { Button } from "../../ui/button.tsx"
import { FormError } from "../../ui/feedback.tsx"
import { Card } from "../../ui/page.tsx"
import { allowedActs, type TestAct } from "./rules.ts"

const texts = textsOf<{
  readonly title: string
  readonly hint: string
  readonly over: string
  readonly acts: Readonly<Record<TestAct, string>>
}>({
  "pt-BR": {
    title: "Simular",
    hint: "Só no modo de teste: faça agora o que o pagador, o banco ou o tempo fariam.",
    over: "Esta cobrança terminou: não há mais o que simular.",
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
    over: "This charge has ended: there is nothing left to simulate.",
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

/** Buttons for what test mode can make of a charge: those that its state allows. */
export const TestActs = ({ charge, left, onDone }: TestActsProps) => {
  const [error, setError] = useState<CorrenteError>()
  const acts = allowedActs(charge.status, left)
  const perform = async (act: TestAct) => {
    setError(undefined)
    try {
      onDone(await api.post<Transaction>(`/v1/me/test/transactions/${charge.id}/${act}`))
    } catch (cause) {
      setError(failureOf(cause))
    }
  }
  return (
    <Card title={texts.value.title}>
      <p class="muted">{acts.length === 0 ? texts.value.over : texts.value.hint}</p>
      <div class="acts">
        {acts.map((act) => (
          <Button key={act} data-testid="test-act" data-act={act} onClick={() => perform(act)}>
            {texts.value.acts[act]}
          </Button>
        ))}
      </div>
      <FormError error={error} />
    </Card>
  )
}
