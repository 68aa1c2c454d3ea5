import { textsOf } from "../../text/i18n.ts"
import { Button } from "../../ui/button.tsx"
import { Dialog } from "../../ui/dialog.tsx"
import { Code, Copy } from "../../ui/values.tsx"

const texts = textsOf({
  "pt-BR": {
    once: "Guarde este segredo agora. Ele não será mostrado de novo.",
    use: "O seu sistema confere com ele se cada entrega veio mesmo de nós.",
    done: "Já guardei o segredo",
  },
  en: {
    once: "Store this secret now. It will not be shown again.",
    use: "Your system uses it to check that each delivery really comes from us.",
    done: "I have stored the secret",
  },
})

/** Shows a secret this once; it closes by its button alone. */
export const SecretDialog = ({
  title,
  secret,
  note,
  onDone,
}: {
  readonly title: string
  readonly secret: string
  readonly note?: string
  readonly onDone: () => void
}) => (
  <Dialog title={title} canClose={false} onClose={onDone}>
    <div class="form">
      <p>
        <strong>{texts.value.once}</strong> {texts.value.use}
      </p>
      <div class="secret">
        <Code testId="secret-once">{secret}</Code>
        <Copy text={secret} />
      </div>
      {note !== undefined && <p class="muted">{note}</p>}
      <div class="form-buttons">
        <Button kind="primary" data-testid="secret-done" onClick={onDone}>
          {texts.value.done}
        </Button>
      </div>
    </div>
  </Dialog>
)
