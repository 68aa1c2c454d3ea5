import { useState } from "preact/hooks"
import type { CorrenteError } from "../../../../client/src/errors.ts"
import type { Delivery, DeliveryDetail } from "../../../../schema/resources/delivery.ts"
import { call } from "../../api/http.ts"
import { failureOf } from "../../api/resource.ts"
import { mode } from "../../api/session.ts"
import { Link } from "../../app/router.tsx"
import { explain } from "../../text/failures.ts"
import { textsOf } from "../../text/i18n.ts"
import { statusText } from "../../text/statuses.ts"
import { Button } from "../../ui/button.tsx"
import { FormError, notify } from "../../ui/feedback.tsx"
import { attemptOf } from "./attempts.ts"

const texts = textsOf({
  "pt-BR": {
    retry: "Reenviar",
    sending: "Enviando…",
    done: "Nova tentativa",
    later: "A nova tentativa está na fila e aparece abaixo assim que for feita.",
    delivered: "Esta entrega já foi recebida em outra tentativa.",
    refused:
      "A entrega já foi recebida, ou já tem uma tentativa marcada. Ela aparece abaixo assim que for feita.",
    clock: "Avançar o relógio de teste",
  },
  en: {
    retry: "Send again",
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

/** Sends a delivery once more. Nothing where it was received. */
export const Retry = ({
  of,
  attempts,
  onRetried,
}: {
  readonly of: DeliveryDetail
  readonly attempts: ReadonlyArray<Delivery>
  /** Called once the answer is there, with the new attempt if it has been made meanwhile. */
  readonly onRetried: (id: string | undefined) => void
}) => {
  const [error, setError] = useState<CorrenteError>()
  const [isSending, setSending] = useState(false)
  const { value } = texts
  const retry = async () => {
    setError(undefined)
    setSending(true)
    let made: string | undefined
    try {
      const params = { id: of.id }
      const { delivery_id } = await call("POST /v1/me/webhook-deliveries/:id/retry", { params })
      const attempt = await attemptOf(delivery_id, { event_id: of.event_id })
      notify(attempt === undefined ? value.later : `${value.done}: ${statusText(attempt.status)}`)
      made = attempt?.id
    } catch (cause) {
      setError(inWords(failureOf(cause)))
    }
    setSending(false)
    onRetried(made)
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
