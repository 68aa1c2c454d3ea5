import { useState } from "preact/hooks"
import { formLimits } from "../../../../schema/formLimits.ts"
import type { Endpoint } from "../../../../schema/resources/endpoint.ts"
import { call } from "../../api/http.ts"
import type { Answer } from "../../api/routes.ts"
import { navigate } from "../../app/router.tsx"
import { formatMoment } from "../../text/format.ts"
import { textsOf } from "../../text/i18n.ts"
import { hourMillis } from "../../text/spans.ts"
import { Button } from "../../ui/button.tsx"
import { Dialog } from "../../ui/dialog.tsx"
import { Form } from "../../ui/form.tsx"
import { notify } from "../../ui/notice.tsx"
import { Card } from "../../ui/page.tsx"
import { Foreign } from "../../ui/values.tsx"
import { EditEndpointDialog } from "./endpointForm.tsx"
import { RecoverDialog } from "./recover.tsx"
import { SecretDialog } from "./secretDialog.tsx"

const texts = textsOf({
  "pt-BR": {
    title: "Manutenção",
    edit: "Editar",
    editText: "Mude o endereço, os eventos, a descrição ou a ordem.",
    rotate: "Trocar segredo",
    rotateText: `O novo segredo vale na hora. Por ${formLimits.rotationGraceMillis / hourMillis} horas as entregas levam também a assinatura do anterior.`,
    rotated: (until: string) => `O segredo anterior vale até ${until}.`,
    recover: "Recuperar entregas",
    recoverText: "Envia de novo o que falhou em um período, e o que foi perdido com o endpoint desativado.",
    disable: "Desativar",
    disableText: "Para de enviar eventos. O que já estava na fila não é enviado.",
    disabled: "Endpoint desativado.",
    enable: "Ativar",
    enableText:
      "Volta a enviar os eventos a partir de agora. Envie um ping antes, para ver se o endereço responde.",
    enabled: "Endpoint ativado.",
    remove: "Excluir",
    removeText:
      "O endpoint some da lista e não recebe mais nada. As tentativas já feitas continuam legíveis.",
    removeConfirm: "Não há como desfazer. Para só pausar, desative-o.",
    removed: "Endpoint excluído.",
    saved: "Alterações salvas. Valem a partir do próximo evento.",
    secret: "Novo segredo do endpoint",
  },
  en: {
    title: "Maintenance",
    edit: "Edit",
    editText: "Change the address, the events, the description or the order.",
    rotate: "Replace secret",
    rotateText: `The new secret counts at once. For ${formLimits.rotationGraceMillis / hourMillis} hours deliveries carry a signature by the old one too.`,
    rotated: (until: string) => `The previous secret counts until ${until}.`,
    recover: "Recover deliveries",
    recoverText: "Sends again what failed in a period, and what was missed while the endpoint was disabled.",
    disable: "Disable",
    disableText: "Stops sending events. What is in its queue is not sent.",
    disabled: "Endpoint disabled.",
    enable: "Enable",
    enableText: "Sends events again from now on. Send a ping first, to see whether the address answers.",
    enabled: "Endpoint enabled.",
    remove: "Delete",
    removeText: "The endpoint leaves the list and receives nothing more. Its attempts stay readable.",
    removeConfirm: "This cannot be undone. To pause it only, disable it.",
    removed: "Endpoint deleted.",
    saved: "Changes saved. They apply from the next event on.",
    secret: "New secret of the endpoint",
  },
})

type Act = "edit" | "rotate" | "recover" | "disable" | "enable" | "remove"

type Rotated = Answer<"POST /v1/me/webhook-endpoints/:id/rotate-secret">

interface ConfirmDialogProps {
  readonly act: Act
  readonly of: Endpoint
  readonly onClose: () => void
  readonly onChanged: (endpoint: Endpoint) => void
  readonly onRotated: (rotated: Rotated) => void
}

interface ActDialogProps extends ConfirmDialogProps {
  readonly onRecovered: () => void
}

/** Asks once more, and carries out an act that takes nothing but a yes. */
const ConfirmDialog = ({ act, of, onClose, onChanged, onRotated }: ConfirmDialogProps) => {
  const { value } = texts
  if (act === "edit" || act === "recover") return null
  const params = { id: of.id }
  const carryOut = async () => {
    if (act === "rotate")
      return onRotated(await call("POST /v1/me/webhook-endpoints/:id/rotate-secret", { params }))
    if (act === "remove") {
      await call("DELETE /v1/me/webhook-endpoints/:id", { params })
      notify(value.removed)
      return navigate("/webhooks", { replace: true })
    }
    const changed = await call("PATCH /v1/me/webhook-endpoints/:id", {
      params,
      body: { enabled: act === "enable" },
    })
    notify(act === "enable" ? value.enabled : value.disabled)
    onChanged(changed)
  }
  return (
    <Dialog title={value[act]} onClose={onClose}>
      <Form submit={value[act]} danger={act !== "enable"} onCancel={onClose} onSubmit={carryOut}>
        <p>
          <Foreign>{of.url}</Foreign>
        </p>
        <p>
          {value[`${act}Text`]} {act === "remove" && <strong>{value.removeConfirm}</strong>}
        </p>
      </Form>
    </Dialog>
  )
}

/** Asks whether to enable an endpoint, and does. */
export const EnableDialog = (props: {
  readonly of: Endpoint
  readonly onClose: () => void
  readonly onChanged: (endpoint: Endpoint) => void
}) => <ConfirmDialog act="enable" {...props} onRotated={() => undefined} />

const ActDialog = (props: ActDialogProps) => {
  const { act, of, onClose, onChanged, onRecovered } = props
  if (act === "edit")
    return (
      <EditEndpointDialog
        of={of}
        onClose={onClose}
        onChanged={(changed) => {
          notify(texts.value.saved)
          onChanged(changed)
        }}
      />
    )
  if (act === "recover") return <RecoverDialog id={of.id} onClose={onClose} onRecovered={onRecovered} />
  return <ConfirmDialog {...props} />
}

/** What changes an endpoint, each with what it does. */
export const Maintenance = ({
  of,
  onChanged,
  onRecovered,
}: {
  readonly of: Endpoint
  readonly onChanged: (endpoint: Endpoint) => void
  readonly onRecovered: () => void
}) => {
  const [act, setAct] = useState<Act>()
  const [rotated, setRotated] = useState<Rotated>()
  const close = () => setAct(undefined)
  const { value } = texts
  const acts: ReadonlyArray<Act> = of.enabled
    ? ["edit", "recover", "rotate", "disable", "remove"]
    : ["enable", "edit", "rotate", "remove"]
  return (
    <Card title={value.title}>
      <ul class="maintenance">
        {acts.map((name) => (
          <li key={name}>
            <p>{value[`${name}Text`]}</p>
            <Button
              kind={name === "remove" || name === "disable" ? "danger" : "plain"}
              needs="integrating"
              data-testid={`endpoint-${name}`}
              onClick={() => setAct(name)}
            >
              {value[name]}
            </Button>
          </li>
        ))}
      </ul>
      {act !== undefined && (
        <ActDialog
          act={act}
          of={of}
          onClose={close}
          onChanged={(changed) => {
            close()
            onChanged(changed)
          }}
          onRotated={(made) => {
            close()
            setRotated(made)
          }}
          onRecovered={() => {
            close()
            onRecovered()
          }}
        />
      )}
      {rotated !== undefined && (
        <SecretDialog
          title={value.secret}
          secret={rotated.secret}
          note={value.rotated(formatMoment(rotated.previous_secret_expires_at))}
          onDone={() => setRotated(undefined)}
        />
      )}
    </Card>
  )
}
