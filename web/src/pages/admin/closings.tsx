import type { Closing } from "../../../../schema/resources/closing.ts"
import { useList } from "../../api/resource.ts"
import { Link, query } from "../../app/router.tsx"
import { textsOf } from "../../text/i18n.ts"
import { Empty } from "../../ui/feedback.tsx"
import { isReady, Page } from "../../ui/page.tsx"
import { Cell, ListTable, TableRow } from "../../ui/table.tsx"
import { Money, When } from "../../ui/values.tsx"
import { ClosingPage, dayText } from "./closing.tsx"
import { ModeFilter, shownMode } from "./parts.tsx"
import { useRefreshing } from "./refreshing.ts"

const texts = textsOf({
  "pt-BR": {
    title: "Fechamentos",
    empty: "Nenhum dia fechado",
    emptyWhy: "Cada dia é fechado meia hora depois de acabar, a partir do primeiro movimento.",
    day: "Dia",
    difference: "Diferença com o parceiro",
    none: "Nenhuma",
    written: "Fechado em",
  },
  en: {
    title: "Closings",
    empty: "No closed days",
    emptyWhy: "Each day is closed half an hour after its end, from the first movement on.",
    day: "Day",
    difference: "Difference to the acquirer",
    none: "None",
    written: "Closed at",
  },
})

const pageSize = 31

const Row = ({ of: { day, mode, difference, created_at } }: { readonly of: Closing }) => (
  <TableRow data-testid="closing-row" data-id={day} opens>
    <Cell place="title" label={texts.value.day}>
      <Link to={`/admin/closings?day=${day}${mode === "test" ? "&mode=test" : ""}`}>{dayText(day)}</Link>
    </Cell>
    <Cell place="when" label={texts.value.written}>
      <When at={created_at} />
    </Cell>
    <Cell place="amount" label={texts.value.difference}>
      {difference === 0 ? (
        texts.value.none
      ) : (
        <strong class="bad-text">
          <Money amount={difference} />
        </strong>
      )}
    </Cell>
  </TableRow>
)

const Closings = () => {
  const list = useList("GET /v1/admin/closings", { query: { mode: shownMode(), limit: pageSize } })
  useRefreshing(list)
  const { value } = texts
  return (
    <Page title={value.title} ready={isReady(list)}>
      <div class="filters">
        <ModeFilter />
      </div>
      <ListTable
        of={list}
        label={value.title}
        columns={[value.day, value.written, { right: value.difference }]}
        empty={<Empty title={value.empty}>{value.emptyWhy}</Empty>}
      >
        {(closing) => <Row key={closing.day} of={closing} />}
      </ListTable>
    </Page>
  )
}

/** Closed days: the list, or the day that the address names. */
export default () => {
  const day = query.value.get("day")
  return day === null ? <Closings /> : <ClosingPage key={day} day={day} />
}
