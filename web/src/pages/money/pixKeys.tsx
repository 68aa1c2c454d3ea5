import { useState } from "preact/hooks"
import { formLimits } from "../../../../schema/formLimits.ts"
import { type PixKeyType, pixKeyTypes } from "../../../../schema/names.ts"
import type { PixKey } from "../../../../schema/resources/pixKey.ts"
import { call } from "../../api/http.ts"
import type { Resource } from "../../api/resource.ts"
import { mode } from "../../api/session.ts"
import { explained } from "../../text/failures.ts"
import { textsOf } from "../../text/i18n.ts"
import { pixKeyTypeText } from "../../text/pixKeyTypes.ts"
import { Button } from "../../ui/button.tsx"
import { Dialog } from "../../ui/dialog.tsx"
import { Empty } from "../../ui/feedback.tsx"
import { Field, Form, Select, textOf } from "../../ui/form.tsx"
import { notify } from "../../ui/notice.tsx"
import { Card, Shown } from "../../ui/page.tsx"
import { Cell, Table, TableRow } from "../../ui/table.tsx"
import { Foreign, Status, TrueWhen } from "../../ui/values.tsx"

const texts = textsOf({
  "pt-BR": {
    title: "Chaves Pix",
    add: "Adicionar chave",
    addTitle: "Adicionar chave Pix",
    type: "Tipo",
    value: "Chave",
    acts: "Ações",
    status: "Situação",
    since: "Cadastrada em",
    remove: "Remover",
    removeTitle: "Remover chave Pix",
    removeText: "Novos saques não poderão ir para ela. Um saque em andamento continua.",
    added: "Chave Pix verificada: já pode receber saques.",
    addedPending: "Chave Pix cadastrada. Ela recebe saques depois da nossa análise.",
    removed: "Chave Pix removida.",
    none: "Nenhuma chave Pix",
    noneHint: "Os saques vão para uma chave Pix sua. Adicione a primeira para poder sacar.",
    test: "No modo de teste a chave vale na hora, e nenhum dinheiro sai.",
    live: "Em produção nós conferimos a chave antes do primeiro saque.",
    badValue: {
      cpf: "Esse CPF não existe. Confira os 11 dígitos.",
      cnpj: "Esse CNPJ não existe. Confira os 14 caracteres.",
      email: "Chaves Pix de e-mail têm até 77 caracteres, sem acentos e sem aspas.",
      phone: "Informe +55, o DDD e o número: 9 dígitos para celular, 8 para fixo. Ex.: +5511987654321",
      evp: "A chave aleatória é a que o seu banco gerou, como 123e4567-e89b-12d3-a456-426614174000.",
    },
    badDocument: "Em produção, a chave precisa ser o seu próprio documento.",
    pending_approval: "Nossa equipe está conferindo.",
    refused: "Não foi aceita. Remova-a e cadastre outra.",
  },
  en: {
    title: "Pix keys",
    add: "Add a key",
    addTitle: "Add a Pix key",
    type: "Type",
    value: "Key",
    acts: "Actions",
    status: "Status",
    since: "Added",
    remove: "Remove",
    removeTitle: "Remove Pix key",
    removeText: "New withdrawals cannot go to it. One in progress goes on.",
    added: "Pix key verified: withdrawals can go to it.",
    addedPending: "Pix key added. Withdrawals can go to it once we have reviewed it.",
    removed: "Pix key removed.",
    none: "No Pix keys",
    noneHint: "Withdrawals go to a Pix key of yours. Add the first to withdraw.",
    test: "In test mode the key counts at once, and no money leaves.",
    live: "In live mode we review the key before the first withdrawal.",
    badValue: {
      cpf: "There is no such CPF. Check its 11 digits.",
      cnpj: "There is no such CNPJ. Check its 14 characters.",
      email: "E-mail keys have at most 77 characters, without accents and quotation marks.",
      phone:
        "Enter +55, the area code and the number: 9 digits for a mobile, 8 for a landline, such as +5511987654321",
      evp: "A random key is the one that your bank made, such as 123e4567-e89b-12d3-a456-426614174000.",
    },
    badDocument: "In live mode, the key must be your own document.",
    pending_approval: "Our team is reviewing it.",
    refused: "It was not accepted. Remove it and add another.",
  },
})

const placeholders: Readonly<Record<PixKeyType, string>> = {
  cpf: "123.456.789-09",
  cnpj: "12.345.678/0001-95",
  email: "voce@exemplo.com",
  phone: "+5511987654321",
  evp: "123e4567-e89b-12d3-a456-426614174000",
}

/** The dialog that registers a Pix key. */
export const PixKeyDialog = ({
  onClose,
  onAdded,
}: {
  readonly onClose: () => void
  readonly onAdded: (key: PixKey) => void
}) => {
  const [type, setType] = useState<PixKeyType>("cpf")
  const { value } = texts
  const add = async (values: FormData) => {
    const isDocument = type === "cpf" || type === "cnpj"
    const bad = value.badValue[type]
    const words = { value: mode.value === "live" && isDocument ? `${bad} ${value.badDocument}` : bad }
    const body = { type, value: textOf(values, "value") }
    const key = await explained(words, () => call("POST /v1/me/pix-keys", { body }))
    notify(key.status === "verified" ? value.added : value.addedPending)
    onAdded(key)
  }
  return (
    <Dialog title={value.addTitle} onClose={onClose}>
      <Form submit={value.add} onSubmit={add} onCancel={onClose}>
        <p class="muted">{value[mode.value]}</p>
        <Select
          label={value.type}
          value={type}
          data-testid="pix-key-type"
          onChange={(event) =>
            setType(pixKeyTypes.find((known) => known === event.currentTarget.value) ?? "cpf")
          }
        >
          {pixKeyTypes.map((known) => (
            <option key={known} value={known}>
              {pixKeyTypeText(known)}
            </option>
          ))}
        </Select>
        <Field
          label={value.value}
          name="value"
          required
          autocomplete="off"
          maxLength={formLimits.pixKeyLengthMax}
          placeholder={placeholders[type]}
          data-testid="pix-key-value"
        />
      </Form>
    </Dialog>
  )
}

const RemoveDialog = ({
  of,
  onClose,
  onRemoved,
}: {
  readonly of: PixKey
  readonly onClose: () => void
  readonly onRemoved: () => void
}) => (
  <Dialog title={texts.value.removeTitle} onClose={onClose}>
    <Form
      danger
      submit={texts.value.remove}
      onCancel={onClose}
      onSubmit={async () => {
        await call("DELETE /v1/me/pix-keys/:id", { params: { id: of.id } })
        notify(texts.value.removed)
        onRemoved()
      }}
    >
      <p>
        <strong>{pixKeyTypeText(of.type)}</strong> <Foreign>{of.value}</Foreign>
      </p>
      <p>{texts.value.removeText}</p>
    </Form>
  </Dialog>
)

const Keys = ({
  of,
  onRemove,
}: {
  readonly of: ReadonlyArray<PixKey>
  readonly onRemove: (key: PixKey) => void
}) => {
  const { value } = texts
  return (
    <Table
      label={value.title}
      columns={[value.type, value.value, value.status, value.since, { right: value.acts }]}
    >
      {of.map((key) => (
        <TableRow key={key.id} data-testid="pix-key-row" data-id={key.id} data-status={key.status}>
          <Cell place="note" label={value.type}>
            {pixKeyTypeText(key.type)}
          </Cell>
          <Cell place="title" label={value.value}>
            <Foreign>{key.value}</Foreign>
          </Cell>
          <Cell place="state" label={value.status}>
            <Status status={key.status} />{" "}
            {(key.status === "pending_approval" || key.status === "refused") && (
              <small class="muted">{value[key.status]}</small>
            )}
          </Cell>
          <Cell place="when" label={value.since}>
            <TrueWhen at={key.created_at} />
          </Cell>
          <Cell place="buttons">
            <Button
              kind="quiet"
              needs="payingOut"
              data-testid="pix-key-remove"
              aria-label={`${value.remove}: ${pixKeyTypeText(key.type)} ${key.value}`}
              onClick={() => onRemove(key)}
            >
              {value.remove}
            </Button>
          </Cell>
        </TableRow>
      ))}
    </Table>
  )
}

/** A seller's Pix keys, with what adds and removes them. */
export const PixKeys = ({
  of,
  onAdd,
}: {
  readonly of: Resource<{ readonly data: ReadonlyArray<PixKey> }>
  readonly onAdd: () => void
}) => {
  const [removed, setRemoved] = useState<PixKey>()
  const close = () => setRemoved(undefined)
  return (
    <Card
      title={texts.value.title}
      actions={
        <Button needs="payingOut" data-testid="pix-key-add" onClick={onAdd}>
          {texts.value.add}
        </Button>
      }
    >
      <Shown of={of}>
        {({ data: keys }) =>
          keys.length === 0 ? (
            <Empty title={texts.value.none}>{texts.value.noneHint}</Empty>
          ) : (
            <Keys of={keys} onRemove={setRemoved} />
          )
        }
      </Shown>
      {removed !== undefined && (
        <RemoveDialog
          of={removed}
          onClose={close}
          onRemoved={() => {
            close()
            void of.reload()
          }}
        />
      )}
    </Card>
  )
}
