import type { OperatorPixKey } from "../../../../schema/api/pixKeys.ts"
import { call } from "../../api/http.ts"
import { textsOf } from "../../text/i18n.ts"
import { pixKeyTypeText } from "../../text/pixKeyTypes.ts"
import { Foreign } from "../../ui/values.tsx"
import type { Act } from "./acts.tsx"

const texts = textsOf({
  "pt-BR": {
    approve: "Aprovar",
    refuse: "Recusar",
    approveTitle: "Aprovar chave Pix",
    approveText: "O vendedor poderá sacar para esta chave na hora.",
    approved: "Chave aprovada. O vendedor já pode sacar para ela.",
    refuseTitle: "Recusar chave Pix",
    refuseText: "O vendedor não poderá sacar para esta chave. Ele pode registrá-la de novo.",
    refused: "Chave recusada.",
  },
  en: {
    approve: "Approve",
    refuse: "Refuse",
    approveTitle: "Approve the Pix key",
    approveText: "The seller can withdraw to this key at once.",
    approved: "Key approved. The seller can withdraw to it now.",
    refuseTitle: "Refuse the Pix key",
    refuseText: "The seller cannot withdraw to this key. It may be registered again.",
    refused: "Key refused.",
  },
})

const Named = ({ of: { type, value } }: { readonly of: OperatorPixKey }) => (
  <p>
    {pixKeyTypeText(type)}{" "}
    <strong>
      <Foreign>{value}</Foreign>
    </strong>
  </p>
)

/** Approves or refuses a Pix key. */
export const pixKeyAct = (pixKey: OperatorPixKey, act: "approve" | "refuse"): Act => {
  const { value } = texts
  const isApproval = act === "approve"
  return {
    title: isApproval ? value.approveTitle : value.refuseTitle,
    explanation: (
      <>
        <Named of={pixKey} />
        <p>{isApproval ? value.approveText : value.refuseText}</p>
      </>
    ),
    submit: value[act],
    isDanger: !isApproval,
    perform: (body) => call(`POST /v1/admin/pix-keys/:id/${act}`, { params: { id: pixKey.id }, body }),
    isDecision: true,
    done: isApproval ? value.approved : value.refused,
  }
}

/** The names of the acts, for the buttons that begin them. */
export const pixKeyActNames = texts
