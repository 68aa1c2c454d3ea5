import { useState } from "preact/hooks"
import { formLimits } from "../../../../schema/formLimits.ts"
import type { ApiKey } from "../../../../schema/resources/apiKey.ts"
import { refusal } from "../../api/creation.ts"
import { call } from "../../api/http.ts"
import { mode } from "../../api/session.ts"
import { explained } from "../../text/failures.ts"
import { textsOf } from "../../text/i18n.ts"
import { hourMillis } from "../../text/spans.ts"
import { Button } from "../../ui/button.tsx"
import { Dialog } from "../../ui/dialog.tsx"
import { Field, Form, textOf } from "../../ui/form.tsx"
import { Code, Copy, Moment } from "../../ui/values.tsx"
import { AccessFields, type ChosenScopes } from "./keyAccess.tsx"

const texts = textsOf({
  "pt-BR": {
    create: "Criar chave de API",
    nameOf: "Nome da chave",
    nameHint: "Para você reconhecê-la, por exemplo: Loja virtual.",
    test: "Chave de teste: não movimenta dinheiro de verdade.",
    live: "Chave de produção: cobra e paga de verdade.",
    noScopes: "Escolha ao menos uma permissão.",
    badAddresses: `Confira os endereços: até ${formLimits.apiKeyAddressesMax}, um por linha, como 203.0.113.7 ou 203.0.113.0/24.`,
    rotate: "Trocar a chave",
    rotateTitle: (name: string) => `Trocar a chave “${name}”`,
    rotateWhy: `A chave nova tem as mesmas permissões e vale na hora. A antiga continua valendo por ${formLimits.rotationGraceMillis / hourMillis} horas, para você trocá-la sem parar nada.`,
    revoke: "Revogar a chave",
    revokeTitle: (name: string) => `Revogar a chave “${name}”`,
    revokeWhy: "Sistemas que usam esta chave param de funcionar imediatamente. Não dá para desfazer.",
    secret: "Sua chave de API",
    once: "Copie agora: por segurança, ela não será mostrada de novo.",
    until: "A chave anterior vale até",
    done: "Já guardei a chave",
  },
  en: {
    create: "Create API key",
    nameOf: "Name of the key",
    nameHint: "So that you recognize it, for example: Online shop.",
    test: "Test key: it moves no real money.",
    live: "Live key: it moves real money.",
    noScopes: "Choose one permission at least.",
    badAddresses: `Check the addresses: up to ${formLimits.apiKeyAddressesMax}, one per line, such as 203.0.113.7 or 203.0.113.0/24.`,
    rotate: "Rotate the key",
    rotateTitle: (name: string) => `Rotate the key “${name}”`,
    rotateWhy: `The new key has the same permissions and works at once. The old one works for another ${formLimits.rotationGraceMillis / hourMillis} hours, so that you can replace it without downtime.`,
    revoke: "Revoke the key",
    revokeTitle: (name: string) => `Revoke the key “${name}”`,
    revokeWhy: "Systems that use this key stop working at once. This cannot be undone.",
    secret: "Your API key",
    once: "Copy it now: for security, it will not be shown again.",
    until: "The previous key works until",
    done: "I have stored the key",
  },
})

/** A key with its secret, as creation and rotation answer it. */
export type KeyWithSecret = ApiKey & { readonly key: string; readonly old_key_revoke_at?: string }

/** What is being done to keys; each has its dialog. */
export type KeyAct =
  | { readonly kind: "create" }
  | { readonly kind: "rotate" | "revoke"; readonly key: ApiKey }
  | { readonly kind: "secret"; readonly key: KeyWithSecret }

interface ActProps {
  readonly onClose: () => void
  readonly onSecret: (key: KeyWithSecret) => void
}

const CreateKey = ({ onClose, onSecret }: ActProps) => {
  const [scopes, setScopes] = useState<ChosenScopes>(undefined)
  const { value } = texts
  const create = async (values: FormData) => {
    if (scopes?.length === 0) throw refusal(value.noScopes)
    const addresses = textOf(values, "addresses").split(/[\s,;]+/)
    const body = {
      name: textOf(values, "name"),
      mode: mode.value,
      ...(scopes === undefined ? {} : { scopes }),
      allowed_ips: addresses.filter((address) => address !== ""),
    }
    return explained({ allowed_ips: value.badAddresses }, () => call("POST /v1/me/api-keys", { body }))
  }
  return (
    <Dialog title={value.create} onClose={onClose}>
      <Form
        submit={value.create}
        onCancel={onClose}
        onSubmit={async (values) => onSecret(await create(values))}
      >
        <p class={`key-mode ${mode.value}`}>{value[mode.value]}</p>
        <Field
          label={value.nameOf}
          hint={value.nameHint}
          name="name"
          data-testid="name-input"
          maxLength={formLimits.apiKeyNameLengthMax}
          autocomplete="off"
          autofocus
          required
        />
        <AccessFields chosen={scopes} onChoose={setScopes} />
      </Form>
    </Dialog>
  )
}

const RotateKey = ({ of, onClose, onSecret }: ActProps & { readonly of: ApiKey }) => (
  <Dialog title={texts.value.rotateTitle(of.name)} onClose={onClose}>
    <Form
      submit={texts.value.rotate}
      onCancel={onClose}
      onSubmit={async () =>
        onSecret(await call("POST /v1/me/api-keys/:id/rotate", { params: { id: of.id } }))
      }
    >
      <p>
        <Code>{`${of.key_prefix}…`}</Code>
      </p>
      <p>{texts.value.rotateWhy}</p>
    </Form>
  </Dialog>
)

const RevokeKey = ({
  of,
  onClose,
  onRevoked,
}: {
  readonly of: ApiKey
  readonly onClose: () => void
  readonly onRevoked: () => void
}) => (
  <Dialog title={texts.value.revokeTitle(of.name)} onClose={onClose}>
    <Form
      submit={texts.value.revoke}
      danger
      onCancel={onClose}
      onSubmit={async () => {
        await call("DELETE /v1/me/api-keys/:id", { params: { id: of.id } })
        onRevoked()
      }}
    >
      <p>
        <Code>{`${of.key_prefix}…`}</Code>
      </p>
      <p>{texts.value.revokeWhy}</p>
    </Form>
  </Dialog>
)

/** Shows a secret this once: only its own button closes it, so that no stray key does. */
const Secret = ({ of, onDone }: { readonly of: KeyWithSecret; readonly onDone: () => void }) => (
  <Dialog title={texts.value.secret} onClose={onDone} canClose={false}>
    <div class="form">
      <p>{texts.value.once}</p>
      <div class="secret">
        <Code testId="secret-once">{of.key}</Code>
        <Copy text={of.key} />
      </div>
      {of.old_key_revoke_at !== undefined && (
        <p class="muted">
          {texts.value.until} <Moment at={of.old_key_revoke_at} />.
        </p>
      )}
      <div class="form-buttons">
        <Button kind="primary" data-testid="secret-done" onClick={onDone}>
          {texts.value.done}
        </Button>
      </div>
    </div>
  </Dialog>
)

/** The dialog of what is being done to keys; `onChanged` once a list of them is out of date. */
export const KeyDialog = ({
  act,
  setAct,
  onChanged,
}: {
  readonly act: KeyAct | undefined
  readonly setAct: (act: KeyAct | undefined) => void
  readonly onChanged: () => void
}) => {
  const close = () => setAct(undefined)
  const showSecret = (key: KeyWithSecret) => {
    setAct({ kind: "secret", key })
    onChanged()
  }
  switch (act?.kind) {
    case "create":
      return <CreateKey onClose={close} onSecret={showSecret} />
    case "rotate":
      return <RotateKey of={act.key} onClose={close} onSecret={showSecret} />
    case "revoke":
      return (
        <RevokeKey
          of={act.key}
          onClose={close}
          onRevoked={() => {
            close()
            onChanged()
          }}
        />
      )
    case "secret":
      return <Secret of={act.key} onDone={close} />
    default:
      return null
  }
}
