import type { SellerProfile } from "../../../../schema/resources/seller.ts"
import { call } from "../../api/http.ts"
import { textsOf } from "../../text/i18n.ts"
import { dayMillis } from "../../text/spans.ts"
import { Select, textOf } from "../../ui/form.tsx"
import { Foreign } from "../../ui/values.tsx"
import type { Act } from "./acts.tsx"

const texts = textsOf({
  "pt-BR": {
    kycApprove: "Aprovar cadastro",
    kycApproveText: "passa a poder cobrar, sacar e devolver em produção.",
    kycApproved: "Cadastro aprovado.",
    kycReject: "Recusar cadastro",
    kycRejectText: "não pode mais cobrar, sacar nem devolver em produção, e pode enviar os dados de novo.",
    kycRejected: "Cadastro recusado.",
    suspend: "Suspender",
    suspendText:
      "não pode mais criar cobranças, saques, devoluções nem chaves, e seus saques não podem ser aprovados. Continua podendo entrar e ver os dados; as entregas continuam.",
    suspended: "Vendedor suspenso.",
    reactivate: "Reativar",
    reactivateText: "volta a poder operar.",
    reactivated: "Vendedor reativado.",
    lock: "Bloquear saques",
    lockText: "não pode pedir saques até o prazo, e nenhum é aprovado. As cobranças continuam.",
    until: "Por quanto tempo",
    days: (count: number) => (count === 1 ? "1 dia" : `${count} dias`),
    locked: "Saques bloqueados.",
    unlock: "Desbloquear saques",
    unlockText: "volta a poder sacar. O bloqueio depois de uma recuperação de acesso não é retirado.",
    unlocked: "Bloqueio retirado.",
  },
  en: {
    kycApprove: "Approve the identification",
    kycApproveText: "may charge, withdraw and refund in live mode.",
    kycApproved: "Identification approved.",
    kycReject: "Reject the identification",
    kycRejectText: "can no longer charge, withdraw or refund in live mode, and may submit its data again.",
    kycRejected: "Identification rejected.",
    suspend: "Suspend",
    suspendText:
      "can no longer create charges, withdrawals, refunds or keys, and its withdrawals cannot be approved. It can still sign in and read; deliveries go on.",
    suspended: "Seller suspended.",
    reactivate: "Reactivate",
    reactivateText: "may operate again.",
    reactivated: "Seller reactivated.",
    lock: "Lock withdrawals",
    lockText: "cannot request withdrawals until then, and none is approved. Charges go on.",
    until: "For how long",
    days: (count: number) => (count === 1 ? "1 day" : `${count} days`),
    locked: "Withdrawals locked.",
    unlock: "Unlock withdrawals",
    unlockText: "may withdraw again. The lock after a recovery of access is not lifted.",
    unlocked: "Lock lifted.",
  },
})

const sentence = ({ name }: SellerProfile, rest: string) => (
  <p>
    <strong>
      <Foreign>{name}</Foreign>
    </strong>{" "}
    {rest}
  </p>
)

/** Decides a seller's identification. */
export const kycAct = (seller: SellerProfile, status: "approved" | "rejected"): Act => {
  const { value } = texts
  const isApproval = status === "approved"
  return {
    title: isApproval ? value.kycApprove : value.kycReject,
    explanation: sentence(seller, isApproval ? value.kycApproveText : value.kycRejectText),
    submit: isApproval ? value.kycApprove : value.kycReject,
    isDanger: !isApproval,
    // What payers will see is what the operator saw here.
    perform: (body) =>
      call("POST /v1/admin/sellers/:id/kyc", {
        params: { id: seller.id },
        body: {
          ...{ ...body, status },
          ...(isApproval && seller.legal_name ? { legal_name: seller.legal_name } : {}),
        },
      }),
    done: isApproval ? value.kycApproved : value.kycRejected,
  }
}

/** Suspends a seller, or reactivates it. */
export const statusAct = (seller: SellerProfile): Act => {
  const { value } = texts
  const isSuspension = seller.status === "active"
  return {
    title: isSuspension ? value.suspend : value.reactivate,
    explanation: sentence(seller, isSuspension ? value.suspendText : value.reactivateText),
    submit: isSuspension ? value.suspend : value.reactivate,
    isDanger: isSuspension,
    reason: isSuspension ? "required" : "optional",
    perform: (body) =>
      call("POST /v1/admin/sellers/:id/status", {
        params: { id: seller.id },
        body: { ...body, status: isSuspension ? "suspended" : "active" },
      }),
    done: isSuspension ? value.suspended : value.reactivated,
  }
}

const lockDays = [1, 3, 7, 30, 90]

/** Locks a seller's withdrawals for some days. */
export const lockAct = (seller: SellerProfile): Act => ({
  title: texts.value.lock,
  explanation: sentence(seller, texts.value.lockText),
  submit: texts.value.lock,
  isDanger: true,
  reason: "required",
  fields: (
    <Select label={texts.value.until} name="days">
      {lockDays.map((days) => (
        <option key={days} value={days}>
          {texts.value.days(days)}
        </option>
      ))}
    </Select>
  ),
  perform: (body, values) => {
    const until = new Date(Date.now() + Number(textOf(values, "days")) * dayMillis).toISOString()
    return call("POST /v1/admin/sellers/:id/payout-lock", {
      params: { id: seller.id },
      body: { ...body, until },
    })
  },
  done: texts.value.locked,
})

/** Lifts an operator's lock. */
export const unlockAct = (seller: SellerProfile): Act => ({
  title: texts.value.unlock,
  explanation: sentence(seller, texts.value.unlockText),
  submit: texts.value.unlock,
  perform: (body) =>
    call("POST /v1/admin/sellers/:id/payout-lock", {
      params: { id: seller.id },
      body: { ...body, until: null },
    }),
  done: texts.value.unlocked,
})

/** The names of the acts, for the buttons that begin them. */
export const sellerActNames = texts
