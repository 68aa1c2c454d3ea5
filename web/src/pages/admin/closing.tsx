import { signal } from "@preact/signals"
import { useMemo } from "preact/hooks"
import type { CorrenteError } from "../../../../client/src/errors.ts"
import { buckets } from "../../../../schema/names.ts"
import type { ClosingDetail, DayBooks, SellerDayBooks } from "../../../../schema/resources/closing.ts"
import { call } from "../../api/http.ts"
import { failureOf, type Resource, useResource } from "../../api/resource.ts"
import { Link } from "../../app/router.tsx"
import { formatDate } from "../../text/format.ts"
import { textsOf } from "../../text/i18n.ts"
import { Button } from "../../ui/button.tsx"
import { FormError } from "../../ui/feedback.tsx"
import { Card, Facts, isReady, Page, Shown } from "../../ui/page.tsx"
import { Moment, Money } from "../../ui/values.tsx"
import { addsUp, bookRows } from "./books.ts"
import { bookTexts, rowText } from "./bookTexts.ts"
import { SellerLink, shownMode } from "./parts.tsx"

const texts = textsOf({
  "pt-BR": {
    title: (day: string) => `Fechamento de ${day}`,
    back: "Todos os fechamentos",
    partner: "Livros do parceiro",
    noPartner: "Não há livros do parceiro para comparar neste modo.",
    received: "Recebido",
    sent: "Enviado",
    returned: "Devolvido",
    difference: "Diferença",
    balance: "Saldo na conta",
    balanceDifference: "Saldo além dos nossos livros",
    unknown: "O parceiro não informa",
    noDifference: "Os livros do parceiro e os nossos batem.",
    explain: "Cada centavo de diferença é uma exceção, ou um movimento perto da meia-noite.",
    exceptions: "Ver exceções",
    platform: "Plataforma",
    sellers: "Vendedores",
    noSellers: "Nenhum vendedor tinha movimentado dinheiro até o fim deste dia.",
    more: "Mostrar mais vendedores",
    adds: "Abertura e movimentos somam o fechamento, e cada linha soma zero.",
    broken: "Os números não somam: avise quem cuida do serviço.",
    row: "Movimento",
    sum: "Soma",
    written: "Fechado em",
  },
  en: {
    title: (day: string) => `Closing of ${day}`,
    back: "All closings",
    partner: "The acquirer's books",
    noPartner: "There are no books of the acquirer to compare with in this mode.",
    received: "Received",
    sent: "Sent",
    returned: "Returned",
    difference: "Difference",
    balance: "Balance in the account",
    balanceDifference: "Balance beyond our books",
    unknown: "The acquirer does not tell",
    noDifference: "The acquirer's books and ours agree.",
    explain: "Each centavo of difference is an exception, or a movement around midnight.",
    exceptions: "See exceptions",
    platform: "Platform",
    sellers: "Sellers",
    noSellers: "No seller had moved money by the end of this day.",
    more: "Show more sellers",
    adds: "Opening and movements make the closing, and each row sums to zero.",
    broken: "The numbers do not add up: tell whoever runs the service.",
    row: "Movement",
    sum: "Sum",
    written: "Closed at",
  },
})

/** A day of the API, `2026-11-21`, as people write it. Noon is the same day in São Paulo. */
export const dayText = (day: string): string =>
  /^\d{4}-\d{2}-\d{2}$/.test(day) ? formatDate(`${day}T15:00:00Z`) : day

/** A day's books as a table whose rows and columns add up. */
const Books = ({ of: books, label }: { readonly of: DayBooks; readonly label: string }) => (
  <>
    <section class="books" aria-label={label}>
      <table aria-label={label} data-adds-up={addsUp(books)}>
        <thead>
          <tr>
            <th scope="col">{texts.value.row}</th>
            {buckets.map((bucket) => (
              <th key={bucket} scope="col" class="number">
                {bookTexts.value.buckets[bucket]}
              </th>
            ))}
            <th scope="col" class="number">
              {texts.value.sum}
            </th>
          </tr>
        </thead>
        <tbody>
          {bookRows(books).map(({ name, amounts, sum }) => (
            <tr key={name} data-row={name}>
              <th scope="row">{rowText(name)}</th>
              {buckets.map((bucket) => (
                <td key={bucket} class="number" data-label={bookTexts.value.buckets[bucket]}>
                  <Money amount={amounts[bucket]} />
                </td>
              ))}
              <td class="number" data-label={texts.value.sum}>
                <Money amount={sum} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
    {!addsUp(books) && <p class="warning">{texts.value.broken}</p>}
  </>
)

/** An amount that the acquirer may not tell. */
const Told = ({ amount }: { readonly amount: number | null }) =>
  amount === null ? <span class="muted">{texts.value.unknown}</span> : <Money amount={amount} />

const Partner = ({ of: { partner } }: { readonly of: ClosingDetail }) => {
  const { value } = texts
  if (partner === null) return <p class="muted">{value.noPartner}</p>
  return (
    <>
      <Facts
        of={[
          [value.received, <Money key="received" amount={partner.received} />],
          [value.sent, <Money key="sent" amount={partner.sent} />],
          [value.returned, <Money key="returned" amount={partner.returned} />],
          [value.difference, <Money key="difference" amount={partner.difference} testId="difference" />],
          [value.balance, <Told key="balance" amount={partner.balance} />],
          [value.balanceDifference, <Told key="balanceDifference" amount={partner.balance_difference} />],
        ]}
      />
      {partner.difference === 0 ? (
        <p class="muted">{value.noDifference}</p>
      ) : (
        <p class="warning">
          {value.explain} <Link to="/admin/exceptions">{value.exceptions}</Link>
        </p>
      )}
    </>
  )
}

/** Reads further pages of a day's sellers. */
const makeMore = (resource: Resource<ClosingDetail>, read: (cursor: string) => Promise<ClosingDetail>) => {
  const error = signal<CorrenteError | undefined>(undefined)
  const more = async () => {
    const shown = resource.value.peek()
    if (shown?.next_cursor == null) return
    error.value = undefined
    try {
      const next = await read(shown.next_cursor)
      resource.set({
        ...shown,
        sellers: [...shown.sellers, ...next.sellers],
        next_cursor: next.next_cursor,
      })
    } catch (cause) {
      error.value = failureOf(cause)
    }
  }
  return { error, more }
}

const Seller = ({ of: books }: { readonly of: SellerDayBooks }) => (
  <section class="seller-books" data-testid="seller-books" data-id={books.seller_id}>
    <h3>
      <SellerLink id={books.seller_id} />
    </h3>
    <Books of={books} label={books.seller_id} />
  </section>
)

const sellersAtOnce = 20

/** A closed day: the platform's books, the acquirer's, and those of each seller. */
export const ClosingPage = ({ day }: { readonly day: string }) => {
  const mode = shownMode()
  const key = `closing ${day} ${mode}`
  const read = (cursor?: string, signal?: AbortSignal) =>
    call("GET /v1/admin/closings/:day", {
      params: { day },
      query: { mode, limit: sellersAtOnce, cursor },
      ...(signal === undefined ? {} : { signal }),
    })
  const closing = useResource(key, (signal) => read(undefined, signal))
  const { error, more } = useMemo(() => makeMore(closing, read), [closing])
  const { value } = texts
  return (
    <Page
      title={value.title(dayText(day))}
      ready={isReady(closing)}
      actions={<Link to={`/admin/closings${mode === "test" ? "?mode=test" : ""}`}>{value.back}</Link>}
    >
      <Shown of={closing}>
        {(found) => (
          <>
            <Card title={value.partner}>
              <Partner of={found} />
            </Card>
            <Card title={value.platform}>
              <Books of={found.platform} label={value.platform} />
              <p class="muted">
                {addsUp(found.platform) && value.adds} {value.written} <Moment at={found.created_at} />.
              </p>
            </Card>
            <Card title={value.sellers}>
              {found.sellers.length === 0 && <p class="muted">{value.noSellers}</p>}
              {found.sellers.map((books) => (
                <Seller key={books.seller_id} of={books} />
              ))}
              {found.next_cursor !== null && (
                <div class="more">
                  <FormError error={error.value} />
                  <Button onClick={more}>{value.more}</Button>
                </div>
              )}
            </Card>
          </>
        )}
      </Shown>
    </Page>
  )
}
