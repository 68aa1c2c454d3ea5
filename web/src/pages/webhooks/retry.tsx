import { useState } from "preact/hooks"
import type { CorrenteError } from "../../../../client/src/errors.ts"
import type { Delivery, DeliveryDetail } from "../../../../schema/resources/delivery.ts"
import { api } from "../../api/http.ts"
import { failureOf } from "../../api/resource.ts"
import { mode } from "../../api/session.ts"
import { Link, navigate } from "../../app/router.tsx"
import { explain } from "../../text/failures.ts"
import { textsOf } from "../../text/i18n.ts"
import { statusText } from "../../text/statuses.ts"
import { Button } from "../../ui/button.tsx"
import { FormError, notify } from "../../ui/feedback.tsx"
import { attemptOf } from "./attempts.ts"

const texts = textsOf({
  "pt-BR": {
    retry: "Tentar de novo",
    sending: "Enviando…",
    done: "Nova tentativa",
    later: "A nova tentativa está na fila e aparece abaixo assim que for feita.",
    delivered: "Esta entrega já foi recebida em outra tentativa.",
    refused:
      "A entrega já foi recebida, ou já tem uma tentativa marcada. Ela aparece abaixo assim que for feita.",
    clock: "Avançar o relógio de teste",
  },
  en: {
    retry: "Try again",
    sending: "Sending…",
    done: "New attempt",
    later: "The new attempt is queued and appears below once it was made.",
    delivered: "This delivery was received in another attempt.",
    refused: "The delivery was received, or has an attempt scheduled. It appears below once it was made.",
    clock: "Advance the test clock",
  },
})

const isRefused = (error: CorrenteError | undefined): boolean => error?.code === "invalid_state"

/** In words what the service's refusal means here: what was wanted comes by itself. */
const inWords = (error: CorrenteError): CorrenteError =>
  isRefused(error) ? explain(error, texts.value.refused) : error

/** Sends a delivery once more, and leads to the new attempt. Nothing where it was received. */
export const Retry = ({
  of,
  attempts,
  onLater,
}: {
  readonly of: DeliveryDetail
  readonly attempts: ReadonlyArray<Delivery>
  readonly onLater: () => void
}) => {
  const [error, setError] = useState<CorrenteError>()
  const [isSending, setSending] = useState(false)
  const { value } = texts
  const retry = async () => {
    setError(undefined)
    setSending(true)
    try {
      const { delivery_id } = await api.post<{ readonly delivery_id: string }>(
        `/v1/me/webhook-deliveries/${of.id}/retry`,
      )
      const attempt = await attemptOf(delivery_id, { event_id: of.event_id })
      notify(attempt === undefined ? value.later : `${value.done}: ${statusText(attempt.status)}`)
      if (attempt !== undefined) navigate(`/deliveries/${attempt.id}`)
    } catch (cause) {
      setError(inWords(failureOf(cause)))
    }
    setSending(false)
    onLater()
  }
  if (of.status === "success") return null
  if (attempts.some(({ status }) => status === "success")) return <p class="muted">{value.delivered}</p>
  return (
    <div class="webhook-acts">
      <Button kind="primary" data-testid="delivery-retry" onClick={retry}>
        {isSending ? value.sending : value.retry}
      </Button>
      <FormError error={error} />
      {isRefused(error) && mode.value === "test" && (
        <Link to="/test" class="button">
          {value.clock}
        </Link>
      )}
    </div>
  )
}
