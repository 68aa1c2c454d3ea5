import { useEffect, useRef, useState } from "preact/hooks"
import type { CorrenteError } from "../../../client/src/errors.ts"
import { api } from "../api/http.ts"
import { failureOf } from "../api/resource.ts"
import { failureText } from "../text/failures.ts"
import { textsOf } from "../text/i18n.ts"
import { Link, path } from "./router.tsx"

const texts = textsOf({
  "pt-BR": { search: "Buscar por id, txid, end-to-end ou e-mail", none: "Nenhum resultado" },
  en: { search: "Search by id, txid, end-to-end id or e-mail", none: "No results" },
})

interface Hit {
  readonly object: string
  readonly id: string
}

/** Pages of what can be found, by the object's name. */
const pages: Readonly<Record<string, string>> = {
  transaction: "/charges",
  withdrawal: "/withdrawals",
  webhook_endpoint: "/webhooks",
  webhook_delivery: "/deliveries",
}

const linkOf = ({ object, id }: Hit): string => {
  const page = pages[object]
  if (page !== undefined) return `${page}/${id}`
  return object === "event" ? `/events?id=${id}` : object === "refund" ? `/refunds?id=${id}` : "/balance"
}

const pauseMillis = 300

/** Finds a seller's objects by what people have at hand (`docs/contract/search.md`). */
export const Search = () => {
  const [text, setText] = useState("")
  const [hits, setHits] = useState<ReadonlyArray<Hit> | undefined>(undefined)
  const [error, setError] = useState<CorrenteError | undefined>(undefined)
  const latest = useRef(0)

  const search = async (wanted: string) => {
    const mine = ++latest.current
    if (wanted === "") return setHits(undefined)
    try {
      const { data } = await api.get<{ readonly data: ReadonlyArray<Hit> }>("/v1/me/search", { q: wanted })
      if (mine !== latest.current) return
      setHits(data)
      setError(undefined)
    } catch (cause) {
      if (mine === latest.current) setError(failureOf(cause))
    }
  }

  useEffect(() => {
    const timer = setTimeout(() => void search(text.trim()), pauseMillis)
    return () => clearTimeout(timer)
  }, [text])
  useEffect(() => setText(""), [path.value])

  return (
    <search class="search">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void search(text.trim())
        }}
      >
        <input
          type="search"
          data-testid="search-input"
          aria-label={texts.value.search}
          placeholder={texts.value.search}
          value={text}
          maxLength={200}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Escape") setText("")
          }}
        />
        {error !== undefined && text !== "" && (
          <p class="search-results" role="alert">
            {failureText(error)}
          </p>
        )}
        {error === undefined && hits !== undefined && text !== "" && (
          <ul class="search-results">
            {hits.length === 0 && <li class="muted">{texts.value.none}</li>}
            {hits.map((hit) => (
              <li key={hit.id}>
                <Link to={linkOf(hit)} data-testid="search-result" data-id={hit.id}>
                  <span class="muted">{hit.object}</span> <code>{hit.id}</code>
                </Link>
              </li>
            ))}
          </ul>
        )}
      </form>
    </search>
  )
}
