import type { ComponentChildren } from "preact"
import type { OperatorPixKey } from "../../../../schema/api/pixKeys.ts"
import type { Case } from "../../../../schema/api/queue.ts"
import { formLimits } from "../../../../schema/formLimits.ts"
import type { ExceptionKind } from "../../../../schema/resources/exception.ts"
import type { AuditEntry } from "../../../../schema/resources/operator.ts"
import { type Resource, useRead, useResource } from "../../api/resource.ts"
import { user } from "../../api/session.ts"
import { Link } from "../../app/router.tsx"
import { textsOf } from "../../text/i18n.ts"
import { pixKeyTypeText } from "../../text/pixKeyTypes.ts"
import { Button } from "../../ui/button.tsx"
import { useKeys } from "../../ui/keys.ts"
import { Card, Facts, Shown } from "../../ui/page.tsx"
import { Foreign, Moment, Money } from "../../ui/values.tsx"
import { type Act, useAct } from "./acts.tsx"
import { ExceptionCase } from "./exception.tsx"
import { kindText } from "./exceptionTexts.ts"
import { type OfSeller, readOnePixKey, readOneWithdrawal } from "./ofSeller.ts"
import { SellerLink } from "./parts.tsx"
import { pixKeyAct, pixKeyActNames } from "./pixKeyActs.tsx"
import { caseKindText } from "./queueList.tsx"
import { useRefreshing } from "./refreshing.ts"
import { askedBy } from "./secondOperator.ts"
import { SellerProfileCard } from "./seller.tsx"
import { kycAct } from "./sellerActs.tsx"
import { approval, rejection, WithdrawalCase } from "./withdrawalCase.tsx"

const texts = textsOf({
  "pt-BR": {
    back: "Fila",
    decided: "Já foi decidido.",
    keys: { approve: "aprova", refuse: "recusa", walk: "percorre a fila" },
    type: "Tipo",
    key: "Chave",
    registered: "Registrada",
    payout: "Pague no aplicativo do banco e registre o end-to-end do Pix.",
    toPay: "Abrir saques a pagar",
  },
  en: {
    back: "Queue",
    decided: "This was decided already.",
    keys: { approve: "approves", refuse: "refuses", walk: "go through the queue" },
    type: "Kind",
    key: "Key",
    registered: "Registered",
    payout: "Pay in the bank's application, and enter the Pix's end-to-end id.",
    toPay: "Open withdrawals to pay",
  },
})

interface PanelProps {
  readonly of: Case
  readonly log: ReadonlyArray<AuditEntry>
  readonly ask: (act: Act) => void
}

interface Decided {
  /** What `a` asks for; undefined where it would be refused. */
  readonly approve: (() => void) | undefined
  readonly refuse: () => void
}

/** Takes `a` and `r`, and says so. */
const DecisionKeys = ({ approve, refuse }: Decided) => {
  useKeys({ a: () => approve?.(), r: refuse })
  const { keys } = texts.value
  return (
    <p class="case-keys muted" aria-hidden="true">
      <kbd>a</kbd> {keys.approve} · <kbd>r</kbd> {keys.refuse} · <kbd>j</kbd> <kbd>k</kbd> {keys.walk}
    </p>
  )
}

const Gone = () => <p class="muted">{texts.value.decided}</p>

interface OneProps<A> {
  readonly of: Resource<A | null>
  readonly children: (value: A) => ComponentChildren
}

/** A thing of the queue, or that it is no longer there. */
const One = <A,>({ of, children }: OneProps<A>) => (
  <Shown of={of}>{(found) => (found === null ? <Gone /> : children(found))}</Shown>
)

const orNull = async <A,>(found: Promise<A | undefined>): Promise<A | null> => (await found) ?? null

const ofSeller = ({ id, mode, seller_id }: Case): OfSeller => ({
  id,
  mode: mode ?? "live",
  sellerId: seller_id ?? "",
})

const WithdrawalPanel = ({ of: one, log, ask }: PanelProps) => {
  const found = useResource(`queued ${one.id}`, (signal) => orNull(readOneWithdrawal(ofSeller(one), signal)))
  useRefreshing(found)
  return (
    <One of={found}>
      {(withdrawal) => (
        <>
          <WithdrawalCase
            of={withdrawal}
            asked={askedBy("withdrawal.approval_asked", withdrawal.id, log, user.value?.id)}
            ask={ask}
          />
          {withdrawal.status === "awaiting" && (
            <DecisionKeys
              approve={() => ask(approval(withdrawal))}
              refuse={() => ask(rejection(withdrawal))}
            />
          )}
        </>
      )}
    </One>
  )
}

const PixKeyFacts = ({
  of: pixKey,
  ask,
}: {
  readonly of: OperatorPixKey
  readonly ask: PanelProps["ask"]
}) => {
  const approve = () => ask(pixKeyAct(pixKey, "approve"))
  const refuse = () => ask(pixKeyAct(pixKey, "refuse"))
  const { value } = texts
  if (pixKey.status !== "pending_approval") return <Gone />
  return (
    <>
      <Card>
        <Facts
          of={[
            [value.type, pixKeyTypeText(pixKey.type)],
            [value.key, <Foreign key="value">{pixKey.value}</Foreign>],
            [value.registered, <Moment key="registered" at={pixKey.created_at} />],
          ]}
        />
        <div class="row-acts">
          <Button kind="danger" data-testid="refuse" onClick={refuse}>
            {pixKeyActNames.value.refuse}
          </Button>
          <Button kind="primary" data-testid="approve" onClick={approve}>
            {pixKeyActNames.value.approve}
          </Button>
        </div>
      </Card>
      <DecisionKeys approve={approve} refuse={refuse} />
    </>
  )
}

const SellerFacts = ({ id, ask }: { readonly id: string; readonly ask: PanelProps["ask"] }) => {
  const seller = useRead("GET /v1/admin/sellers/:id", { params: { id } })
  useRefreshing(seller)
  return (
    <Shown of={seller}>
      {(found) => (
        <>
          <SellerProfileCard seller={found} ask={ask} />
          {found.kyc_status === "pending" && (
            <DecisionKeys
              approve={found.document === null ? undefined : () => ask(kycAct(found, "approved"))}
              refuse={() => ask(kycAct(found, "rejected"))}
            />
          )}
        </>
      )}
    </Shown>
  )
}

const PixKeyPanel = ({ of: one, ask }: PanelProps) => {
  const found = useResource(`queued ${one.id}`, (signal) => orNull(readOnePixKey(ofSeller(one), signal)))
  useRefreshing(found)
  return <One of={found}>{(pixKey) => <PixKeyFacts of={pixKey} ask={ask} />}</One>
}

const ExceptionPanel = ({ of: { id }, log, ask }: PanelProps) => {
  const exception = useRead("GET /v1/admin/exceptions/:id", { params: { id } })
  useRefreshing(exception)
  return <Shown of={exception}>{(found) => <ExceptionCase of={found} log={log} ask={ask} />}</Shown>
}

const PayoutPanel = ({ of: { detail } }: PanelProps) => (
  <Card>
    <Facts of={[[texts.value.key, detail && <Foreign key="key">{detail}</Foreign>]]} />
    <p>{texts.value.payout}</p>
    <Link to="/admin/to-pay" class="button primary">
      {texts.value.toPay}
    </Link>
  </Card>
)

const panels = {
  withdrawal: WithdrawalPanel,
  payout: PayoutPanel,
  exception: ExceptionPanel,
  pix_key: PixKeyPanel,
  seller: ({ of: { id }, ask }: PanelProps) => <SellerFacts id={id} ask={ask} />,
} as const

interface CasePanelProps {
  readonly of: Case
  /** Reads the queue again. */
  readonly onDone: () => unknown
}

/** Whose case it is; of an exception, what it is. */
const Title = ({ of: { kind, detail, amount, seller_id, seller_name } }: { readonly of: Case }) => {
  const name = seller_name !== null && <Foreign>{seller_name}</Foreign>
  if (kind !== "exception") {
    return (
      <>
        {caseKindText(kind)} · {seller_id === null ? name : <SellerLink id={seller_id}>{name}</SellerLink>}
      </>
    )
  }
  return (
    <>
      {kindText(detail as ExceptionKind)} {amount !== null && <Money amount={amount} />}
    </>
  )
}

/** What decides a case of the queue, and its acts. `a` approves and `r` refuses, where the case has both. */
export const CasePanel = ({ of: one, onDone }: CasePanelProps) => {
  const log = useRead("GET /v1/admin/audit", { query: { limit: formLimits.pageSizeMax } })
  useRefreshing(log)
  const { ask, dialog } = useAct(() => Promise.all([onDone(), log.reload()]))
  const Panel = panels[one.kind]
  return (
    <section class="desk-case" aria-labelledby="case" data-testid="case" data-id={one.id}>
      <Link to="/admin" class="page-back">
        {texts.value.back}
      </Link>
      <h2 id="case">
        <Title of={one} />
      </h2>
      <Panel key={one.id} of={one} log={log.value.value?.data ?? []} ask={ask} />
      {dialog}
    </section>
  )
}
