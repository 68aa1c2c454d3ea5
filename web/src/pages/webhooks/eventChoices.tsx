import { eventName } from "../../text/eventNames.ts"
import { language, textsOf } from "../../text/i18n.ts"
import { Button } from "../../ui/button.tsx"
import { Checkbox } from "../../ui/form.tsx"
import { type EventTypeInfo, type Family, familiesOf, familyToggled, toggled } from "./subscriptions.ts"

const texts = textsOf({
  "pt-BR": {
    events: "Eventos",
    all: "Todos os eventos, também os que vierem a existir",
    whole: "Marcar todos",
    nothing: "Desmarcar",
  },
  en: {
    events: "Events",
    all: "All events, those to come too",
    whole: "Select all",
    nothing: "Clear",
  },
})

const families = textsOf<Readonly<Record<string, string>>>({
  "pt-BR": {
    transaction: "Cobranças",
    withdrawal: "Saques",
    refund: "Devoluções",
    exception: "Exceções",
    seller: "Sua conta",
  },
  en: {
    transaction: "Charges",
    withdrawal: "Withdrawals",
    refund: "Refunds",
    exception: "Exceptions",
    seller: "Your account",
  },
})

interface ChoicesProps {
  readonly chosen: ReadonlyArray<string>
  readonly onChoose: (events: ReadonlyArray<string>) => void
}

const Label = ({ of }: { readonly of: EventTypeInfo }) => (
  <>
    {eventName(of.type)} <small class="event-type muted">{of.type}</small>
    {language.value === "en" && <small class="event-type muted">{of.description}</small>}
  </>
)

const FamilyChoices = ({ of, chosen, onChoose }: ChoicesProps & { readonly of: Family }) => {
  const isWhole = of.types.every(({ type }) => chosen.includes(type))
  const name = families.value[of.name] ?? of.name
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

/** Chooses the event types of an endpoint, by family; `*` is all of them. */
export const EventChoices = ({
  catalog,
  chosen,
  onChoose,
}: ChoicesProps & { readonly catalog: ReadonlyArray<EventTypeInfo> }) => (
  <fieldset class="event-choices">
    <legend>{texts.value.events}</legend>
    <Checkbox
      label={
        <>
          <strong>{texts.value.all}</strong> <small class="muted">*</small>
        </>
      }
      data-testid="endpoint-event"
      value="*"
      checked={chosen.includes("*")}
      onChange={({ currentTarget }) => onChoose(toggled(chosen, "*", currentTarget.checked))}
    />
    {familiesOf(catalog).map((family) => (
      <FamilyChoices key={family.name} of={family} chosen={chosen} onChoose={onChoose} />
    ))}
  </fieldset>
)
