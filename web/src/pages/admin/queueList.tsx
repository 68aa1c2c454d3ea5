import { useEffect, useRef } from "preact/hooks"
import type { Case } from "../../../../schema/api/queue.ts"
import type { ExceptionKind } from "../../../../schema/resources/exception.ts"
import { Link, setQuery } from "../../app/router.tsx"
import { textsOf } from "../../text/i18n.ts"
import { useKeys } from "../../ui/keys.ts"
import { Foreign, Money, When } from "../../ui/values.tsx"
import { kindText } from "./exceptionTexts.ts"

const texts = textsOf({
  "pt-BR": {
    queue: "Fila",
    kinds: {
      withdrawal: "Saque",
      payout: "Pagar no banco",
      exception: "Exceção",
      pix_key: "Chave Pix",
      seller: "Cadastro",
    },
    nobody: "Ninguém ainda",
    test: "Teste",
    blocked: "bloqueado",
  },
  en: {
    queue: "Queue",
    kinds: {
      withdrawal: "Withdrawal",
      payout: "To pay at the bank",
      exception: "Exception",
      pix_key: "Pix key",
      seller: "Identification",
    },
    nobody: "Nobody yet",
    test: "Test",
    blocked: "blocked",
  },
})

/** The kind of a case in words. */
export const caseKindText = (kind: Case["kind"]): string => texts.value.kinds[kind]

const Detail = ({ of: { kind, detail } }: { readonly of: Case }) => {
  if (detail === null) return null
  return (
    <>
      {" · "}
      {kind === "exception" ? kindText(detail as ExceptionKind) : <Foreign>{detail}</Foreign>}
    </>
  )
}

const Row = ({ of: one, isChosen }: { readonly of: Case; readonly isChosen: boolean }) => (
  <li>
    <Link
      to={`/admin?case=${one.id}`}
      class="queue-row"
      aria-current={isChosen ? "page" : undefined}
      data-testid="queue-row"
      data-id={one.id}
    >
      <span class="queue-name">
        {one.seller_name === null ? (
          <span class="muted">{texts.value.nobody}</span>
        ) : (
          <Foreign>{one.seller_name}</Foreign>
        )}
      </span>
      <span class="queue-amount">{one.amount !== null && <Money amount={one.amount} />}</span>
      <span class="queue-note muted">
        {caseKindText(one.kind)}
        <Detail of={one} />
        {one.mode === "test" && ` · ${texts.value.test}`}
        {one.is_blocked && <span class="bad-text"> · {texts.value.blocked}</span>}
      </span>
      <span class="queue-when muted">
        <When at={one.created_at} />
      </span>
    </Link>
  </li>
)

interface QueueListProps {
  readonly of: ReadonlyArray<Case>
  readonly chosen: string | undefined
}

/** All that waits, the most urgent first. `j` and `k` choose the next and the one before. */
export const QueueList = ({ of: cases, chosen }: QueueListProps) => {
  const list = useRef<HTMLUListElement>(null)
  const hasWalked = useRef(false)
  const walk = (step: 1 | -1) => {
    const next = cases[cases.findIndex(({ id }) => id === chosen) + step]
    if (next === undefined) return
    hasWalked.current = true
    setQuery({ case: next.id })
  }
  useKeys({ j: () => walk(1), k: () => walk(-1) })
  useEffect(() => {
    if (!hasWalked.current) return
    list.current?.querySelector<HTMLElement>("[aria-current]")?.focus()
  }, [chosen])
  return (
    <ul ref={list} class="queue" aria-label={texts.value.queue}>
      {cases.map((one) => (
        <Row key={one.id} of={one} isChosen={one.id === chosen} />
      ))}
    </ul>
  )
}
