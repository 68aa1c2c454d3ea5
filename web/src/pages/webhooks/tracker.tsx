import { useState } from "preact/hooks"
import { CorrenteError } from "../../../../client/src/errors.ts"
import { formLimits } from "../../../../schema/formLimits.ts"
import { refusal } from "../../api/creation.ts"
import { call } from "../../api/http.ts"
import { type Resource, useResource } from "../../api/resource.ts"
import type { Answer } from "../../api/routes.ts"
import { explained } from "../../text/failures.ts"
import { textsOf } from "../../text/i18n.ts"
import { Button } from "../../ui/button.tsx"
import { Dialog } from "../../ui/dialog.tsx"
import { Field, Form, TextArea, textOf } from "../../ui/form.tsx"
import { notify } from "../../ui/notice.tsx"
import { Card, Facts, Shown } from "../../ui/page.tsx"
import { Code, Foreign, Moment } from "../../ui/values.tsx"
import { parseHeaders } from "./rules.ts"

const texts = textsOf({
  "pt-BR": {
    title: "Rastreador",
    what: "Um terceiro que também recebe os eventos das cobranças, como uma ferramenta de atribuição.",
    open: "Abrir rastreador",
    none: "Nenhum rastreador neste modo.",
    url: "Endereço",
    headers: "Cabeçalhos",
    headersHint: "Um por linha, como X-Api-Token: valor. Os valores não são mostrados de novo.",
    since: "Desde",
    set: "Definir rastreador",
    replace: "Substituir",
    save: "Salvar",
    remove: "Remover",
    removeText: "O terceiro deixa de receber os eventos. O que já estava na fila não é enviado.",
    saved: "Rastreador salvo.",
    removed: "Rastreador removido.",
    badUrl: "Informe um endereço completo, como https://rastreador.com/pedidos.",
    badHeaders: "Use um cabeçalho por linha, no formato Nome: valor. Os nossos não podem ser trocados.",
  },
  en: {
    title: "Tracker",
    what: "A third party that receives the events of charges too, such as an attribution tool.",
    open: "Open tracker",
    none: "No tracker in this mode.",
    url: "Address",
    headers: "Headers",
    headersHint: "One per line, such as X-Api-Token: value. Values are not shown again.",
    since: "Since",
    set: "Set a tracker",
    replace: "Replace",
    save: "Save",
    remove: "Remove",
    removeText: "The third party receives no more events. What is in its queue is not sent.",
    saved: "Tracker saved.",
    removed: "Tracker removed.",
    badUrl: "Give a whole address, such as https://tracker.com/orders.",
    badHeaders: "Give one header per line, as Name: value. Ours cannot be replaced.",
  },
})

type Tracker = Answer<"GET /v1/me/tracker">

const readTracker = async (signal: AbortSignal): Promise<Tracker | null> => {
  try {
    return await call("GET /v1/me/tracker", { signal })
  } catch (error) {
    if (error instanceof CorrenteError && error.code === "resource_not_found") return null
    throw error
  }
}

interface DialogProps {
  readonly onClose: () => void
  readonly onDone: () => void
}

const SetDialog = ({ url, onClose, onDone }: DialogProps & { readonly url: string }) => {
  const { value } = texts
  const save = async (values: FormData) => {
    const headers = parseHeaders(textOf(values, "headers"))
    if (headers === undefined) throw refusal(value.badHeaders)
    const words = { url: value.badUrl, headers: value.badHeaders }
    const body = { url: textOf(values, "url"), headers }
    await explained(words, () => call("PUT /v1/me/tracker", { body }))
    notify(value.saved)
    onDone()
  }
  return (
    <Dialog title={value.set} onClose={onClose}>
      <Form submit={value.save} onCancel={onClose} onSubmit={save}>
        <Field
          label={value.url}
          name="url"
          type="url"
          required
          autofocus
          maxLength={formLimits.destinationUrlLengthMax}
          placeholder="https://"
          defaultValue={url}
        />
        <TextArea label={value.headers} hint={value.headersHint} name="headers" rows={4} />
      </Form>
    </Dialog>
  )
}

const RemoveDialog = ({ onClose, onDone }: DialogProps) => {
  const remove = async () => {
    await call("DELETE /v1/me/tracker")
    notify(texts.value.removed)
    onDone()
  }
  return (
    <Dialog title={texts.value.remove} onClose={onClose}>
      <Form danger submit={texts.value.remove} onCancel={onClose} onSubmit={remove}>
        <p>{texts.value.removeText}</p>
      </Form>
    </Dialog>
  )
}

const TrackerFacts = ({ of }: { readonly of: Tracker }) => (
  <Facts
    of={[
      [texts.value.url, <Foreign>{of.url}</Foreign>],
      [texts.value.since, <Moment at={of.created_at} />],
      ...Object.entries(of.headers).map(([name, shown]) => [name, <Code>{shown}</Code>] as const),
    ]}
  />
)

const TrackerOf = ({ of }: { readonly of: Resource<Tracker | null> }) => {
  const [dialog, setDialog] = useState<"set" | "remove">()
  const close = () => setDialog(undefined)
  const done = () => {
    close()
    void of.reload()
  }
  const { value } = texts
  return (
    <Shown of={of}>
      {(tracker) => (
        <>
          {tracker === null ? <p>{value.none}</p> : <TrackerFacts of={tracker} />}
          <div class="webhook-acts">
            <Button needs="integrating" data-testid="tracker-set" onClick={() => setDialog("set")}>
              {tracker === null ? value.set : value.replace}
            </Button>
            {tracker !== null && (
              <Button
                kind="danger"
                needs="integrating"
                data-testid="tracker-remove"
                onClick={() => setDialog("remove")}
              >
                {value.remove}
              </Button>
            )}
          </div>
          {dialog === "set" && <SetDialog url={tracker?.url ?? ""} onClose={close} onDone={done} />}
          {dialog === "remove" && <RemoveDialog onClose={close} onDone={done} />}
        </>
      )}
    </Shown>
  )
}

const OpenTracker = () => <TrackerOf of={useResource("tracker", readTracker)} />

/** The mode's tracker, read once it is asked for: few sellers have one, and none is a 404 that browsers complain of. */
export const TrackerCard = () => {
  const [isOpen, setOpen] = useState(false)
  return (
    <Card
      title={texts.value.title}
      actions={
        !isOpen && (
          <Button data-testid="tracker-open" onClick={() => setOpen(true)}>
            {texts.value.open}
          </Button>
        )
      }
    >
      <div class="form">
        <p class="muted">{texts.value.what}</p>
        {isOpen && <OpenTracker />}
      </div>
    </Card>
  )
}
