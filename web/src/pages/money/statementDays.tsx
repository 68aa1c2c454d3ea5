import { Fragment } from "preact"
import { useState } from "preact/hooks"
import type { LedgerEntry } from "../../../../schema/resources/ledger.ts"
import { isReturn } from "../../../../schema/statementSums.ts"
import { Link } from "../../app/router.tsx"
import { formatDay, formatHour, formatMoney } from "../../text/format.ts"
import { textsOf } from "../../text/i18n.ts"
import { today } from "../../text/today.ts"
import { Icon } from "../../ui/icons.tsx"
import { Table } from "../../ui/table.tsx"
import { Code, Foreign, Money } from "../../ui/values.tsx"
import { Postings } from "./postings.tsx"
import { gainOf, pageOfResource, type StatementDay, shortId } from "./rules.ts"
import { kindText } from "./words.ts"

const texts = textsOf({
  "pt-BR": {
    title: "Extrato",
    when: "Data",
    what: "O que houve",
    gained: "Entrada",
    lost: "Saída",
    after: "Saldo",
    sums: { gained: "Entradas", lost: "Saídas", returned: "Devolvido ao saldo", balance: "Saldo final" },
    returnedHint: "Saiu e voltou no mesmo dia; não conta em entradas e saídas.",
    open: "Ver lançamento contábil",
    posting: "Lançamento contábil",
    resource: "Origem",
    pix: "Pix",
    fee: "tarifa",
    returned: "devolvido ao saldo",
  },
  en: {
    title: "Statement",
    when: "Date",
    what: "What happened",
    gained: "In",
    lost: "Out",
    after: "Balance",
    sums: { gained: "In", lost: "Out", returned: "Returned to the balance", balance: "Final balance" },
    returnedHint: "Left and came back on the same day; counts neither as in nor as out.",
    open: "Show the ledger entry",
    posting: "Ledger entry",
    resource: "Source",
    pix: "Pix",
    fee: "fee",
    returned: "returned to the balance",
  },
})

/** The Pix by which a bank's statement knows an entry; null where there was none. */
const pixIdOf = ({ charge, withdrawal }: LedgerEntry): string | null =>
  (charge ?? withdrawal)?.end_to_end_id ?? null

/** A withdrawal's row has its Pix and its fee as one amount. */
const splitOf = ({ kind, withdrawal }: LedgerEntry): string | undefined => {
  if (kind !== "withdrawal_held" || withdrawal == null || withdrawal.fee === 0) return undefined
  const { pix, fee } = texts.value
  return `${pix} ${formatMoney(withdrawal.amount)} + ${fee} ${formatMoney(withdrawal.fee)}`
}

/**
 * The line below what happened, short enough for a phone: that money came back, what a withdrawal is made of, or order number and Pix id;
 * the id of what moved the money where none of these is known.
 */
const noteOf = (entry: LedgerEntry): string => {
  const { charge, kind, resource_id } = entry
  const pixId = pixIdOf(entry)
  const pix = pixId === null ? undefined : `${texts.value.pix} ${shortId(pixId)}`
  const last = isReturn(kind) ? texts.value.returned : (splitOf(entry) ?? pix)
  const parts = [charge?.reference, last].filter((part) => part)
  return parts.length === 0 && charge == null ? shortId(resource_id) : parts.join(" · ")
}

const Detail = ({ of }: { readonly of: LedgerEntry }) => {
  const to = pageOfResource(of.resource_type, of.resource_id)
  const id = <Code>{of.resource_id}</Code>
  const pixId = pixIdOf(of)
  return (
    <tr class="entry-detail">
      <td colSpan={5}>
        <p>
          <strong>{texts.value.posting}</strong> <Code>{of.id}</Code>
        </p>
        <Postings of={of.postings} />
        <p>
          <span class="muted">{texts.value.resource}</span>{" "}
          {to === undefined ? id : <Link to={to}>{id}</Link>}
        </p>
        {pixId !== null && (
          <p>
            <span class="muted">{texts.value.pix}</span> <Code>{pixId}</Code>
          </p>
        )}
      </td>
    </tr>
  )
}

const Amount = ({ amount }: { readonly amount: number }) => <Money amount={amount} isSigned />

const Entry = ({ of }: { readonly of: LedgerEntry }) => {
  const [isOpen, setOpen] = useState(false)
  const gain = gainOf(of)
  const to = pageOfResource(of.resource_type, of.resource_id)
  const note = noteOf(of)
  const what = (
    <>
      {kindText(of.kind)}
      {of.charge != null && (
        <>
          {" · "}
          <Foreign>{of.charge.customer.name}</Foreign>
        </>
      )}
    </>
  )
  return (
    <>
      <tr class="entry" data-testid="ledger-row" data-id={of.id}>
        <td class="entry-time">
          <time dateTime={of.created_at}>{formatHour(of.created_at)}</time>
        </td>
        <td class="entry-what">
          <div class="entry-line">{to === undefined ? what : <Link to={to}>{what}</Link>}</div>
          <div class="entry-note">
            <span class="entry-at" aria-hidden="true">
              {formatHour(of.created_at)}
              {note !== "" && " · "}
            </span>
            {note}
            <button
              type="button"
              class="entry-open"
              aria-expanded={isOpen}
              aria-label={texts.value.open}
              title={texts.value.open}
              data-testid="entry-open"
              onClick={() => setOpen(!isOpen)}
            >
              <Icon name={isOpen ? "up" : "down"} />
            </button>
          </div>
        </td>
        <td class="entry-amount">{gain > 0 && <Amount amount={gain} />}</td>
        <td class="entry-amount">{gain < 0 && <Amount amount={gain} />}</td>
        <td class="entry-balance">
          <Money amount={of.balance.available} />
        </td>
      </tr>
      {isOpen && <Detail of={of} />}
    </>
  )
}

const Sums = ({ of, isAll }: { readonly of: StatementDay; readonly isAll: boolean }) => {
  const words = texts.value.sums
  return (
    <span class="day-sums">
      {of.sums !== undefined && (
        <>
          <span>
            {words.gained} <b data-amount={of.sums.gained}>{formatMoney(of.sums.gained)}</b>
          </span>
          <span>
            {words.lost} <b data-amount={of.sums.lost}>{formatMoney(of.sums.lost)}</b>
          </span>
          {of.sums.returned > 0 && (
            <span class="day-returned" title={texts.value.returnedHint}>
              {words.returned} <b data-amount={of.sums.returned}>{formatMoney(of.sums.returned)}</b>
            </span>
          )}
        </>
      )}
      {isAll && (
        <span class="day-balance">
          {words.balance} <b data-amount={of.balance}>{formatMoney(of.balance)}</b>
        </span>
      )}
    </span>
  )
}

interface StatementDaysProps {
  readonly days: ReadonlyArray<StatementDay>
  /** Whether no kind is left out, so that a day's newest balance is its final one. */
  readonly isAll: boolean
}

/** A statement by days, newest first: two lines an entry, and the day's sums in a heading that stays in sight. */
export const StatementDays = ({ days, isAll }: StatementDaysProps) => {
  const { value } = texts
  return (
    <div class="statement">
      <Table
        label={value.title}
        columns={[
          value.when,
          value.what,
          { right: value.gained },
          { right: value.lost },
          { right: value.after },
        ]}
      >
        {days.map((day) => (
          <Fragment key={day.day}>
            <tr class="day" data-testid="statement-day" data-day={day.day}>
              <th colSpan={5} scope="rowgroup">
                <span class="day-head">
                  <span>{formatDay(day.day, today.value)}</span>
                  <Sums of={day} isAll={isAll} />
                </span>
              </th>
            </tr>
            {day.entries.map((entry) => (
              <Entry key={entry.id} of={entry} />
            ))}
          </Fragment>
        ))}
      </Table>
    </div>
  )
}
