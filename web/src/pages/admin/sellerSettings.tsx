import { CorrenteError } from "../../../../client/src/errors.ts"
import type { SellerProfile, SellerSettings } from "../../../../schema/resources/seller.ts"
import { api } from "../../api/http.ts"
import { formatMoney } from "../../text/format.ts"
import { textsOf } from "../../text/i18n.ts"
import { notify } from "../../ui/feedback.tsx"
import { Checkbox, Field, Form, textOf } from "../../ui/form.tsx"
import { Card } from "../../ui/page.tsx"
import type { Act } from "./acts.tsx"
import { numberSettings, type SettingKind, settingInput, settingsChange } from "./settingsForm.ts"

const texts = textsOf({
  "pt-BR": {
    title: "Taxas e limites",
    save: "Revisar mudanças",
    confirm: "Mudar",
    unchanged: "Nada mudou.",
    changed: "Taxas e limites atualizados.",
    when: "Vale para novas cobranças e novos saques, em até um segundo. O que já existe mantém a taxa que tinha.",
    invalid: (name: string, max: string) => `${name}: informe um número de 0 a ${max}.`,
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
    title: "Fees and limits",
    save: "Review changes",
    confirm: "Change",
    unchanged: "Nothing has changed.",
    changed: "Fees and limits updated.",
    when: "Applies to new charges and withdrawals within a second. Existing ones keep their fee.",
    invalid: (name: string, max: string) => `${name}: enter a number from 0 to ${max}.`,
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

const shownNumber = (kind: SettingKind, value: number): string => {
  if (kind === "money") return formatMoney(value)
  return kind === "percent" ? `${settingInput(kind, value)} %` : String(value)
}

const shown = (name: keyof SellerSettings, value: number | boolean): string => {
  if (typeof value === "boolean") return value ? texts.value.yes : texts.value.no
  return shownNumber(numberSettings.find((setting) => setting.name === name)?.kind ?? "whole", value)
}

const changeOf = (seller: SellerProfile, patch: Partial<SellerSettings>): Act => {
  const names = Object.keys(patch) as ReadonlyArray<keyof SellerSettings>
  return {
    title: texts.value.title,
    explanation: (
      <>
        <ul class="changes">
          {names.map((name) => (
            <li key={name}>
              {texts.value.names[name]}: {shown(name, seller.settings[name])} →{" "}
              <strong>{shown(name, patch[name] ?? seller.settings[name])}</strong>
            </li>
          ))}
        </ul>
        <p>{texts.value.when}</p>
      </>
    ),
    submit: texts.value.confirm,
    reason: "none",
    perform: () => api.patch(`/v1/admin/sellers/${seller.id}/settings`, patch),
    done: texts.value.changed,
  }
}

/** A form of a seller's fees and limits; what changes is confirmed before it is sent. */
export const SettingsCard = ({
  seller,
  ask,
}: {
  readonly seller: SellerProfile
  readonly ask: (act: Act) => void
}) => {
  const review = async (values: FormData) => {
    const change = settingsChange(
      seller.settings,
      (name) => textOf(values, name),
      values.get("withdrawal_auto_approval") !== null,
    )
    if (change.kind === "invalid") {
      const { kind, max } = numberSettings.find(({ name }) => name === change.name) ?? {
        kind: "whole",
        max: 0,
      }
      const message = texts.value.invalid(texts.value.names[change.name], shownNumber(kind, max))
      throw new CorrenteError({ code: "validation_failed", message })
    }
    if (Object.keys(change.patch).length === 0) notify(texts.value.unchanged)
    else ask(changeOf(seller, change.patch))
  }
  return (
    <Card title={texts.value.title}>
      {/* Another seller, or other settings, are another form: its fields begin with what is in force. */}
      <div key={JSON.stringify([seller.id, seller.settings])} data-testid="settings">
        <Form submit={texts.value.save} onSubmit={review}>
          <div class="settings-fields">
            {numberSettings.map(({ name, kind }) => (
              <Field
                key={name}
                label={texts.value.names[name]}
                name={name}
                required
                inputMode={kind === "whole" ? "numeric" : "decimal"}
                defaultValue={settingInput(kind, seller.settings[name])}
                autocomplete="off"
                data-testid={`setting-${name}`}
              />
            ))}
          </div>
          <Checkbox
            label={texts.value.names.withdrawal_auto_approval}
            name="withdrawal_auto_approval"
            defaultChecked={seller.settings.withdrawal_auto_approval}
          />
        </Form>
      </div>
    </Card>
  )
}
