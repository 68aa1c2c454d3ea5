import { isOperator } from "../api/session.ts"
import { textsOf } from "../text/i18n.ts"
import { Dialog } from "../ui/dialog.tsx"
import "../styles/palette.css"

const texts = textsOf({
  "pt-BR": {
    title: "Teclas de atalho",
    or: "ou",
    keys: [
      [["/", "Ctrl K"], "Buscar, abrir uma página ou agir"],
      [["j"], "Próximo da lista"],
      [["k"], "Anterior da lista"],
      [["Enter"], "Abrir o da lista"],
      [["Esc"], "Fechar o que está aberto"],
      [["?"], "Mostrar estas teclas"],
    ],
    deskKeys: [
      [["a"], "Aprovar, na mesa"],
      [["r"], "Recusar, na mesa"],
    ],
    note: "Não valem enquanto você digita em um campo.",
  },
  en: {
    title: "Keyboard shortcuts",
    or: "or",
    keys: [
      [["/", "Ctrl K"], "Search, open a page, or act"],
      [["j"], "Next of a list"],
      [["k"], "Previous of a list"],
      [["Enter"], "Open the one of the list"],
      [["Esc"], "Close what is open"],
      [["?"], "Show these keys"],
    ],
    deskKeys: [
      [["a"], "Approve, on the desk"],
      [["r"], "Refuse, on the desk"],
    ],
    note: "They do nothing while you type in a field.",
  },
} as const)

/** The keys of all pages (docs/dashboard.md#keys). */
export const KeyList = ({ onClose }: { readonly onClose: () => void }) => {
  const { value } = texts
  return (
    <Dialog title={value.title} testId="key-list" onClose={onClose}>
      <dl class="key-list">
        {[...value.keys, ...(isOperator.value ? value.deskKeys : [])].map(([keys, what]) => (
          <div key={what}>
            <dt>
              {keys.map((key, index) => (
                <span key={key}>
                  {index > 0 && ` ${value.or} `}
                  <kbd>{key}</kbd>
                </span>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <p class="muted">{value.note}</p>
    </Dialog>
  )
}
