import { user } from "../../api/session.ts"
import { textsOf } from "../../text/i18n.ts"
import { Button } from "../../ui/button.tsx"
import { saveFile } from "../../ui/saveFile.ts"
import { Copy } from "../../ui/values.tsx"
import { Note } from "./frame.tsx"

const texts = textsOf({
  "pt-BR": {
    title: "Guarde seus códigos de reserva",
    why: "Cada um vale uma vez, no lugar do aplicativo autenticador. Eles não serão mostrados de novo: guarde-os onde só você alcança.",
    copy: "Copiar todos",
    download: "Baixar",
    done: "Já guardei os códigos",
    heading: "Códigos de reserva da Corrente",
    once: "Cada código vale uma vez.",
  },
  en: {
    title: "Keep your backup codes",
    why: "Each works once, in place of your authenticator app. They are not shown again: keep them where only you can get at them.",
    copy: "Copy all",
    download: "Download",
    done: "I have kept the codes",
    heading: "Corrente backup codes",
    once: "Each code works once.",
  },
})

const download = (codes: ReadonlyArray<string>) => {
  const { heading, once } = texts.value
  const lines = [heading, user.value?.email ?? "", once, "", ...codes, ""]
  saveFile(new Blob([lines.join("\n")], { type: "text/plain;charset=utf-8" }), "corrente-backup-codes.txt")
}

interface BackupCodesProps {
  readonly codes: ReadonlyArray<string>
  readonly onDone: () => void
}

/** Backup codes, shown this once: to copy or to download. */
export const BackupCodes = ({ codes, onDone }: BackupCodesProps) => {
  const { value } = texts
  return (
    <div class="form">
      <Note tone="waiting">
        <strong>{value.title}</strong>
        <p>{value.why}</p>
      </Note>
      <ol class="backup-codes" data-testid="backup-codes">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ol>
      <div class="form-buttons">
        <Copy text={codes.join("\n")} label={value.copy} />
        <Button class="copy" onClick={() => download(codes)} data-testid="backup-codes-download">
          {value.download}
        </Button>
        <Button kind="primary" class="backup-codes-done" onClick={onDone} data-testid="secret-done">
          {value.done}
        </Button>
      </div>
    </div>
  )
}
