import { useState } from "preact/hooks"
import { formLimits } from "../../../../schema/formLimits.ts"
import type { Passkey } from "../../../../schema/resources/passkey.ts"
import { call } from "../../api/http.ts"
import type { Resource } from "../../api/resource.ts"
import { canUsePasskeys } from "../../api/session.ts"
import { textsOf } from "../../text/i18n.ts"
import { Button } from "../../ui/button.tsx"
import { Dialog } from "../../ui/dialog.tsx"
import { Field, Form, textOf } from "../../ui/form.tsx"
import { notify } from "../../ui/notice.tsx"
import { Card, Shown } from "../../ui/page.tsx"
import { Cell, Table, TableRow } from "../../ui/table.tsx"
import { Foreign, TrueWhen } from "../../ui/values.tsx"
import { inWords } from "./failures.ts"
import { deviceOf } from "./rules.ts"

const texts = textsOf({
  "pt-BR": {
    title: "Passkeys",
    why: "Uma passkey (digital, rosto, PIN ou chave de segurança) vale no lugar do código, ao entrar e ao confirmar ações. A que você adiciona agora vale a partir da próxima vez que entrar.",
    cannot: "Este navegador não usa passkeys neste endereço.",
    none: "Você ainda não tem passkeys.",
    add: "Adicionar passkey",
    name: "Nome",
    nameHint: "Para reconhecê-la depois: o dispositivo ou o gerenciador de senhas onde ela fica.",
    unnamed: "Passkey",
    created: "Adicionada",
    used: "Último uso",
    never: "Nunca usada",
    act: "Ação",
    rename: "Renomear",
    renameOf: (name: string) => `Renomear a passkey ${name}`,
    renameTitle: "Renomear passkey",
    save: "Salvar",
    remove: "Remover",
    removeOf: (name: string) => `Remover a passkey ${name}`,
    removeTitle: "Remover passkey",
    removeWhy: (name: string) =>
      `“${name}” deixa de valer na sua conta. Remova-a também do dispositivo ou do gerenciador de senhas.`,
    added: "Passkey adicionada.",
    renamed: "Nome salvo.",
    removed: "Passkey removida.",
  },
  en: {
    title: "Passkeys",
    why: "A passkey (fingerprint, face, PIN or security key) stands in for the code, at sign-in and to confirm actions. One that you add now counts from your next sign-in on.",
    cannot: "This browser uses no passkeys at this address.",
    none: "You have no passkeys yet.",
    add: "Add a passkey",
    name: "Name",
    nameHint: "To recognise it later: the device or the password manager that keeps it.",
    unnamed: "Passkey",
    created: "Added",
    used: "Last used",
    never: "Never used",
    act: "Action",
    rename: "Rename",
    renameOf: (name: string) => `Rename the passkey ${name}`,
    renameTitle: "Rename the passkey",
    save: "Save",
    remove: "Remove",
    removeOf: (name: string) => `Remove the passkey ${name}`,
    removeTitle: "Remove the passkey",
    removeWhy: (name: string) =>
      `“${name}” no longer counts for your account. Remove it from the device or the password manager, too.`,
    added: "The passkey has been added.",
    renamed: "The name has been saved.",
    removed: "The passkey has been removed.",
  },
})

interface DialogProps {
  readonly onClose: () => void
  readonly onDone: (text: string) => void
}

const NameField = ({ defaultValue }: { readonly defaultValue: string }) => (
  <Field
    label={texts.value.name}
    hint={texts.value.nameHint}
    name="name"
    required
    autofocus
    autocomplete="off"
    maxLength={formLimits.passkeyNameLengthMax}
    defaultValue={defaultValue}
    data-testid="passkey-name-input"
  />
)

const AddDialog = ({ onClose, onDone }: DialogProps) => {
  const { value } = texts
  const send = async (values: FormData) => {
    const { addPasskey } = await import("../../api/passkeys.ts")
    await inWords(addPasskey(textOf(values, "name")), { "validation_failed name": "badPasskeyName" })
    onDone(texts.value.added)
  }
  return (
    <Dialog title={value.add} onClose={onClose}>
      <Form submit={value.add} onCancel={onClose} onSubmit={send}>
        <NameField defaultValue={deviceOf(navigator.userAgent, value.unnamed)} />
      </Form>
    </Dialog>
  )
}

const RenameDialog = ({ passkey, onClose, onDone }: DialogProps & { readonly passkey: Passkey }) => {
  const { value } = texts
  const send = async (values: FormData) => {
    const body = { id: passkey.id, name: textOf(values, "name") }
    const request = call("POST /v1/me/auth/passkey/update-passkey", { body, isRepeatable: true })
    await inWords(request, { "validation_failed name": "badPasskeyName" })
    onDone(texts.value.renamed)
  }
  return (
    <Dialog title={value.renameTitle} onClose={onClose}>
      <Form submit={value.save} onCancel={onClose} onSubmit={send}>
        <NameField defaultValue={passkey.name} />
      </Form>
    </Dialog>
  )
}

const RemoveDialog = ({ passkey, onClose, onDone }: DialogProps & { readonly passkey: Passkey }) => {
  const { value } = texts
  const send = async () => {
    await call("POST /v1/me/auth/passkey/delete-passkey", { body: { id: passkey.id } })
    onDone(texts.value.removed)
  }
  return (
    <Dialog title={value.removeTitle} onClose={onClose}>
      <Form submit={value.remove} danger onCancel={onClose} onSubmit={send}>
        <p>{value.removeWhy(passkey.name)}</p>
      </Form>
    </Dialog>
  )
}

type Opened = { readonly kind: "add" } | { readonly kind: "rename" | "remove"; readonly passkey: Passkey }

interface RowProps {
  readonly passkey: Passkey
  readonly onOpen: (opened: Opened) => void
}

const Row = ({ passkey, onOpen }: RowProps) => {
  const { value } = texts
  return (
    <TableRow data-testid="passkey-row" data-id={passkey.id}>
      <Cell place="title" label={value.name}>
        <Foreign>{passkey.name}</Foreign>
      </Cell>
      <Cell place="note" label={value.created}>
        <TrueWhen at={passkey.createdAt} />
      </Cell>
      <Cell place="when" label={value.used}>
        {passkey.lastUsedAt === null ? value.never : <TrueWhen at={passkey.lastUsedAt} />}
      </Cell>
      <Cell place="buttons" label={value.act}>
        <Button
          class="copy"
          data-testid="passkey-rename"
          aria-label={value.renameOf(passkey.name)}
          onClick={() => onOpen({ kind: "rename", passkey })}
        >
          {value.rename}
        </Button>{" "}
        <Button
          class="copy"
          data-testid="passkey-remove"
          aria-label={value.removeOf(passkey.name)}
          onClick={() => onOpen({ kind: "remove", passkey })}
        >
          {value.remove}
        </Button>
      </Cell>
    </TableRow>
  )
}

interface PasskeysCardProps {
  readonly passkeys: Resource<ReadonlyArray<Passkey>>
  /** Reads again what passkeys change: the list, and what steps this session up. */
  readonly onChange: () => Promise<unknown>
}

/** The passkeys of a user whose 2FA is on (`docs/contract/accounts.md#passkeys`). */
export const PasskeysCard = ({ passkeys, onChange }: PasskeysCardProps) => {
  const [opened, setOpened] = useState<Opened>()
  const { value } = texts
  const dialog = {
    onClose: () => setOpened(undefined),
    onDone: (text: string) => {
      setOpened(undefined)
      notify(text)
      void onChange()
    },
  }
  return (
    <>
      <Card
        title={value.title}
        actions={
          canUsePasskeys() && (
            <Button data-testid="passkey-add" onClick={() => setOpened({ kind: "add" })}>
              {value.add}
            </Button>
          )
        }
      >
        <div class="form">
          <p class="muted">
            {value.why} {!canUsePasskeys() && value.cannot}
          </p>
          <Shown of={passkeys}>
            {(shown) =>
              shown.length === 0 ? (
                <p>{value.none}</p>
              ) : (
                <Table
                  label={value.title}
                  columns={[value.name, value.created, value.used, { right: value.act }]}
                >
                  {shown.map((passkey) => (
                    <Row key={passkey.id} passkey={passkey} onOpen={setOpened} />
                  ))}
                </Table>
              )
            }
          </Shown>
        </div>
      </Card>
      {opened?.kind === "add" && <AddDialog {...dialog} />}
      {opened?.kind === "rename" && <RenameDialog {...dialog} passkey={opened.passkey} />}
      {opened?.kind === "remove" && <RemoveDialog {...dialog} passkey={opened.passkey} />}
    </>
  )
}
