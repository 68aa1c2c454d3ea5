import { useState } from "preact/hooks"
import type { CorrenteError } from "../../../../client/src/errors.ts"
import { call } from "../../api/http.ts"
import { failureOf, useResource } from "../../api/resource.ts"
import { navigate } from "../../app/router.tsx"
import { eventName } from "../../text/eventNames.ts"
import { textsOf } from "../../text/i18n.ts"
import { statusText } from "../../text/statuses.ts"
import { Button } from "../../ui/button.tsx"
import { Dialog } from "../../ui/dialog.tsx"
import { FormError } from "../../ui/feedback.tsx"
import { Form, Select, textOf } from "../../ui/form.tsx"
import { notify } from "../../ui/notice.tsx"
import { Shown } from "../../ui/page.tsx"
import { attemptOf, outcomeText } from "./attempts.ts"
import { readCatalog } from "./endpointForm.tsx"

const texts = textsOf({
  "pt-BR": {
    ping: "Enviar ping",
    test: "Enviar evento de teste",
    type: "Tipo de evento",
    what: "Vai um exemplo, marcado como teste e assinado como qualquer entrega. Nada acontece de verdade.",
    send: "Enviar",
    notYet: "Enviado. A tentativa aparece na lista assim que terminar.",
  },
  en: {
    ping: "Send a ping",
    test: "Send a test event",
    type: "Event type",
    what: "An example is sent, marked as a test and signed like any delivery. Nothing really happens.",
    send: "Send",
    notYet: "Sent. The attempt appears in the list once it has ended.",
  },
})

interface ProbeProps {
  readonly id: string
  /** Called once the attempt that was asked for has been made. */
  readonly onDone: () => void
}

/** Waits for the attempt that a request asks for, and tells how it went. */
const tellAttempt = async (
  id: string,
  { delivery_id }: { readonly delivery_id: string },
): Promise<string | undefined> => {
  const attempt = await attemptOf(delivery_id, { endpoint_id: id })
  notify(
    attempt === undefined
      ? texts.value.notYet
      : `${eventName(attempt.event_type)}: ${statusText(attempt.status)}. ${outcomeText(attempt)}.`,
  )
  return attempt?.id
}

const TestDialog = ({ id, onDone, onClose }: ProbeProps & { readonly onClose: () => void }) => {
  const catalog = useResource("event types", readCatalog)
  const { value } = texts
  const send = async (values: FormData) => {
    const attempt = await tellAttempt(
      id,
      await call("POST /v1/me/webhook-endpoints/:id/test", {
        params: { id },
        body: { type: textOf(values, "type") },
      }),
    )
    onClose()
    if (attempt === undefined) onDone()
    else navigate(`/deliveries/${attempt}`)
  }
  return (
    <Dialog title={value.test} onClose={onClose}>
      <Shown of={catalog}>
        {(types) => (
          <Form submit={value.send} onCancel={onClose} onSubmit={send}>
            <p class="muted">{value.what}</p>
            <Select label={value.type} name="type" required data-testid="test-event-type">
              {types.map(({ type }) => (
                <option key={type} value={type}>
                  {type} · {eventName(type)}
                </option>
              ))}
            </Select>
          </Form>
        )}
      </Shown>
    </Dialog>
  )
}

/** The button that pings an endpoint and tells how that went. */
export const PingButton = ({ id, onDone, testId }: ProbeProps & { readonly testId: string }) => {
  const [error, setError] = useState<CorrenteError>()
  const ping = async () => {
    setError(undefined)
    try {
      await tellAttempt(id, await call("POST /v1/me/webhook-endpoints/:id/ping", { params: { id } }))
      onDone()
    } catch (cause) {
      setError(failureOf(cause))
    }
  }
  return (
    <>
      <Button needs="integrating" data-testid={testId} onClick={ping}>
        {texts.value.ping}
      </Button>
      <FormError error={error} />
    </>
  )
}

/** Buttons that send something to an endpoint now, and tell how it went. */
export const Probes = ({ id, onDone }: ProbeProps) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <div class="webhook-acts">
        <PingButton id={id} onDone={onDone} testId="endpoint-ping" />
        <Button needs="integrating" data-testid="endpoint-test" onClick={() => setOpen(true)}>
          {texts.value.test}
        </Button>
      </div>
      {isOpen && <TestDialog id={id} onDone={onDone} onClose={() => setOpen(false)} />}
    </>
  )
}
