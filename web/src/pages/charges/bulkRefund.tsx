import { useEffect, useState } from "preact/hooks"
import type { CorrenteError } from "../../../../client/src/errors.ts"
import { orderOf } from "../../../../schema/chargeTexts.ts"
import { type ErrorCode, wordsOf } from "../../../../schema/errorCodes.ts"
import type { Bulk } from "../../../../schema/resources/bulk.ts"
import type { TransactionSummary } from "../../../../schema/resources/transaction.ts"
import { useCreation } from "../../api/creation.ts"
import { formatCount, formatMoney } from "../../text/format.ts"
import { language, textsOf } from "../../text/i18n.ts"
import { bulkFailureOf, watchBulk } from "../../ui/bulk.ts"
import { Button } from "../../ui/button.tsx"
import { Dialog } from "../../ui/dialog.tsx"
import { FormError } from "../../ui/feedback.tsx"
import { Form } from "../../ui/form.tsx"
import { Foreign, Money } from "../../ui/values.tsx"
import { ReasonPart, reasonIn } from "./refundForm.tsx"
import { leftToRefund } from "./rules.ts"

const texts = textsOf({
  "pt-BR": {
    title: "Devolver aos pagadores",
    many: (count: number, text: string) =>
      count === 1 ? "1 cobrança, tudo o que resta dela" : `${text} cobranças, tudo o que resta de cada uma`,
    leftOut: (count: number, text: string) =>
      count === 1
        ? "1 não tem o que devolver e fica de fora."
        : `${text} não têm o que devolver e ficam de fora.`,
    others: (count: number, text: string) => (count === 1 ? "e mais 1" : `e mais ${text}`),
    fees: "As tarifas das cobranças não voltam.",
    submit: "Devolver",
    doing: (done: string, total: string) => `Devolvendo: ${done} de ${total}…`,
    mayClose: "Você pode fechar esta janela: o serviço continua sozinho.",
    done: (count: number, text: string) =>
      count === 1 ? "1 devolução pedida." : `${text} devoluções pedidas.`,
    failed: (count: number, text: string) =>
      count === 1 ? "1 cobrança não foi devolvida:" : `${text} cobranças não foram devolvidas:`,
    nothingLeft: "Não há o que devolver desta cobrança.",
    close: "Fechar",
  },
  en: {
    title: "Refund the payers",
    many: (count: number, text: string) =>
      count === 1 ? "1 charge, all that is left of it" : `${text} charges, all that is left of each`,
    leftOut: (count: number, text: string) =>
      count === 1
        ? "1 has nothing to refund and is left out."
        : `${text} have nothing to refund and are left out.`,
    others: (count: number, text: string) => (count === 1 ? "and 1 more" : `and ${text} more`),
    fees: "The charges' fees are not returned.",
    submit: "Refund",
    doing: (done: string, total: string) => `Refunding: ${done} of ${total}…`,
    mayClose: "You can close this window: the service goes on by itself.",
    done: (count: number, text: string) =>
      count === 1 ? "1 refund requested." : `${text} refunds requested.`,
    failed: (count: number, text: string) =>
      count === 1 ? "1 charge was not refunded:" : `${text} charges were not refunded:`,
    nothingLeft: "Nothing of this charge can be refunded.",
    close: "Close",
  },
})

const whyText = (code: ErrorCode): string =>
  code === "invalid_state" ? texts.value.nothingLeft : (wordsOf(code)?.[language.value] ?? code)

/** A bulk act as it goes on; read again until it is done. */
const useProgress = (begun: Bulk) => {
  const [read, setRead] = useState<{ readonly bulk: Bulk; readonly error: CorrenteError | undefined }>({
    bulk: begun,
    error: undefined,
  })
  useEffect(() => {
    const leaving = new AbortController()
    void watchBulk(begun, (bulk, error) => setRead({ bulk, error }), leaving.signal)
    return () => leaving.abort()
  }, [])
  return read
}

interface ResultProps {
  readonly begun: Bulk
  readonly charges: ReadonlyArray<TransactionSummary>
  readonly onClose: () => void
}

/** How far it is, then what became of it, with a line for each charge that was not refunded. */
const Result = ({ begun, charges, onClose }: ResultProps) => {
  const { bulk, error } = useProgress(begun)
  const { value } = texts
  const { done, total, failed, state } = bulk
  const isDone = state === "done"
  const refunded = total - failed.length
  return (
    <div class="form" data-testid="bulk-result" data-state={state}>
      <p role="status">
        {isDone
          ? value.done(refunded, formatCount(refunded))
          : value.doing(formatCount(done), formatCount(total))}
      </p>
      {!isDone && <progress max={total} value={done} aria-label={value.title} />}
      {!isDone && <p class="muted">{value.mayClose}</p>}
      {isDone && failed.length > 0 && (
        <>
          <p>{value.failed(failed.length, formatCount(failed.length))}</p>
          <ul class="bulk-failed">
            {failed.map(({ id, code }) => {
              const charge = charges.find((one) => one.id === id)
              return (
                <li key={id} data-testid="bulk-failed" data-id={id} data-code={code}>
                  <strong>
                    <Foreign>{charge?.customer.name ?? id}</Foreign>
                  </strong>
                  {charge !== undefined && (
                    <>
                      {" · "}
                      <Money amount={charge.amount} />
                    </>
                  )}
                  <small>{whyText(code)}</small>
                </li>
              )
            })}
          </ul>
        </>
      )}
      <FormError error={error} />
      <div class="form-buttons">
        <Button kind={isDone ? "primary" : "plain"} onClick={onClose}>
          {value.close}
        </Button>
      </div>
    </div>
  )
}

/** How many charges are named: what is refunded is seen without scrolling. */
const namedMax = 6

/** Whom the money goes back to. */
const Payers = ({ of }: { readonly of: ReadonlyArray<TransactionSummary> }) => {
  const others = of.length - namedMax
  return (
    <ul class="bulk-charges" data-testid="bulk-charges">
      {of.slice(0, namedMax).map((charge) => (
        <li key={charge.id}>
          <span>
            <Foreign>{charge.customer.name}</Foreign>
            <small>
              <Foreign>{orderOf(charge)}</Foreign>
            </small>
          </span>
          <Money amount={leftToRefund(charge)} />
        </li>
      ))}
      {others > 0 && <li class="muted">{texts.value.others(others, formatCount(others))}</li>}
    </ul>
  )
}

interface BulkRefundProps {
  readonly charges: ReadonlyArray<TransactionSummary>
  /** `isBegun`: they are being refunded. */
  readonly onClose: (isBegun: boolean) => void
}

/** The dialog that refunds what is left of many charges: how many, how much, then what became of each. */
export const BulkRefund = ({ charges, onClose }: BulkRefundProps) => {
  const [begun, setBegun] = useState<Bulk>()
  // The list behind may change meanwhile: what was asked for is what was chosen.
  const [chosen] = useState(charges)
  const create = useCreation("POST /v1/me/bulk")
  const { value } = texts
  const refundable = chosen.filter((charge) => leftToRefund(charge) > 0)
  const leftOut = chosen.length - refundable.length
  const sum = refundable.reduce((total, charge) => total + leftToRefund(charge), 0)
  const close = () => onClose(begun !== undefined)
  const send = async (values: FormData) => {
    const reason = reasonIn(values)
    const ids = refundable.map(({ id }) => id)
    try {
      setBegun(await create({ body: { act: "refund", ids, ...(reason === "" ? {} : { reason }) } }))
    } catch (cause) {
      throw bulkFailureOf(cause)
    }
  }
  return (
    <Dialog title={value.title} onClose={close}>
      {begun !== undefined ? (
        <Result begun={begun} charges={chosen} onClose={close} />
      ) : (
        <Form submit={`${value.submit} ${formatMoney(sum)}`} danger onCancel={close} onSubmit={send}>
          <p>
            <strong class="bulk-sum">{formatMoney(sum)}</strong>
            <br />
            {value.many(refundable.length, formatCount(refundable.length))}
          </p>
          <Payers of={refundable} />
          <p class="muted">
            {leftOut > 0 && `${value.leftOut(leftOut, formatCount(leftOut))} `}
            {value.fees}
          </p>
          <ReasonPart />
        </Form>
      )}
    </Dialog>
  )
}
