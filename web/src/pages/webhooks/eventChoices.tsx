import { useState } from "preact/hooks"
import { eventName, familyName } from "../../text/eventNames.ts"
import { language, textsOf } from "../../text/i18n.ts"
import { Button } from "../../ui/button.tsx"
import { Checkbox } from "../../ui/form.tsx"
import {
  type EventTypeInfo,
  type Family,
  familiesOf,
  familyToggled,
  type Preset,
  presetEvents,
  presetOf,
  presets,
  toggled,
} from "./rules.ts"

const texts = textsOf({
  "pt-BR": {
    events: "Eventos",
    payments: "Pagamentos",
    paymentsText: (count: number) =>
      `Cobranças pagas, expiradas, devolvidas e contestadas: ${count} tipos de evento.`,
    all: "Tudo",
    allText: "Todos os eventos, também os que vierem a existir.",
    choose: "Escolher",
    chooseText: "Tipo por tipo.",
    whole: "Marcar todos",
    nothing: "Desmarcar",
  },
  en: {
    events: "Events",
    payments: "Payments",
    paymentsText: (count: number) =>
      `Charges paid, expired, refunded and charged back: ${count} event types.`,
    all: "Everything",
    allText: "All events, those to come too.",
    choose: "Choose",
    chooseText: "Type by type.",
    whole: "Select all",
    nothing: "Clear",
  },
})

interface ChoicesProps {
  readonly chosen: ReadonlyArray<string>
  readonly onChoose: (events: ReadonlyArray<string>) => void
}

const Label = ({ of }: { readonly of: EventTypeInfo }) => (
  <>
    {eventName(of.type)} <small class="second-line">{of.type}</small>
    {language.value === "en" && <small class="second-line">{of.description}</small>}
  </>
)

const FamilyChoices = ({ of, chosen, onChoose }: ChoicesProps & { readonly of: Family }) => {
  const isWhole = of.types.every(({ type }) => chosen.includes(type))
  const name = familyName(of.name)
  return (
    <fieldset class="event-family">
      <legend>{name}</legend>
      <Button
        kind="quiet"
        aria-label={`${isWhole ? texts.value.nothing : texts.value.whole}: ${name}`}
        onClick={() => onChoose(familyToggled(chosen, of, !isWhole))}
      >
        {isWhole ? texts.value.nothing : texts.value.whole}
      </Button>
      {of.types.map((info) => (
        <Checkbox
          key={info.type}
          label={<Label of={info} />}
          data-testid="endpoint-event"
          value={info.type}
          checked={chosen.includes(info.type)}
          onChange={({ currentTarget }) => onChoose(toggled(chosen, info.type, currentTarget.checked))}
        />
      ))}
    </fieldset>
  )
}

const presetHint = (preset: Preset, catalog: ReadonlyArray<EventTypeInfo>): string => {
  const { paymentsText, allText, chooseText } = texts.value
  if (preset === "payments") return paymentsText(presetEvents(preset, catalog).length)
  return preset === "all" ? allText : chooseText
}

/** Chooses the event types of an endpoint: those of payments, all, or one by one. */
export const EventChoices = ({
  catalog,
  chosen,
  onChoose,
}: ChoicesProps & { readonly catalog: ReadonlyArray<EventTypeInfo> }) => {
  const [isChoosing, setChoosing] = useState(chosen.length > 0 && presetOf(chosen, catalog) === "choose")
  const shown = isChoosing ? "choose" : presetOf(chosen, catalog)
  const choosePreset = (preset: Preset) => {
    setChoosing(preset === "choose")
    if (preset !== "choose") onChoose(presetEvents(preset, catalog))
    else if (chosen.includes("*")) onChoose([])
  }
  return (
    <fieldset class="event-choices">
      <legend>{texts.value.events}</legend>
      <div class="event-presets">
        {presets.map((preset) => (
          <label key={preset} class="checkbox">
            <input
              type="radio"
              name="preset"
              data-testid={`endpoint-preset-${preset}`}
              checked={preset === shown}
              onChange={() => choosePreset(preset)}
            />
            <span>
              {texts.value[preset]} <small class="second-line">{presetHint(preset, catalog)}</small>
            </span>
          </label>
        ))}
      </div>
      {shown === "choose" && (
        <div class="event-families">
          {familiesOf(catalog).map((family) => (
            <FamilyChoices key={family.name} of={family} chosen={chosen} onChoose={onChoose} />
          ))}
        </div>
      )}
    </fieldset>
  )
}
