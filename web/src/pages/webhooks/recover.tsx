import { useId, useMemo, useState } from "preact/hooks"
import type { Delivery } from "../../../../schema/resources/delivery.ts"
import { refusal } from "../../api/creation.ts"
import { call } from "../../api/http.ts"
import type { Page } from "../../api/routes.ts"
import { formatCount } from "../../text/format.ts"
import { textsOf } from "../../text/i18n.ts"
import { dayMillis } from "../../text/spans.ts"
import { nowMillis } from "../../text/today.ts"
import { Dialog } from "../../ui/dialog.tsx"
import { Checkbox, Form } from "../../ui/form.tsx"
import { notify } from "../../ui/notice.tsx"
import { failedIn, firstFailureAt } from "./rules.ts"

const two = (value: number) => String(value).padStart(2, "0")

/** A moment as `<input type="datetime-local">` takes it, by the clock of the computer: `2026-11-23T07:30`. */
const localText = (at: Date): string =>
  `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}T${two(at.getHours())}:${two(at.getMinutes())}`

/** A labelled date and time of the computer's clock. */
const LocalMoment = ({
  label,
  hint,
  onInput,
  ...input
}: {
  readonly label: string
  readonly hint?: string
  readonly name: string
  readonly required?: boolean
  readonly defaultValue?: string
  readonly onInput: (text: string) => void
}) => {
  const id = useId()
  const described = hint === undefined ? {} : { "aria-describedby": `${id}-hint` }
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        {...input}
        {...described}
        type="datetime-local"
        id={id}
        data-testid={`recover-${input.name}`}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      {hint !== undefined && <small id={`${id}-hint`}>{hint}</small>}
    </div>
  )
}

const texts = textsOf({
  "pt-BR": {
    title: "Recuperar entregas",
    what: "Envia de novo, uma vez, cada entrega que falhou e teve uma tentativa neste período.",
    failed: (count: string) => {
      if (count === "0") return "Nenhuma entrega falhou neste período."
      return count === "1" ? "1 entrega falhou neste período." : `${count} entregas falharam neste período.`
    },
    since: "Desde",
    until: "Até",
    untilHint: "Vazio é até agora.",
    missed: "Incluir o que foi perdido enquanto o endpoint estava desativado",
    submit: "Recuperar",
    enables: "O endpoint é ativado antes.",
    submitEnabling: "Ativar e recuperar",
    zone: "Horários do seu computador.",
    bad: "Informe desde quando.",
    reversed: "O início precisa vir antes do fim.",
    done: (queued: string) => `Entregas na fila de envio: ${queued}.`,
    doneMissed: (queued: string, missed: string) =>
      `Entregas na fila de envio: ${queued}. Eventos perdidos que serão enviados: ${missed}.`,
  },
  en: {
    title: "Recover deliveries",
    what: "Sends again, once, each delivery that failed and was tried in this period.",
    failed: (count: string) => {
      if (count === "0") return "No delivery failed in this period."
      return count === "1"
        ? "1 delivery failed in this period."
        : `${count} deliveries failed in this period.`
    },
    since: "Since",
    until: "Until",
    untilHint: "Empty is until now.",
    missed: "Include what was missed while the endpoint was disabled",
    submit: "Recover",
    enables: "The endpoint is enabled first.",
    submitEnabling: "Enable and recover",
    zone: "Times of your computer.",
    bad: "Say since when.",
    reversed: "The beginning must come before the end.",
    done: (queued: string) => `Deliveries queued: ${queued}.`,
    doneMissed: (queued: string, missed: string) =>
      `Deliveries queued: ${queued}. Missed events that will be sent: ${missed}.`,
  },
})

/** A moment of an input as the API takes it; undefined where the input is empty. */
const momentOf = (text: string): string | undefined =>
  text === "" ? undefined : new Date(text).toISOString()

/** How many deliveries failed in a period, with a plus where it begins before the attempts that were read. */
const failedText = (attempts: Page<Delivery>, since: string, until: string | undefined): string => {
  const isWhole = attempts.next_cursor === null || since > (attempts.data.at(-1)?.created_at ?? "")
  return formatCount(failedIn(attempts.data, { since, until })) + (isWhole ? "" : "+")
}

interface RecoverProps {
  readonly id: string
  /** The endpoint's newest attempts, where they were read: what failed is counted, and offered from its first attempt on. */
  readonly attempts?: Page<Delivery> | undefined
  /** What enables the endpoint, where it is disabled. */
  readonly enable?: () => Promise<unknown>
  readonly onClose: () => void
  readonly onRecovered: () => void
}

/** The dialog that has failed and missed deliveries sent again (`docs/contract/endpoints.md#recover`). */
export const RecoverDialog = ({ id, attempts, enable, onClose, onRecovered }: RecoverProps) => {
  const [includesMissed, setIncludesMissed] = useState(true)
  const offeredSince = useMemo(
    () => localText(new Date(firstFailureAt(attempts?.data ?? []) ?? nowMillis() - dayMillis)),
    [attempts],
  )
  const [chosenSince, setSince] = useState<string>()
  const since = chosenSince ?? offeredSince
  const [until, setUntil] = useState("")
  const { value } = texts
  const recover = async () => {
    const [first, last] = [momentOf(since), momentOf(until)]
    if (first === undefined) throw refusal(value.bad)
    if (last !== undefined && last < first) throw refusal(value.reversed)
    await enable?.()
    const { queued, missed } = await call("POST /v1/me/webhook-endpoints/:id/recover", {
      params: { id },
      body: { since: first, include_missed: includesMissed, ...(last === undefined ? {} : { until: last }) },
    })
    notify(
      missed === undefined
        ? value.done(formatCount(queued))
        : value.doneMissed(formatCount(queued), formatCount(missed)),
    )
    onRecovered()
  }
  return (
    <Dialog title={value.title} onClose={onClose}>
      <Form
        submit={enable === undefined ? value.submit : value.submitEnabling}
        onCancel={onClose}
        onSubmit={recover}
      >
        <p class="muted">
          {enable !== undefined && `${value.enables} `}
          {value.what} {value.zone}
        </p>
        <LocalMoment
          label={value.since}
          name="since"
          required
          defaultValue={offeredSince}
          onInput={setSince}
        />
        <LocalMoment label={value.until} name="until" hint={value.untilHint} onInput={setUntil} />
        {attempts !== undefined && since !== "" && (
          <p aria-live="polite" data-testid="recover-count">
            {value.failed(failedText(attempts, momentOf(since) ?? "", momentOf(until)))}
          </p>
        )}
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
