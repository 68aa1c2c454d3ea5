import { useState } from "preact/hooks"
import { call } from "../../api/http.ts"
import { useRead } from "../../api/resource.ts"
import { textsOf } from "../../text/i18n.ts"
import { Button } from "../../ui/button.tsx"
import { Dialog } from "../../ui/dialog.tsx"
import { Form } from "../../ui/form.tsx"
import { Card, Facts, Shown } from "../../ui/page.tsx"
import { Code, Moment } from "../../ui/values.tsx"
import { SecretDialog } from "./secretDialog.tsx"

const texts = textsOf({
  "pt-BR": {
    title: "Segredo dos postbacks",
    what: "Assina os postbacks (o endereço que uma cobrança traz em postback_url) e o rastreador, em teste e em produção.",
    begins: "Começa com",
    since: "Criado em",
    none: "Ainda não há segredo, e sem ele nenhum postback é enviado.",
    rotate: "Trocar segredo",
    create: "Criar segredo",
    confirm:
      "O segredo atual deixa de valer na hora, em teste e em produção. Atualize o seu sistema em seguida.",
  },
  en: {
    title: "Postback secret",
    what: "Signs postbacks (the address that a charge has as postback_url) and the tracker, in test and live.",
    begins: "Begins with",
    since: "Created",
    none: "There is no secret yet, and without it no postback is sent.",
    rotate: "Replace secret",
    create: "Create secret",
    confirm: "The current secret ends at once, in test and live. Update your system right after.",
  },
})

/** What signs postbacks and the tracker, and what replaces it. */
export const PostbackSecretCard = () => {
  const [isRotating, setRotating] = useState(false)
  const [secret, setSecret] = useState<string>()
  const shown = useRead("GET /v1/me/postback-secret", {})
  const { value } = texts
  const isNone = shown.value.value?.prefix === null
  const rotate = async () => {
    const made = await call("POST /v1/me/postback-secret/rotate")
    setRotating(false)
    setSecret(made.secret)
    void shown.reload()
  }
  return (
    <Card
      title={value.title}
      actions={
        <Button needs="integrating" data-testid="postback-rotate" onClick={() => setRotating(true)}>
          {isNone ? value.create : value.rotate}
        </Button>
      }
    >
      <div class="form">
        <p class="muted">{value.what}</p>
        <Shown of={shown}>
          {({ prefix, rotated_at }) =>
            prefix === null ? (
              <p>{value.none}</p>
            ) : (
              <Facts
                of={[
                  [value.begins, <Code>{`${prefix}…`}</Code>],
                  [value.since, <Moment at={rotated_at} />],
                ]}
              />
            )
          }
        </Shown>
      </div>
      {isRotating && (
        <Dialog title={isNone ? value.create : value.rotate} onClose={() => setRotating(false)}>
          <Form
            submit={isNone ? value.create : value.rotate}
            danger={!isNone}
            onCancel={() => setRotating(false)}
            onSubmit={rotate}
          >
            <p>{isNone ? value.what : value.confirm}</p>
          </Form>
        </Dialog>
      )}
      {secret !== undefined && (
        <SecretDialog title={value.title} secret={secret} onDone={() => setSecret(undefined)} />
      )}
    </Card>
  )
}
