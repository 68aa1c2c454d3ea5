import { signal } from "@preact/signals"
import type { CorrenteError } from "../../../../client/src/errors.ts"
import { tableFormats } from "../../../../schema/exportFormats.ts"
import { refundStatuses } from "../../../../schema/names.ts"
import type { Refund } from "../../../../schema/resources/refund.ts"
import { call, download } from "../../api/http.ts"
import { type List, useList, useResource } from "../../api/resource.ts"
import type { Page as PageOf } from "../../api/routes.ts"
import { Link, query, setQuery } from "../../app/router.tsx"
import { language, textsOf } from "../../text/i18n.ts"
import { today } from "../../text/today.ts"
import { Button } from "../../ui/button.tsx"
import { datedFile, ExportMenu } from "../../ui/exportMenu.tsx"
import { Empty } from "../../ui/feedback.tsx"
import { Filters, readFilters } from "../../ui/filters.tsx"
import { isReady, Page, Shown } from "../../ui/page.tsx"
import { RefundTable } from "./refundTable.tsx"
import { isRefundEvent } from "./rules.ts"
import "../../styles/charges.css"

const texts = textsOf({
  "pt-BR": {
    title: "Devoluções",
    none: "Nenhuma devolução ainda",
    first: "Abra uma cobrança paga para devolver tudo ou uma parte ao pagador.",
    charges: "Ver cobranças pagas",
    noneFiltered: "Nenhuma devolução com estes filtros",
    widen: "Mude ou limpe os filtros para ver outras.",
    all: "Ver todas as devoluções",
  },
  en: {
    title: "Refunds",
    none: "No refunds yet",
    first: "Open a paid charge to refund its payer, in full or in part.",
    charges: "See paid charges",
    noneFiltered: "No refunds match these filters",
    widen: "Change or clear the filters to see others.",
    all: "See all refunds",
  },
})

const pageSize = 25
const noError = signal<CorrenteError | undefined>(undefined)

/** One refund that a link names, such as a result of the search. */
const useNamed = (id: string): List<Refund> => {
  const resource = useResource<PageOf<Refund>>(
    id,
    async (signal) => ({
      data: [await call("GET /v1/me/refunds/:id", { params: { id }, signal })],
      next_cursor: null,
    }),
    { reloadsOn: isRefundEvent },
  )
  return { ...resource, more: () => Promise.resolve(), moreError: noError }
}

const Named = ({ id }: { readonly id: string }) => {
  const refund = useNamed(id)
  return (
    <Page
      title={texts.value.title}
      ready={isReady(refund)}
      actions={<Button onClick={() => setQuery({ id: undefined })}>{texts.value.all}</Button>}
    >
      <section class="list">
        <Shown of={refund}>{() => <RefundTable of={refund} isOfMany />}</Shown>
      </section>
    </Page>
  )
}

const All = () => {
  const filters = readFilters(refundStatuses)
  const refunds = useList(
    "GET /v1/me/refunds",
    { query: { ...filters, limit: pageSize, view: "statement" } },
    { reloadsOn: isRefundEvent },
  )
  const isFiltered = Object.values(filters).some((value) => value !== undefined)
  return (
    <Page
      title={texts.value.title}
      ready={isReady(refunds)}
      actions={
        <ExportMenu
          report="refunds"
          formats={tableFormats}
          read={async (format) =>
            datedFile(
              await download("GET /v1/me/refunds/export", {
                query: { ...filters, format, locale: language.value },
              }),
              today.value,
            )
          }
        />
      }
    >
      <Filters statuses={refundStatuses} />
      <section class="list">
        <Shown of={refunds}>
          {({ data }) => {
            if (data.length > 0) return <RefundTable of={refunds} isOfMany />
            if (isFiltered) return <Empty title={texts.value.noneFiltered}>{texts.value.widen}</Empty>
            return (
              <Empty title={texts.value.none}>
                {texts.value.first} <Link to="/charges?status=paid">{texts.value.charges}</Link>
              </Empty>
            )
          }}
        </Shown>
      </section>
    </Page>
  )
}

/** What went back, or goes back, to payers; `?id=` names a single refund. */
export default () => {
  const id = query.value.get("id")
  return id === null ? <All /> : <Named key={id} id={id} />
}
