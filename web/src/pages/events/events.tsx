import { useEffect, useState } from "preact/hooks"
import { query, setQuery } from "../../app/router.tsx"
import "../../styles/events.css"
import { familyName } from "../../text/eventNames.ts"
import { formatCount } from "../../text/format.ts"
import { textsOf } from "../../text/i18n.ts"
import { Button } from "../../ui/button.tsx"
import { Chip, Chips } from "../../ui/chips.tsx"
import { Empty, FormError, ReadError } from "../../ui/feedback.tsx"
import { Icon } from "../../ui/icons.tsx"
import { NoneYet, Page } from "../../ui/page.tsx"
import { Skeleton } from "../../ui/skeleton.tsx"
import { uiTexts } from "../../ui/texts.ts"
import { VirtualList } from "../../ui/virtualList.tsx"
import { EventDetail } from "./eventDetail.tsx"
import { EventRow, rowHeight } from "./eventRow.tsx"
import { rowsReadMax } from "./feed.ts"
import { type LiveFeed, useLiveFeed } from "./liveFeed.ts"
import { families, toggled, typesOf } from "./rules.ts"

const texts = textsOf({
  "pt-BR": {
    title: "Eventos",
    pause: "Pausar",
    list: "Eventos, do mais novo ao mais antigo",
    filter: "Filtrar por tipo",
    all: "Todos",
    paused: (count: string) => `Pausado. Eventos novos à espera: ${count}.`,
    newer: (count: string) => `Mostrar os novos (${count})`,
    none: "Nenhum evento ainda",
    first: "Crie uma cobrança de teste: o evento aparece aqui na hora, sem recarregar a página.",
    noneOfTypes: "Nenhum evento desses tipos",
    otherTypes: "Escolha outros tipos, ou veja todos.",
    limit: (count: string) => `A lista para em ${count} eventos. Filtre por tipo para ir mais longe.`,
  },
  en: {
    title: "Events",
    pause: "Pause",
    list: "Events, newest first",
    filter: "Filter by type",
    all: "All",
    paused: (count: string) => `Paused. New events waiting: ${count}.`,
    newer: (count: string) => `Show new events (${count})`,
    none: "No events yet",
    first: "Create a test charge: its event appears here at once, without a reload.",
    noneOfTypes: "No events of these types",
    otherTypes: "Choose other types, or see all.",
    limit: (count: string) => `The list ends at ${count} events. Filter by type to go further.`,
  },
})

const Filter = ({ types }: { readonly types: ReadonlyArray<string> }) => {
  const others = types.filter((type) => !families.includes(type))
  const choice = (key: string, isPressed: boolean, name: string, next: string | undefined) => (
    <Chip key={key} isPressed={isPressed} onClick={() => setQuery({ types: next })}>
      {name}
    </Chip>
  )
  return (
    <Chips label={texts.value.filter}>
      {choice("*", types.length === 0, texts.value.all, undefined)}
      {families.map((family) =>
        choice(family, types.includes(family), familyName(family.replace(".*", "")), toggled(types, family)),
      )}
      {others.map((type) => choice(type, true, type, toggled(types, type)))}
    </Chips>
  )
}

/** Goes on with a search for older events that found none so far. */
const SearchOn = ({ live }: { readonly live: LiveFeed }) =>
  live.isSearchCut.value ? (
    <div class="more">
      <FormError error={live.olderError.value} />
      <Button onClick={live.more}>{uiTexts.value.more}</Button>
    </div>
  ) : null

/** The rows, and what is to be said where there are none. */
const Rows = ({
  live,
  types,
  onReading,
  topSignal,
}: {
  readonly live: LiveFeed
  readonly types: ReadonlyArray<string>
  readonly onReading: (isReading: boolean) => void
  readonly topSignal: number
}) => {
  const { shown } = live.feed.value
  const error = live.error.value
  if (!live.isReady.value) return <Skeleton rows={10} />
  if (shown.length === 0 && error !== undefined) return <ReadError error={error} onRetry={live.reload} />
  if (shown.length === 0 && live.feed.value.hasOlder)
    return (
      <>
        <NoneYet />
        <SearchOn live={live} />
      </>
    )
  if (shown.length === 0 && types.length > 0)
    return <Empty title={texts.value.noneOfTypes}>{texts.value.otherTypes}</Empty>
  if (shown.length === 0) return <Empty title={texts.value.none}>{texts.value.first}</Empty>
  return (
    <>
      {error !== undefined && <ReadError error={error} onRetry={live.reload} />}
      <VirtualList
        label={texts.value.list}
        items={shown}
        keyOf={(event) => event.id}
        rowHeight={rowHeight}
        attributesOf={(event) => ({
          "data-testid": "event-row",
          "data-id": event.id,
          "data-type": event.type,
          "data-seq": event.seq,
        })}
        chosen={query.value.get("id") ?? undefined}
        onChoose={(event) => setQuery({ id: event.id })}
        onReading={onReading}
        onNearEnd={() => void live.more()}
        topSignal={topSignal}
      >
        {(event) => <EventRow event={event} />}
      </VirtualList>
      <SearchOn live={live} />
      {shown.length >= rowsReadMax && <p class="muted">{texts.value.limit(formatCount(rowsReadMax))}</p>}
    </>
  )
}

/** The feed as it goes on: newest first, paused at will, with older events on scrolling and one event in detail. */
const Events = () => {
  const types = typesOf(query.value.get("types"))
  const live = useLiveFeed(types)
  const [isPaused, setPaused] = useState(false)
  const [isReading, setReading] = useState(false)
  const [topSignal, setTopSignal] = useState(0)
  const id = query.value.get("id")
  const { shown, waiting } = live.feed.value
  const isHeld = isPaused || isReading
  useEffect(() => live.hold(isHeld), [live, isHeld])
  const showNewest = () => {
    setReading(false)
    setTopSignal(topSignal + 1)
  }
  return (
    <Page
      title={texts.value.title}
      ready={live.isReady.value}
      actions={
        <Button
          data-testid="feed-pause"
          aria-pressed={isPaused}
          onClick={() => {
            if (isPaused) showNewest()
            setPaused(!isPaused)
          }}
        >
          <Icon name={isPaused ? "play" : "pause"} /> {texts.value.pause}
        </Button>
      }
    >
      <Filter types={types} />
      <div class="events" data-detail={id !== null}>
        <section class="events-feed card">
          {isPaused && <p class="events-held">{texts.value.paused(formatCount(waiting.length))}</p>}
          {!isPaused && waiting.length > 0 && live.isReady.value && (
            <Button kind="primary" class="events-newer" onClick={showNewest}>
              <Icon name="arrowUp" /> {texts.value.newer(formatCount(waiting.length))}
            </Button>
          )}
          <Rows live={live} types={types} onReading={setReading} topSignal={topSignal} />
        </section>
        {id !== null && (
          <EventDetail
            key={id}
            id={id}
            known={shown.find((event) => event.id === id)}
            onClose={() => setQuery({ id: undefined })}
          />
        )}
      </div>
    </Page>
  )
}

export default Events
