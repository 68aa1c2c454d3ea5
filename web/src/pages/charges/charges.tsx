import { useState } from "preact/hooks"
import { orderOf } from "../../../../schema/chargeTexts.ts"
import type { TransactionSummary } from "../../../../schema/resources/transaction.ts"
import { chargeOf } from "../../api/live.ts"
import { type List, useList } from "../../api/resource.ts"
import { Link, navigate, query, setQuery } from "../../app/router.tsx"
import { formatMoney } from "../../text/format.ts"
import { textsOf } from "../../text/i18n.ts"
import { Button } from "../../ui/button.tsx"
import { Empty } from "../../ui/feedback.tsx"
import { Icon } from "../../ui/icons.tsx"
import { lazily } from "../../ui/lazily.tsx"
import { Menu } from "../../ui/menu.tsx"
import { notify } from "../../ui/notice.tsx"
import { isReady, Page } from "../../ui/page.tsx"
import { Cell, CheckBox, ListTable, TableRow } from "../../ui/table.tsx"
import { copyText, Foreign, Money, Status, When } from "../../ui/values.tsx"
import { FilterBar } from "./filterBar.tsx"
import { readChargeFilters } from "./listFilters.ts"
import { NewCharge } from "./newCharge.tsx"
import { isChargeEvent, leftToRefund, listWith } from "./rules.ts"
import { StatusTabs, TotalsLine, useTotals } from "./totals.tsx"
import { isView, useSavedViews, ViewTabs } from "./views.tsx"
import "../../styles/chargeList.css"
import { mayDo } from "../../text/roles.ts"

const texts = textsOf({
  "pt-BR": {
    title: "Cobranças",
    create: "Nova cobrança",
    amount: "Valor",
    status: "Situação",
    customer: "Pagador",
    order: "Pedido",
    paid: "Paga em",
    created: "criada",
    open: "Abrir cobrança de",
    none: "Nenhuma cobrança ainda",
    first: "Crie a primeira aqui, ou pela API. Ela aparece na hora, com o QR code para pagar.",
    noneFiltered: "Nenhuma cobrança com estes filtros",
    widen: "Mude ou limpe os filtros para ver outras.",
    done: "Cobrança criada.",
    waiting: (count: number) => (count === 1 ? "1 cobrança nova" : `${count} cobranças novas`),
    choose: "Selecionar a cobrança de",
    chooseAll: "Selecionar todas as que aparecem",
    select: "Selecionar cobranças",
    selectEnd: "Cancelar",
    copyLink: "Copiar link",
    copied: "Link copiado.",
    left: (amount: string) => `restam ${amount}`,
    refund: "Devolver",
    see: "Abrir",
    acts: "Ações",
  },
  en: {
    title: "Charges",
    create: "New charge",
    amount: "Amount",
    status: "Status",
    customer: "Payer",
    order: "Order",
    paid: "Paid",
    created: "created",
    open: "Open the charge of",
    none: "No charges yet",
    first: "Create the first one here, or by the API. It appears at once, with its QR code.",
    noneFiltered: "No charges match these filters",
    widen: "Change or clear the filters to see others.",
    done: "Charge created.",
    waiting: (count: number) => (count === 1 ? "1 new charge" : `${count} new charges`),
    choose: "Select the charge of",
    chooseAll: "Select all that are shown",
    select: "Select charges",
    selectEnd: "Cancel",
    copyLink: "Copy link",
    copied: "Link copied.",
    left: (amount: string) => `${amount} left`,
    refund: "Refund",
    see: "Open",
    acts: "Acts",
  },
})

/** Charges that an event brought while the page was open. */
const arrived = new WeakSet<TransactionSummary>()

const BulkRefund = lazily(() => import("./bulkRefund.tsx").then((part) => part.BulkRefund))
const SelectionBar = lazily(() => import("./selectionBar.tsx").then((part) => part.SelectionBar))
const RowRefund = lazily(() => import("./rowRefund.tsx").then((part) => part.RowRefund))

const copyLink = async ({ payment_url }: TransactionSummary): Promise<void> => {
  await copyText(payment_url)
  notify(texts.value.copied)
}

interface RowProps {
  readonly charge: TransactionSummary
  readonly isChosen: boolean
  readonly onChoose: (isChosen: boolean) => void
  readonly onRefund: () => void
}

const RowMenu = ({ charge, onRefund }: Pick<RowProps, "charge" | "onRefund">) => {
  const { value } = texts
  const refund = { name: value.refund, icon: <Icon name="refund" />, onClick: onRefund }
  return (
    <Menu
      entries={[
        { name: value.copyLink, icon: <Icon name="link" />, onClick: () => copyLink(charge) },
        ...(leftToRefund(charge) > 0 && mayDo("refunding") ? [refund] : []),
        { name: value.see, icon: <Icon name="list" />, onClick: () => navigate(`/charges/${charge.id}`) },
      ]}
    />
  )
}

const Row = ({ charge, isChosen, onChoose, onRefund }: RowProps) => (
  <TableRow
    data-testid="charge-row"
    data-id={charge.id}
    data-status={charge.status}
    isNew={arrived.has(charge)}
    opens
  >
    <Cell place="check">
      <CheckBox
        label={`${texts.value.choose} ${charge.customer.name}, ${formatMoney(charge.amount)}`}
        isChecked={isChosen}
        testId="charge-check"
        onCheck={onChoose}
      />
    </Cell>
    <Cell place="state" label={texts.value.status}>
      <Status status={charge.status} />
    </Cell>
    <Cell place="amount" label={texts.value.amount}>
      <Money amount={charge.amount} />
      {charge.status === "paid" && charge.refunded_amount > 0 && (
        <small class="second-line" data-testid="charge-left">
          {texts.value.left(formatMoney(charge.amount - charge.refunded_amount))}
        </small>
      )}
    </Cell>
    <Cell place="title" label={texts.value.customer}>
      <Link to={`/charges/${charge.id}`}>
        <span class="visually-hidden">
          {texts.value.open} {formatMoney(charge.amount)}{" "}
        </span>
        <span class="clamped">
          <Foreign>{charge.customer.name}</Foreign>
        </span>
      </Link>
      <small class="second-line">
        <Foreign>{charge.customer.email}</Foreign>
      </small>
    </Cell>
    <Cell place="note" label={texts.value.order}>
      {orderOf(charge) !== "" && (
        <span class="clamped">
          <Foreign>{orderOf(charge)}</Foreign>
        </span>
      )}
    </Cell>
    <Cell place="when" label={texts.value.paid}>
      {charge.paid_at === null && `${texts.value.created} `}
      <When at={charge.paid_at ?? charge.created_at} />
    </Cell>
    <Cell place="row-menu">
      <RowMenu charge={charge} onRefund={onRefund} />
    </Cell>
  </TableRow>
)

const pageSize = 25

/** Centavos that a link asks the form to begin with. */
const askedAmount = (): number | undefined => {
  const amount = Number(query.value.get("amount"))
  return Number.isSafeInteger(amount) && amount > 0 ? amount : undefined
}

const Creation = () => {
  if (query.value.get("create") === null || !mayDo("charging")) return null
  return (
    <NewCharge
      amount={askedAmount()}
      onClose={() => setQuery({ create: undefined, amount: undefined })}
      onCreated={({ id }) => {
        notify(texts.value.done)
        navigate(`/charges/${id}`, { replace: true })
      }}
    />
  )
}

/** Which of the charges that are shown are ticked. Those that a filter takes away are ticked no more. */
const useChosen = (shown: ReadonlyArray<TransactionSummary>) => {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set())
  const chosen = shown.filter(({ id }) => ids.has(id))
  const set = (wanted: ReadonlyArray<TransactionSummary>) => setIds(new Set(wanted.map(({ id }) => id)))
  return {
    chosen,
    isChosen: ({ id }: TransactionSummary) => ids.has(id),
    choose: (charge: TransactionSummary, isChosen: boolean) =>
      set(isChosen ? [...chosen, charge] : chosen.filter(({ id }) => id !== charge.id)),
    chooseAll: (isChosen: boolean) => set(isChosen ? shown : []),
  }
}

interface ChargeListProps {
  readonly of: List<TransactionSummary>
  readonly isFiltered: boolean
  /** Whether a narrow screen shows the checkboxes. */
  readonly isSelecting: boolean
  readonly onEnd: () => void
}

/** The rows, and what can be done to those that are ticked. */
const ChargeList = ({ of, isFiltered, isSelecting, onEnd }: ChargeListProps) => {
  const shown = of.value.value?.data ?? []
  const { chosen, isChosen, choose, chooseAll } = useChosen(shown)
  const [refunded, setRefunded] = useState<TransactionSummary>()
  const [refundedAtOnce, setRefundedAtOnce] = useState<ReadonlyArray<TransactionSummary>>()
  const { value } = texts
  const clear = () => {
    chooseAll(false)
    onEnd()
  }
  const checkAll = (
    <CheckBox
      label={value.chooseAll}
      isChecked={chosen.length > 0 && chosen.length === shown.length}
      isPartly={chosen.length > 0 && chosen.length < shown.length}
      testId="check-all"
      onCheck={chooseAll}
    />
  )
  return (
    <div class={isSelecting ? "selecting" : undefined}>
      <ListTable
        of={of}
        label={value.title}
        waiting={{ idOf: ({ id }) => id, label: value.waiting, isHeld: isSelecting || chosen.length > 0 }}
        columns={[
          { name: "check", box: checkAll },
          value.status,
          { right: value.amount },
          value.customer,
          value.order,
          value.paid,
          { name: "row-menu", box: <span class="visually-hidden">{value.acts}</span> },
        ]}
        empty={
          <Empty title={isFiltered ? value.noneFiltered : value.none}>
            {isFiltered ? value.widen : value.first}
          </Empty>
        }
      >
        {(charge) => (
          <Row
            key={charge.id}
            charge={charge}
            isChosen={isChosen(charge)}
            onChoose={(isNow) => choose(charge, isNow)}
            onRefund={() => setRefunded(charge)}
          />
        )}
      </ListTable>
      {chosen.length > 0 && (
        <SelectionBar charges={chosen} onRefund={() => setRefundedAtOnce(chosen)} onClear={clear} />
      )}
      {/* Beside the bar: rows that are refunded may leave the list, and what became of them is to be read. */}
      {refundedAtOnce !== undefined && (
        <BulkRefund
          charges={refundedAtOnce}
          onClose={(isBegun) => {
            setRefundedAtOnce(undefined)
            if (isBegun) clear()
          }}
        />
      )}
      {refunded !== undefined && <RowRefund of={refunded} onClose={() => setRefunded(undefined)} />}
    </div>
  )
}

/** The seller's charges: filtered by the address, live, and where new ones are created. */
export default () => {
  const filters = readChargeFilters(query.value)
  const totals = useTotals(filters)
  const views = useSavedViews()
  const charges = useList(
    "GET /v1/me/transactions",
    { query: { ...filters, view: "summary", limit: pageSize } },
    {
      reloadsOn: isChargeEvent,
      applies: (shown, event) => {
        const charge = chargeOf(event)
        // A charge does not name its customer: whose it is, the list says.
        if (charge === undefined || filters.customer_id !== undefined) return undefined
        arrived.add(charge)
        return listWith(shown, charge, filters)
      },
    },
  )
  const [isSelecting, setSelecting] = useState(false)
  const isFiltered = Object.values(filters).some((value) => value !== undefined)
  return (
    <Page
      title={texts.value.title}
      ready={isReady(charges)}
      actions={
        <>
          <Button
            class="select-opener"
            data-testid="select-opener"
            aria-label={isSelecting ? texts.value.selectEnd : texts.value.select}
            title={isSelecting ? texts.value.selectEnd : texts.value.select}
            onClick={() => setSelecting(!isSelecting)}
          >
            <Icon name={isSelecting ? "close" : "select"} />
          </Button>
          <Button
            kind="primary"
            needs="charging"
            data-testid="charge-create"
            onClick={() => setQuery({ create: "1" })}
          >
            {texts.value.create}
          </Button>
        </>
      }
    >
      <StatusTabs status={filters.status} of={totals} isOther={isView(views, filters)}>
        <ViewTabs filters={filters} of={views} />
      </StatusTabs>
      <FilterBar filters={filters} />
      <TotalsLine status={filters.status} of={totals} />
      <ChargeList
        // Whoever ends selecting unticks all.
        key={String(isSelecting)}
        of={charges}
        isFiltered={isFiltered}
        isSelecting={isSelecting}
        onEnd={() => setSelecting(false)}
      />
      <Creation />
    </Page>
  )
}
