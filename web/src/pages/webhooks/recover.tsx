import { useState } from "preact/hooks"
import { refusal } from "../../api/creation.ts"
import { api } from "../../api/http.ts"
import { formatCount } from "../../text/format.ts"
import { textsOf } from "../../text/i18n.ts"
import { Dialog } from "../../ui/dialog.tsx"
import { notify } from "../../ui/feedback.tsx"
import { Checkbox, Form, textOf } from "../../ui/form.tsx"
import { endpointPath } from "./endpointFacts.ts"
import { LocalMoment, localText } from "./localMoment.tsx"

const texts = textsOf({
  "pt-BR": {
    title: "Recuperar entregas",
    what: "Envia de novo, uma vez, cada entrega que falhou ou se esgotou e teve uma tentativa neste período.",
    since: "Desde",
    until: "Até",
    untilHint: "Vazio é até agora.",
    missed: "Incluir o que foi perdido enquanto o endpoint estava desativado",
    submit: "Recuperar",
    zone: "Horários do seu computador.",
    bad: "Informe desde quando.",
    reversed: "O início precisa vir antes do fim.",
    done: (queued: string) => `Entregas na fila de envio: ${queued}.`,
    doneMissed: (queued: string, missed: string) =>
      `Entregas na fila de envio: ${queued}. Eventos perdidos que serão enviados: ${missed}.`,
  },
  en: {
    title: "Recover deliveries",
    what: "Sends again, once, each delivery that has failed or is dead and was tried in this period.",
    since: "Since",
    until: "Until",
    untilHint: "Empty is until now.",
    missed: "Include what was missed while the endpoint was disabled",
    submit: "Recover",
    zone: "Times of your computer.",
    bad: "Say since when.",
    reversed: "The beginning must come before the end.",
    done: (queued: string) => `Deliveries queued: ${queued}.`,
    doneMissed: (queued: string, missed: string) =>
      `Deliveries queued: ${queued}. Missed events that will be sent: ${missed}.`,
  },
})

const dayMillis = 24 * 60 * 60 * 1000

/** A moment of an input as the API takes it; undefined where the input is empty. */
const momentOf = (values: FormData, name: string): string | undefined => {
  const text = textOf(values, name)
  return text === "" ? undefined : new Date(text).toISOString()
}

/** The dialog that has failed and missed deliveries sent again (`docs/contract/endpoints.md#recover`). */
export const RecoverDialog = ({
  id,
  onClose,
  onRecovered,
}: {
  readonly id: string
  readonly onClose: () => void
  readonly onRecovered: () => void
}) => {
  const [includesMissed, setIncludesMissed] = useState(true)
  const { value } = texts
  const recover = async (values: FormData) => {
    const since = momentOf(values, "since")
    const until = momentOf(values, "until")
    if (since === undefined) throw refusal(value.bad)
    if (until !== undefined && until < since) throw refusal(value.reversed)
    const { queued, missed } = await api.post<{ readonly queued: number; readonly missed?: number }>(
      `${endpointPath(id)}/recover`,
      { since, include_missed: includesMissed, ...(until === undefined ? {} : { until }) },
    )
    notify(
      missed === undefined
        ? value.done(formatCount(queued))
        : value.doneMissed(formatCount(queued), formatCount(missed)),
    )
    onRecovered()
  }
  return (
    <Dialog title={value.title} onClose={onClose}>
      <Form submit={value.submit} onCancel={onClose} onSubmit={recover}>
        <p class="muted">
          {value.what} {value.zone}
        </p>
        <LocalMoment
          label={value.since}
          name="since"
          required
          defaultValue={localText(new Date(Date.now() - dayMillis))}
        />
        <LocalMoment label={value.until} name="until" hint={value.untilHint} />
        <Checkbox
          label={value.missed}
          data-testid="recover-missed"
          checked={includesMissed}
          onChange={(event) => setIncludesMissed(event.currentTarget.checked)}
        />
      </Form>
    </Dialog>
  )
}
