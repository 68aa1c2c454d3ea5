import { useState } from "preact/hooks"
import { parseAmount } from "../../../../schema/amountText.ts"
import { formLimits } from "../../../../schema/formLimits.ts"
import type { PixKey } from "../../../../schema/resources/pixKey.ts"
import type { CreateWithdrawal, Withdrawal } from "../../../../schema/resources/withdrawal.ts"
import { useCreation } from "../../api/creation.ts"
import { call } from "../../api/http.ts"
import { useResource } from "../../api/resource.ts"
import { formatAmountInput } from "../../text/amount.ts"
import { explained } from "../../text/failures.ts"
import { formatMoney } from "../../text/format.ts"
import { textsOf } from "../../text/i18n.ts"
import { pixKeyTypeText } from "../../text/pixKeyTypes.ts"
import { Button } from "../../ui/button.tsx"
import { Dialog } from "../../ui/dialog.tsx"
import { Empty } from "../../ui/feedback.tsx"
import { AmountField, Field, Form, Select, textOf } from "../../ui/form.tsx"
import { Shown } from "../../ui/page.tsx"
import { Money } from "../../ui/values.tsx"
import { costOf, withdrawableOf } from "./rules.ts"

const texts = textsOf({
  "pt-BR": {
    title: "Novo saque",
    amount: "Valor que chega à sua conta",
    amountHint: (most: string) => `Até ${most}, já descontada a tarifa.`,
    all: "Sacar tudo",
    key: "Para a chave Pix",
    description: "Descrição",
    fee: "Tarifa",
    total: "Total debitado",
    left: "Saldo depois",
    submit: (amount: string | undefined) => (amount === undefined ? "Sacar" : `Sacar ${amount}`),
    badAmount: "Informe um valor em reais, como 150,00.",
    badDescription: `A descrição tem no máximo ${formLimits.withdrawalDescriptionLengthMax} caracteres, em uma linha.`,
    noKey: "Você ainda não tem uma chave Pix verificada",
    noKeyHint: "Os saques vão para uma chave Pix sua.",
    addKey: "Adicionar chave Pix",
  },
  en: {
    title: "New withdrawal",
    amount: "Amount that arrives at your account",
    amountHint: (most: string) => `Up to ${most}, which leaves room for the fee.`,
    all: "Withdraw all",
    key: "To the Pix key",
    description: "Description",
    fee: "Fee",
    total: "Total debited",
    left: "Balance after",
    submit: (amount: string | undefined) => (amount === undefined ? "Withdraw" : `Withdraw ${amount}`),
    badAmount: "Give an amount in reais, such as 150.00.",
    badDescription: `The description has at most ${formLimits.withdrawalDescriptionLengthMax} characters, on one line.`,
    noKey: "You have no verified Pix key yet",
    noKeyHint: "Withdrawals go to a Pix key of yours.",
    addKey: "Add a Pix key",
  },
})

interface Facts {
  readonly keys: ReadonlyArray<PixKey>
  readonly available: number
  readonly fee: number
}

const readFacts = async (signal: AbortSignal): Promise<Facts> => {
  const [keys, balance, seller] = await Promise.all([
    call("GET /v1/me/pix-keys", { signal }),
    call("GET /v1/me/balance", { signal }),
    call("GET /v1/me/seller", { signal }),
  ])
  return {
    keys: keys.data.filter(({ status }) => status === "verified"),
    available: balance.available,
    fee: seller.settings.withdrawal_fee,
  }
}

/** What a withdrawal costs, while its amount is typed; of no amount there is no total. */
const Cost = ({ amount, of }: { readonly amount: number; readonly of: Facts }) => {
  const { total, left } = costOf(amount, of.fee, of.available)
  const none = amount === 0 ? <span class="muted">—</span> : undefined
  return (
    <dl class="cost" aria-live="polite">
      <div>
        <dt>{texts.value.fee}</dt>
        <dd>
          <Money amount={of.fee} testId="withdrawal-fee" />
        </dd>
      </div>
      <div class="total">
        <dt>{texts.value.total}</dt>
        <dd>{none ?? <Money amount={total} testId="withdrawal-total" />}</dd>
      </div>
      <div>
        <dt>{texts.value.left}</dt>
        <dd>{none ?? <Money amount={left} />}</dd>
      </div>
    </dl>
  )
}

interface FieldsProps {
  readonly of: Facts
  readonly onCreated: (withdrawal: Withdrawal) => void
  readonly onCancel: () => void
}

const Fields = ({ of, onCreated, onCancel }: FieldsProps) => {
  const [typed, setTyped] = useState("")
  const create = useCreation("POST /v1/me/withdrawals")
  const { value } = texts
  const most = withdrawableOf(of.available, of.fee)
  // The service refuses what is no amount, and says so.
  const amount = parseAmount(typed) ?? 0
  return (
    <Form
      submit={value.submit(amount === 0 ? undefined : formatMoney(amount))}
      onCancel={onCancel}
      onSubmit={async (values) => {
        const body: CreateWithdrawal = {
          amount,
          pix_key_id: textOf(values, "pix_key_id"),
          description: textOf(values, "description") || null,
        }
        const words = { amount: value.badAmount, description: value.badDescription }
        onCreated(await explained(words, () => create({ body })))
      }}
    >
      <div class="amount-line">
        <AmountField
          label={value.amount}
          hint={value.amountHint(formatMoney(most))}
          required
          autofocus
          value={typed}
          onText={setTyped}
        />
        <Button kind="quiet" onClick={() => setTyped(formatAmountInput(most))} disabled={most === 0}>
          {value.all}
        </Button>
      </div>
      <Select label={value.key} name="pix_key_id" required data-testid="pix-key-select">
        {of.keys.map((key) => (
          <option key={key.id} value={key.id}>
            {pixKeyTypeText(key.type)} · {key.value}
          </option>
        ))}
      </Select>
      <Field
        label={value.description}
        name="description"
        maxLength={formLimits.withdrawalDescriptionLengthMax}
        autocomplete="off"
      />
      <Cost amount={amount} of={of} />
    </Form>
  )
}

/** The dialog that requests a withdrawal: what it costs stands there before it is sent. */
export const WithdrawalDialog = ({
  onClose,
  onCreated,
  onAddKey,
}: {
  readonly onClose: () => void
  readonly onCreated: (withdrawal: Withdrawal) => void
  readonly onAddKey: () => void
}) => {
  const facts = useResource("withdrawal form", readFacts)
  return (
    <Dialog title={texts.value.title} onClose={onClose}>
      <Shown of={facts}>
        {(of) =>
          of.keys.length === 0 ? (
            <>
              <Empty title={texts.value.noKey}>{texts.value.noKeyHint}</Empty>
              <div class="form-buttons">
                <Button kind="primary" needs="payingOut" onClick={onAddKey}>
                  {texts.value.addKey}
                </Button>
              </div>
            </>
          ) : (
            <Fields of={of} onCreated={onCreated} onCancel={onClose} />
          )
        }
      </Shown>
    </Dialog>
  )
}
