import { useState } from "preact/hooks"
import type { Endpoint } from "../../../../schema/resources/endpoint.ts"
import { refusal } from "../../api/creation.ts"
import { formatCount } from "../../text/format.ts"
import { textsOf } from "../../text/i18n.ts"
import { Dialog } from "../../ui/dialog.tsx"
import { Checkbox, Form } from "../../ui/form.tsx"
import { Address } from "./deliveryParts.tsx"
import { enableEndpoint } from "./destinations.ts"
import { placeOf } from "./endpointFacts.ts"
import { type EventDelivery, sendableTo } from "./rules.ts"

const texts = textsOf({
  "pt-BR": {
    title: "Reenviar entregas",
    ask: (count: string) =>
      count === "1" ? "1 entrega será enviada de novo." : `${count} entregas serão enviadas de novo.`,
    none: "Nenhuma entrega pode ser enviada agora.",
    older: "São as mais recentes. Há outras mais antigas: repita depois para enviá-las.",
    off: "Destino desativado:",
    offCount: (count: string) =>
      count === "1" ? "1 entrega não pode ser enviada." : `${count} entregas não podem ser enviadas.`,
    enable: (count: string) =>
      count === "1" ? "Ativar este destino e reenviá-la" : `Ativar este destino e reenviar as ${count}`,
    gone: (count: string) =>
      count === "1"
        ? "O destino de 1 entrega foi excluído: ela não pode ser enviada."
        : `O destino de ${count} entregas foi excluído: elas não podem ser enviadas.`,
    submit: (count: string) => `Reenviar ${count}`,
    submitEnabling: (count: string) => `Ativar e reenviar ${count}`,
    nothing: "Reenviar",
    choose: "Marque um destino para ativar, ou cancele.",
    allGone: "Não há o que enviar: os destinos foram excluídos.",
  },
  en: {
    title: "Send deliveries again",
    ask: (count: string) =>
      count === "1" ? "1 delivery will be sent again." : `${count} deliveries will be sent again.`,
    none: "No delivery can be sent now.",
    older: "These are the newest. There are older ones: repeat this later to send them.",
    off: "Disabled destination:",
    offCount: (count: string) =>
      count === "1" ? "1 delivery cannot be sent." : `${count} deliveries cannot be sent.`,
    enable: (count: string) =>
      count === "1" ? "Enable this destination and send it again" : `Enable it and send all ${count} again`,
    gone: (count: string) =>
      count === "1"
        ? "The destination of 1 delivery was deleted: it cannot be sent."
        : `The destinations of ${count} deliveries were deleted: they cannot be sent.`,
    submit: (count: string) => `Send ${count} again`,
    submitEnabling: (count: string) => `Enable and send ${count} again`,
    nothing: "Send again",
    choose: "Tick a destination to enable, or cancel.",
    allGone: "Nothing can be sent: the destinations were deleted.",
  },
})

interface DisabledProps {
  readonly of: Endpoint
  readonly count: number
  readonly isOn: boolean
  readonly onToggle: (isOn: boolean) => void
}

/** A disabled destination: what cannot be sent to it, and the tick that enables it first. */
const Disabled = ({ of, count, isOn, onToggle }: DisabledProps) => {
  const { value } = texts
  return (
    <div class="webhook-warning" data-testid="resend-disabled" data-id={of.id}>
      <p>
        {value.off} <Address>{placeOf(of.url)}</Address>. {value.offCount(formatCount(count))}
      </p>
      <Checkbox
        label={value.enable(formatCount(count))}
        data-testid="resend-enable"
        checked={isOn}
        onChange={(event) => onToggle(event.currentTarget.checked)}
      />
    </div>
  )
}

interface ResendDialogProps {
  readonly of: ReadonlyArray<EventDelivery>
  /** As they were read when the dialog opened. */
  readonly endpoints: ReadonlyArray<Endpoint>
  /** Whether older deliveries were not read. Default: false. */
  readonly hasOlder?: boolean
  readonly onClose: () => void
  readonly onSend: (deliveries: ReadonlyArray<EventDelivery>) => void
}

/**
 * Asks before deliveries are sent again, with how many there are. Those of a disabled destination are left out, since nothing would be
 * sent, unless the destination is enabled here.
 */
export const ResendDialog = ({ of, endpoints, hasOlder = false, onClose, onSend }: ResendDialogProps) => {
  const [enabling, setEnabling] = useState<ReadonlySet<string>>(new Set())
  const { value } = texts
  const { sendable, disabled, gone } = sendableTo(of, endpoints)
  const enabled = disabled.filter(({ endpoint }) => enabling.has(endpoint.id))
  const sent = new Set([...sendable, ...enabled.flatMap(({ deliveries }) => deliveries)])
  const toggle = (id: string, isOn: boolean) => {
    const next = new Set(enabling)
    if (isOn) next.add(id)
    else next.delete(id)
    setEnabling(next)
  }
  const send = async () => {
    if (sent.size === 0) throw refusal(disabled.length > 0 ? value.choose : value.allGone)
    for (const { endpoint } of enabled) await enableEndpoint(endpoint.id)
    onSend(of.filter((delivery) => sent.has(delivery)))
  }
  const count = formatCount(sent.size)
  const submit = sent.size === 0 ? value.nothing : value.submit(count)
  return (
    <Dialog title={value.title} onClose={onClose}>
      <Form
        submit={enabled.length > 0 ? value.submitEnabling(count) : submit}
        onCancel={onClose}
        onSubmit={send}
      >
        <p aria-live="polite" data-testid="resend-count">
          {sent.size === 0 ? value.none : value.ask(count)} {hasOlder && value.older}
        </p>
        {disabled.map(({ endpoint, deliveries }) => (
          <Disabled
            key={endpoint.id}
            of={endpoint}
            count={deliveries.length}
            isOn={enabling.has(endpoint.id)}
            onToggle={(isOn) => toggle(endpoint.id, isOn)}
          />
        ))}
        {gone.length > 0 && <p class="muted">{value.gone(formatCount(gone.length))}</p>}
      </Form>
    </Dialog>
  )
}
