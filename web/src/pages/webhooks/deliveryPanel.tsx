import { useEffect, useRef } from "preact/hooks"
import { useRead } from "../../api/resource.ts"
import { query, setQuery } from "../../app/router.tsx"
import { eventName } from "../../text/eventNames.ts"
import { textsOf } from "../../text/i18n.ts"
import { Button } from "../../ui/button.tsx"
import { Icon } from "../../ui/icons.tsx"
import { useKeys } from "../../ui/keys.ts"
import { lazily } from "../../ui/lazily.tsx"
import { FirstRead, Shown } from "../../ui/page.tsx"
import { uiTexts } from "../../ui/texts.ts"

const texts = textsOf({
  "pt-BR": { title: "Entrega", next: "Próxima (j)", previous: "Anterior (k)" },
  en: { title: "Delivery", next: "Next (j)", previous: "Previous (k)" },
})

interface PanelProps {
  /** The attempts that the list shows, in its order. */
  readonly ids: ReadonlyArray<string>
  /** Called once the delivery was sent again. */
  readonly onRetried: () => void
}

const show = (id: string | undefined) => setQuery({ delivery: id })

/** What was sent and answered, loaded once a delivery is opened: the list alone does not need it. */
const LazyView = lazily(async () => (await import("./deliveryView.tsx")).DeliveryView, FirstRead)

const OpenPanel = ({ id, ids, onRetried }: PanelProps & { readonly id: string }) => {
  const delivery = useRead("GET /v1/me/webhook-deliveries/:id", { params: { id } })
  const heading = useRef<HTMLHeadingElement>(null)
  // An older attempt is in no row: then the row that it was reached from counts.
  const place = useRef(0)
  if (ids.includes(id)) place.current = ids.indexOf(id)
  const index = place.current
  const step = (by: 1 | -1) => {
    const next = ids[index + by]
    if (next !== undefined) show(next)
  }
  const close = () => {
    show(undefined)
    document.querySelector<HTMLElement>(`main [data-id="${CSS.escape(ids[index] ?? "")}"] a`)?.focus()
  }
  useKeys({ j: () => step(1), k: () => step(-1), Escape: close })
  useEffect(() => heading.current?.focus({ preventScroll: true }), [])
  const { value } = texts
  const shown = delivery.value.value
  return (
    <section class="delivery-panel" aria-label={value.title} data-testid="delivery-panel">
      <header class="delivery-panel-head">
        <h2 ref={heading} tabIndex={-1}>
          {shown === undefined ? value.title : eventName(shown.event_type)}
        </h2>
        <Button kind="quiet" aria-label={value.previous} disabled={index < 1} onClick={() => step(-1)}>
          <Icon name="arrowUp" />
        </Button>
        <Button
          kind="quiet"
          class="turned"
          aria-label={value.next}
          disabled={index >= ids.length - 1}
          onClick={() => step(1)}
        >
          <Icon name="arrowUp" />
        </Button>
        <Button kind="quiet" aria-label={uiTexts.value.close} onClick={close}>
          <Icon name="close" />
        </Button>
      </header>
      <Shown of={delivery}>
        {(of) => (
          <LazyView
            key={of.id}
            of={of}
            onAttempt={show}
            onRetried={(next) => {
              onRetried()
              if (next !== undefined) show(next)
            }}
          />
        )}
      </Shown>
    </section>
  )
}

/** The delivery that the address names, beside the list; `j` and `k` go to the next and the previous one, Escape closes it. */
export const DeliveryPanel = (props: PanelProps) => {
  const id = query.value.get("delivery")
  return id === null ? null : <OpenPanel id={id} {...props} />
}
