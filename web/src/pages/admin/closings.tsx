import type { Closing } from "../../../../schema/resources/closing.ts"
import { useList } from "../../api/resource.ts"
import { Link, query } from "../../app/router.tsx"
import { textsOf } from "../../text/i18n.ts"
import { Empty } from "../../ui/feedback.tsx"
import { isReady, ListCard, Page } from "../../ui/page.tsx"
import { Moment, Money } from "../../ui/values.tsx"
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
  <tr data-testid="closing-row" data-id={day}>
    <td data-label={texts.value.day}>
      <Link to={`/admin/closings?day=${day}${mode === "test" ? "&mode=test" : ""}`}>{dayText(day)}</Link>
    </td>
    <td data-label={texts.value.difference} class="number">
      {difference === 0 ? (
        texts.value.none
      ) : (
        <strong class="bad-text">
          <Money amount={difference} />
        </strong>
      )}
    </td>
    <td data-label={texts.value.written}>
      <Moment at={created_at} />
    </td>
  </tr>
)

const Closings = () => {
  const list = useList<Closing>("/v1/admin/closings", { mode: shownMode(), limit: pageSize })
  useRefreshing(list)
  const { value } = texts
  return (
    <Page title={value.title} ready={isReady(list)}>
      <div class="filters">
        <ModeFilter />
      </div>
      <ListCard
        of={list}
        label={value.title}
        columns={[value.day, value.difference, value.written]}
        empty={<Empty title={value.empty}>{value.emptyWhy}</Empty>}
      >
        {(closing) => <Row key={closing.day} of={closing} />}
      </ListCard>
    </Page>
  )
}

/** Closed days: the list, or the day that the address names. */
export default () => {
  const day = query.value.get("day")
  return day === null ? <Closings /> : <ClosingPage key={day} day={day} />
}
