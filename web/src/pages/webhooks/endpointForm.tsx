import { useState } from "preact/hooks"
import { formLimits } from "../../../../schema/formLimits.ts"
import type { Endpoint, NewEndpoint } from "../../../../schema/resources/endpoint.ts"
import { refusal } from "../../api/creation.ts"
import { call } from "../../api/http.ts"
import { useResource } from "../../api/resource.ts"
import type { Given } from "../../api/routes.ts"
import { explained } from "../../text/failures.ts"
import { textsOf } from "../../text/i18n.ts"
import { Dialog } from "../../ui/dialog.tsx"
import { Checkbox, Field, Form, textOf } from "../../ui/form.tsx"
import { Shown } from "../../ui/page.tsx"
import { EventChoices } from "./eventChoices.tsx"
import { type EventTypeInfo, presetEvents } from "./rules.ts"

const texts = textsOf({
  "pt-BR": {
    create: "Novo endpoint",
    edit: "Editar endpoint",
    url: "Endereço",
    urlHint:
      "Um endereço público com https, na porta 443, que recebe cada evento por POST. Ou um Redis Stream seu: rediss://usuário:senha@host:porta/?stream=nome.",
    streamHint:
      "Cada evento vira uma entrada do stream. Codifique a senha como em URLs (@ vira %40); ela é guardada criptografada e não aparece de novo. &maxlen=100000 limita o tamanho do stream.",
    keptHint: "Sem senha, vale a que está guardada, enquanto o servidor e o usuário forem os mesmos.",
    description: "Descrição",
    ordered: "Manter a ordem dos eventos de cada cobrança, saque e devolução",
    orderedHint: "Um evento só sai depois que o anterior do mesmo recurso foi entregue ou falhou de vez.",
    submitCreate: "Criar endpoint",
    submitEdit: "Salvar",
    noEvents: "Escolha ao menos um evento.",
    badUrl:
      "Informe um endereço público completo, como https://loja.com/webhooks ou rediss://usuário:senha@redis.loja.com:6379/?stream=eventos.",
    badDescription: `A descrição tem no máximo ${formLimits.endpointDescriptionLengthMax} caracteres, em uma linha.`,
  },
  en: {
    create: "New endpoint",
    edit: "Edit endpoint",
    url: "Address",
    urlHint:
      "A public address with https, at port 443, which gets each event by POST. Or a Redis Stream of yours: rediss://user:password@host:port/?stream=name.",
    streamHint:
      "Each event becomes an entry of the stream. Escape the password as in URLs (@ is %40); it is stored encrypted and not shown again. &maxlen=100000 limits the stream's length.",
    keptHint: "Without a password the stored one stays, as long as server and user are the same.",
    description: "Description",
    ordered: "Keep the order of the events of each charge, withdrawal and refund",
    orderedHint:
      "An event leaves only once the one before it of the same resource was delivered or given up.",
    submitCreate: "Create endpoint",
    submitEdit: "Save",
    noEvents: "Choose one event at least.",
    badUrl:
      "Give a whole public address, such as https://shop.com/webhooks or rediss://user:password@redis.shop.com:6379/?stream=events.",
    badDescription: `The description has at most ${formLimits.endpointDescriptionLengthMax} characters, on one line.`,
  },
})

/** Reads the catalog of event types. */
export const readCatalog = async (signal: AbortSignal): Promise<ReadonlyArray<EventTypeInfo>> =>
  (await call("GET /v1/me/event-types", { signal })).data

type Body = Given<"POST /v1/me/webhook-endpoints">["body"]

interface FieldsProps {
  readonly catalog: ReadonlyArray<EventTypeInfo>
  readonly endpoint: Endpoint | undefined
  readonly send: (body: Body) => Promise<unknown>
  readonly onCancel: () => void
}

/** What is to be known of the address that is being typed. */
const hintOf = (url: string, endpoint: Endpoint | undefined): string => {
  const { value } = texts
  if (!url.trim().startsWith("rediss:")) return value.urlHint
  return endpoint?.url.startsWith("rediss:") === true
    ? `${value.streamHint} ${value.keptHint}`
    : value.streamHint
}

const Fields = ({ catalog, endpoint, send, onCancel }: FieldsProps) => {
  const [chosen, choose] = useState<ReadonlyArray<string>>(
    endpoint?.events ?? presetEvents("payments", catalog),
  )
  const [url, setUrl] = useState(endpoint?.url ?? "")
  const [isOrdered, setOrdered] = useState(endpoint?.ordering === "resource")
  const { value } = texts
  const submit = (values: FormData) => {
    if (chosen.length === 0) throw refusal(value.noEvents)
    const words = { url: value.badUrl, description: value.badDescription }
    return explained(words, () =>
      send({
        url: textOf(values, "url"),
        events: chosen,
        description: textOf(values, "description") || null,
        ordering: isOrdered ? "resource" : "none",
      }),
    )
  }
  return (
    <Form
      submit={endpoint === undefined ? value.submitCreate : value.submitEdit}
      onCancel={onCancel}
      onSubmit={async (values) => submit(values)}
    >
      <Field
        label={value.url}
        hint={hintOf(url, endpoint)}
        name="url"
        type="url"
        required
        autofocus
        maxLength={formLimits.destinationUrlLengthMax}
        placeholder="https://"
        value={url}
        onInput={(event) => setUrl(event.currentTarget.value)}
        data-testid="endpoint-url"
      />
      <Field
        label={value.description}
        name="description"
        maxLength={formLimits.endpointDescriptionLengthMax}
        defaultValue={endpoint?.description ?? ""}
        data-testid="endpoint-description"
      />
      <EventChoices catalog={catalog} chosen={chosen} onChoose={choose} />
      <Checkbox
        label={
          <>
            {value.ordered} <small class="second-line">{value.orderedHint}</small>
          </>
        }
        data-testid="endpoint-ordering"
        checked={isOrdered}
        onChange={(event) => setOrdered(event.currentTarget.checked)}
      />
    </Form>
  )
}

/** The dialog that creates an endpoint. */
export const NewEndpointDialog = ({
  onClose,
  onCreated,
}: {
  readonly onClose: () => void
  readonly onCreated: (endpoint: NewEndpoint) => void
}) => {
  const catalog = useResource("event types", readCatalog)
  const send = async (body: Body) => onCreated(await call("POST /v1/me/webhook-endpoints", { body }))
  return (
    <Dialog title={texts.value.create} onClose={onClose}>
      <Shown of={catalog}>
        {(types) => <Fields catalog={types} endpoint={undefined} send={send} onCancel={onClose} />}
      </Shown>
    </Dialog>
  )
}

/** The dialog that changes an endpoint. */
export const EditEndpointDialog = ({
  of,
  onClose,
  onChanged,
}: {
  readonly of: Endpoint
  readonly onClose: () => void
  readonly onChanged: (endpoint: Endpoint) => void
}) => {
  const catalog = useResource("event types", readCatalog)
  const send = async (body: Body) =>
    onChanged(await call("PATCH /v1/me/webhook-endpoints/:id", { params: { id: of.id }, body }))
  return (
    <Dialog title={texts.value.edit} onClose={onClose}>
      <Shown of={catalog}>
        {(types) => <Fields catalog={types} endpoint={of} send={send} onCancel={onClose} />}
      </Shown>
    </Dialog>
  )
}
