import { CorrenteError } from "../../../../client/src/errors.ts"
import type { SellerProfile, SellerSettings } from "../../../../schema/resources/seller.ts"
import { settings } from "../../../../schema/settings.ts"
import { call } from "../../api/http.ts"
import { textsOf } from "../../text/i18n.ts"
import { Checkbox, Field, Form, textOf } from "../../ui/form.tsx"
import { notify } from "../../ui/notice.tsx"
import { Card } from "../../ui/page.tsx"
import type { Act } from "./acts.tsx"
import { flagSettings, numberSettings, settingInput, settingsChange } from "./settingsForm.ts"
import { numberText, settingName, settingText } from "./settingTexts.ts"

const texts = textsOf({
  "pt-BR": {
    title: "Tarifas e limites",
    save: "Revisar mudanças",
    confirm: "Mudar",
    unchanged: "Nada mudou.",
    changed: "Tarifas e limites atualizados.",
    when: "Vale para novas cobranças e novos saques, em até um segundo. O que já existe mantém a tarifa que tinha.",
    invalid: (name: string, max: string) => `${name}: informe um número de 0 a ${max}.`,
  },
  en: {
    title: "Fees and limits",
    save: "Review changes",
    confirm: "Change",
    unchanged: "Nothing has changed.",
    changed: "Fees and limits updated.",
    when: "Applies to new charges and withdrawals within a second. Existing ones keep their fee.",
    invalid: (name: string, max: string) => `${name}: enter a number from 0 to ${max}.`,
  },
})

const changeOf = (seller: SellerProfile, patch: Partial<SellerSettings>): Act => {
  const names = Object.keys(patch) as ReadonlyArray<keyof SellerSettings>
  return {
    title: texts.value.title,
    explanation: (
      <>
        <ul class="changes">
          {names.map((name) => (
            <li key={name}>
              {settingName(name)}: {settingText(name, seller.settings[name])} →{" "}
              <strong>{settingText(name, patch[name] ?? seller.settings[name])}</strong>
            </li>
          ))}
        </ul>
        <p>{texts.value.when}</p>
      </>
    ),
    submit: texts.value.confirm,
    reason: "none",
    perform: () => call("PATCH /v1/admin/sellers/:id/settings", { params: { id: seller.id }, body: patch }),
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
      (name) => values.has(name),
    )
    if (change.kind === "invalid") {
      const { kind, max } = settings[change.name]
      const message = texts.value.invalid(settingName(change.name), numberText(kind, max))
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
                label={settingName(name)}
                name={name}
                required
                inputMode={kind === "whole" ? "numeric" : "decimal"}
                defaultValue={settingInput(kind, seller.settings[name])}
                autocomplete="off"
                data-testid={`setting-${name}`}
              />
            ))}
          </div>
          {flagSettings.map((name) => (
            <Checkbox
              key={name}
              label={settingName(name)}
              name={name}
              defaultChecked={seller.settings[name]}
            />
          ))}
        </Form>
      </div>
    </Card>
  )
}
