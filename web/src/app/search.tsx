import { useEffect, useRef, useState } from "preact/hooks"
import type { CorrenteError } from "../../../client/src/errors.ts"
import { api } from "../api/http.ts"
import { failureOf } from "../api/resource.ts"
import { mode } from "../api/session.ts"
import { failureText } from "../text/failures.ts"
import { textsOf } from "../text/i18n.ts"
import { Link, path } from "./router.tsx"
import { type Hit, linkOf } from "./searchHits.ts"
import { HitText } from "./searchHitText.tsx"

const texts = textsOf({
  "pt-BR": {
    search: "Buscar por id, txid, end-to-end ou e-mail",
    none: "Nada encontrado",
    hint: "A busca é exata: cole o id, o txid, o end-to-end id ou o e-mail inteiro de quem paga.",
    found: (count: number) => (count === 1 ? "1 resultado" : `${count} resultados`),
  },
  en: {
    search: "Search by id, txid, end-to-end id or e-mail",
    none: "Nothing found",
    hint: "The search is exact: paste the whole id, txid, end-to-end id or payer's e-mail address.",
    found: (count: number) => (count === 1 ? "1 result" : `${count} results`),
  },
})

const pauseMillis = 300

interface Found {
  readonly hits: ReadonlyArray<Hit> | undefined
  readonly error: CorrenteError | undefined
  /** Searches at once. */
  readonly search: (text: string) => Promise<void>
}

/** What was found for a text, a short pause after its last change. */
const useFound = (text: string): Found => {
  const [hits, setHits] = useState<ReadonlyArray<Hit> | undefined>(undefined)
  const [error, setError] = useState<CorrenteError | undefined>(undefined)
  const latest = useRef(0)
  const search = async (wanted: string) => {
    const mine = ++latest.current
    if (wanted === "") {
      setHits(undefined)
      setError(undefined)
      return
    }
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
    if (text === "") {
      void search("")
      return
    }
    const timer = setTimeout(() => void search(text), pauseMillis)
    return () => clearTimeout(timer)
  }, [text, mode.value])
  return { hits, error, search }
}

/** Moves the focus between the field and the results by the arrow keys. */
const moveFocus = (root: HTMLElement, event: KeyboardEvent): void => {
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return
  const stops: ReadonlyArray<Element | null> = [...root.querySelectorAll("input, a")]
  const step = event.key === "ArrowDown" ? 1 : -1
  const current = stops.indexOf(document.activeElement)
  const next = stops[(current + step + stops.length) % stops.length]
  if (current === -1 || stops.length < 2 || !(next instanceof HTMLElement)) return
  event.preventDefault()
  next.focus()
}

const Results = ({ hits, error }: Pick<Found, "hits" | "error">) => {
  if (error !== undefined)
    return (
      <p class="search-results" role="alert">
        {failureText(error)}
      </p>
    )
  if (hits === undefined) return null
  return (
    <div class="search-results">
      <p class="visually-hidden" role="status">
        {texts.value.found(hits.length)}
      </p>
      {hits.length === 0 ? (
        <p class="search-none">
          <strong>{texts.value.none}</strong>
          <span class="muted">{texts.value.hint}</span>
        </p>
      ) : (
        <ul>
          {hits.map((hit) => (
            <li key={hit.id}>
              <Link to={linkOf(hit)} data-testid="search-result" data-id={hit.id}>
                <HitText of={hit} />
              </Link>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

/**
 * Finds a seller's objects by what people have at hand (`docs/contract/search.md`). Arrow keys walk through the results, Enter
 * opens one, Escape goes back to the field and empties it.
 */
export const Search = () => {
  const [text, setText] = useState("")
  const [isOpen, setOpen] = useState(false)
  const root = useRef<HTMLElement>(null)
  const input = useRef<HTMLInputElement>(null)
  const wanted = text.trim()
  const { hits, error, search } = useFound(wanted)
  useEffect(() => {
    setText("")
    setOpen(false)
  }, [path.value])

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape") {
      setText("")
      input.current?.focus()
    }
    if (root.current !== null) moveFocus(root.current, event)
  }
  return (
    <search
      class="search"
      ref={root}
      onKeyDown={onKeyDown}
      onFocusIn={() => setOpen(true)}
      onFocusOut={(event) => {
        if (!(event.relatedTarget instanceof Node && root.current?.contains(event.relatedTarget)))
          setOpen(false)
      }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          setOpen(true)
          void search(wanted)
        }}
      >
        <input
          ref={input}
          type="search"
          data-testid="search-input"
          aria-label={texts.value.search}
          placeholder={texts.value.search}
          value={text}
          maxLength={254}
          autocomplete="off"
          onInput={(event) => {
            setText(event.currentTarget.value)
            setOpen(true)
          }}
        />
      </form>
      {isOpen && wanted !== "" && <Results hits={hits} error={error} />}
    </search>
  )
}
