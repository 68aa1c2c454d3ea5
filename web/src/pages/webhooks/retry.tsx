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
import { FormError } from "../../ui/feedback.tsx"
import { notify } from "../../ui/notice.tsx"
import { attemptOf } from "./attempts.ts"
import { enableEndpoint, readEndpoints, type useEndpoints } from "./destinations.ts"
import { obstacleOf } from "./rules.ts"

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
    off: "O destino está desativado: nada seria enviado.",
    enable: "Ativar e reenviar",
    gone: "O destino foi excluído: não há para onde enviar.",
  },
  en: {
    retry: "Send again",
    sending: "Sending…",
    done: "New attempt",
    later: "The new attempt is queued and appears below once it was made.",
    delivered: "This delivery was received in another attempt.",
    refused: "The delivery was received, or has an attempt scheduled. It appears below once it was made.",
    clock: "Advance the test clock",
    off: "The destination is disabled: nothing would be sent.",
    enable: "Enable and send again",
    gone: "The destination was deleted: there is nowhere to send it.",
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
  endpoints,
  onRetried,
}: {
  readonly of: DeliveryDetail
  readonly attempts: ReadonlyArray<Delivery>
  readonly endpoints: ReturnType<typeof useEndpoints>
  /** Called once the answer is there, with the new attempt if it has been made meanwhile. */
  readonly onRetried: (id: string | undefined) => void
}) => {
  const [error, setError] = useState<CorrenteError>()
  const [isSending, setSending] = useState(false)
  const { value } = texts
  const known = endpoints.value.value
  const obstacle = known && obstacleOf(of, known.data)
  const retry = async (isEnabling: boolean) => {
    setError(undefined)
    setSending(true)
    let made: string | undefined
    try {
      if (isEnabling && of.endpoint_id !== null) await enableEndpoint(of.endpoint_id)
      // Another person may have disabled it since.
      const found = obstacleOf(of, await readEndpoints())
      if (found !== obstacle) void endpoints.refresh()
      if (found !== undefined) return setSending(false)
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
  const isOff = obstacle === "off"
  return (
    <div class="webhook-acts">
      {obstacle !== undefined && (
        <p class="webhook-warning" role="alert" data-testid="delivery-obstacle">
          {value[obstacle]}
        </p>
      )}
      {obstacle !== "gone" && (
        <Button kind="primary" needs="integrating" data-testid="delivery-retry" onClick={() => retry(isOff)}>
          {isSending ? value.sending : isOff ? value.enable : value.retry}
        </Button>
      )}
      <FormError error={error} />
      {isRefused(error) && mode.value === "test" && (
        <Link to="/test" class="button">
          {value.clock}
        </Link>
      )}
    </div>
  )
}
