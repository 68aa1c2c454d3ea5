import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks"
import type { CorrenteError } from "../../../client/src/errors.ts"
import { formLimits } from "../../../schema/formLimits.ts"
import { call } from "../api/http.ts"
import { failureOf } from "../api/resource.ts"
import { isOperator, mode } from "../api/session.ts"
import { failureText } from "../text/failures.ts"
import { textsOf } from "../text/i18n.ts"
import { Icon } from "../ui/icons.tsx"
import { uiTexts } from "../ui/texts.ts"
import { wordsIn } from "../ui/words.ts"
import { type Command, commandGroups, matching } from "./commands.ts"
import { type Hit, linkOf } from "./resourceLinks.ts"
import { navigate } from "./router.tsx"
import { HitText } from "./searchHitText.tsx"
import "../styles/palette.css"

const texts = textsOf({
  "pt-BR": {
    title: "Buscar ou agir",
    search: "Nome, pedido, id, página ou ação",
    searchOperator: "Vendedor, CPF, e-mail, txid, id, página ou ação",
    results: "Resultados",
    hits: "Encontrados",
    none: "Nada encontrado",
    hint: "Clientes e cobranças se acham pelo começo de um nome ou sobrenome, do e-mail, do CPF ou do pedido; o resto, pelo id, txid ou end-to-end id inteiro.",
    hintOperator:
      "Vendedores se acham pelo começo do nome, ou pelo CPF, CNPJ ou e-mail inteiro; o resto, pelo id, txid ou end-to-end id.",
    found: (count: number) => (count === 1 ? "1 resultado" : `${count} resultados`),
  },
  en: {
    title: "Search or act",
    search: "Name, order, id, page or act",
    searchOperator: "Seller, CPF, e-mail, txid, id, page or act",
    results: "Results",
    hits: "Found",
    none: "Nothing found",
    hint: "Customers and charges are found by the beginning of a first or last name, e-mail address, CPF or order; all else by its whole id, txid or end-to-end id.",
    hintOperator:
      "Sellers are found by the beginning of a name, or by a whole CPF, CNPJ or e-mail address; all else by its id, txid or end-to-end id.",
    found: (count: number) => (count === 1 ? "1 result" : `${count} results`),
  },
})

const pauseMillis = 300
const chargesMax = 5
const customersMax = 3

interface Found {
  /** Undefined while nothing was searched for. */
  readonly hits: ReadonlyArray<Hit> | undefined
  readonly error: CorrenteError | undefined
}

const nothing: Found = { hits: undefined, error: undefined }

/** What has exactly a text, customers, and the newest charges that have its words (`docs/contract/transactions.md#search`). */
const hitsOfSeller = async (text: string, signal: AbortSignal): Promise<ReadonlyArray<Hit>> => {
  const q = wordsIn(text) ?? text
  const [exact, customers, charges] = await Promise.all([
    call("GET /v1/me/search", { query: { q: text }, signal }),
    call("GET /v1/me/customers", { query: { q, limit: customersMax }, signal }),
    call("GET /v1/me/transactions", { query: { q, view: "summary", limit: chargesMax }, signal }),
  ])
  const found = charges.data.filter(({ id }) => exact.data.every((hit) => hit.id !== id))
  return [
    ...exact.data,
    ...customers.data.map(({ object, id, name, paid_amount, last_charge_at }) => ({
      object,
      id,
      status: null,
      amount: paid_amount,
      created_at: last_charge_at,
      payer: name,
    })),
    ...found.map((charge) => ({ ...charge, payer: charge.customer.name })),
  ]
}

/** What all sellers' data have for a text (`docs/contract/admin.md#search`). */
const hitsOfOperator = async (q: string, signal: AbortSignal): Promise<ReadonlyArray<Hit>> =>
  (await call("GET /v1/admin/search", { query: { q }, signal })).data

/** What the data have for a text, a short pause after its last change (`docs/contract/search.md`). */
const useFound = (text: string): Found => {
  const [found, setFound] = useState(nothing)
  useEffect(() => {
    setFound(nothing)
    if (text === "") return
    const leaving = new AbortController()
    const search = async () => {
      try {
        const hits = await (isOperator.value ? hitsOfOperator : hitsOfSeller)(text, leaving.signal)
        if (!leaving.signal.aborted) setFound({ hits, error: undefined })
      } catch (cause) {
        if (!leaving.signal.aborted) setFound({ hits: undefined, error: failureOf(cause) })
      }
    }
    const timer = setTimeout(search, pauseMillis)
    return () => {
      clearTimeout(timer)
      leaving.abort()
    }
  }, [text, mode.value])
  return found
}

/** What can be chosen: something found, or a page or an act. */
type Choice =
  | { readonly kind: "hit"; readonly hit: Hit }
  | { readonly kind: "command"; readonly command: Command }

interface ChoiceGroup {
  readonly name: string
  readonly choices: ReadonlyArray<Choice>
}

const groupsOf = (text: string, hits: ReadonlyArray<Hit>): ReadonlyArray<ChoiceGroup> =>
  [
    { name: texts.value.hits, choices: hits.map((hit) => ({ kind: "hit", hit }) as const) },
    ...commandGroups().map(({ name, commands }) => ({
      name,
      choices: matching(commands, text).map((command) => ({ kind: "command", command }) as const),
    })),
  ].filter(({ choices }) => choices.length > 0)

const keyOf = (choice: Choice): string => (choice.kind === "hit" ? choice.hit.id : choice.command.id)

const ChoiceText = ({ of }: { readonly of: Choice }) =>
  of.kind === "hit" ? (
    <HitText of={of.hit} />
  ) : (
    <span class="palette-command">
      <Icon name={of.command.icon} />
      <span>{of.command.name}</span>
      {of.command.key !== undefined && <kbd>{of.command.key}</kbd>}
    </span>
  )

interface ChoicesProps {
  readonly id: string
  readonly groups: ReadonlyArray<ChoiceGroup>
  readonly active: number
  readonly onActive: (choice: Choice) => void
  readonly onChoose: (choice: Choice) => void
}

const optionId = (id: string, index: number): string => `${id}-${index}`

/** The listbox that the field controls: the focus stays in the field. */
const Choices = ({ id, groups, active, onActive, onChoose }: ChoicesProps) => {
  let index = -1
  return (
    <div id={id} class="palette-list" role="listbox" aria-label={texts.value.results}>
      {groups.map(({ name, choices }) => (
        // biome-ignore lint/a11y/useSemanticElements: a listbox groups its options by this role alone.
        <div key={name} role="group" aria-label={name}>
          <p class="palette-group" aria-hidden="true">
            {name}
          </p>
          {choices.map((choice) => {
            index += 1
            const mine = index
            return (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus, and takes the keys.
              // biome-ignore lint/a11y/useFocusableInteractive: the field names its active option instead.
              <div
                key={keyOf(choice)}
                id={optionId(id, mine)}
                class="palette-option"
                role="option"
                aria-selected={mine === active}
                data-testid={choice.kind === "hit" ? "search-result" : "palette-command"}
                data-id={keyOf(choice)}
                onMouseMove={() => onActive(choice)}
                onClick={() => onChoose(choice)}
              >
                <ChoiceText of={choice} />
              </div>
            )
          })}
        </div>
      ))}
    </div>
  )
}

interface PaletteProps {
  /** What was typed while the palette was being loaded. */
  readonly typed: string
  readonly onClose: () => void
}

const stepOf: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 }

const PaletteBody = ({ typed, onClose }: PaletteProps) => {
  const [text, setText] = useState(typed)
  const [walkedTo, walkTo] = useState<string | undefined>(undefined)
  const id = useId()
  const wanted = text.trim()
  const { hits, error } = useFound(wanted)
  const groups = groupsOf(wanted, hits ?? [])
  const choices = groups.flatMap((group) => group.choices)
  // What is found later stands above, and takes nobody away from where they have walked to.
  const active = Math.max(
    0,
    choices.findIndex((choice) => keyOf(choice) === walkedTo),
  )
  useEffect(
    () => document.getElementById(optionId(id, active))?.scrollIntoView({ block: "nearest" }),
    [active],
  )
  const choose = (choice: Choice | undefined) => {
    if (choice === undefined) return
    onClose()
    if (choice.kind === "hit") navigate(linkOf(choice.hit))
    else choice.command.act()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = stepOf[event.key]
    const next = choices[(active + (step ?? 0) + choices.length) % choices.length]
    if (step !== undefined && next !== undefined) {
      event.preventDefault()
      walkTo(keyOf(next))
    }
    if (event.key === "Enter" && !event.isComposing) {
      event.preventDefault()
      choose(choices[active])
    }
  }
  const isNone = choices.length === 0 && error === undefined && hits !== undefined
  return (
    <>
      <div class="palette-head">
        <Icon name="search" />
        <input
          autofocus
          type="text"
          role="combobox"
          aria-expanded={choices.length > 0}
          aria-controls={id}
          aria-activedescendant={choices.length > 0 ? optionId(id, active) : undefined}
          aria-autocomplete="list"
          aria-label={texts.value.title}
          data-testid="search-input"
          placeholder={isOperator.value ? texts.value.searchOperator : texts.value.search}
          value={text}
          maxLength={formLimits.searchLengthMax}
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => {
            setText(event.currentTarget.value)
            walkTo(undefined)
          }}
          onKeyDown={onKeyDown}
        />
        <button type="button" class="button quiet" aria-label={uiTexts.value.close} onClick={onClose}>
          <Icon name="close" />
        </button>
      </div>
      <p class="visually-hidden" role="status">
        {wanted !== "" && texts.value.found(choices.length)}
      </p>
      {error !== undefined && (
        <p class="palette-note" role="alert">
          {failureText(error)}
        </p>
      )}
      <Choices
        id={id}
        groups={groups}
        active={active}
        onActive={(choice) => walkTo(keyOf(choice))}
        onChoose={choose}
      />
      {isNone && (
        <p class="palette-note">
          <strong>{texts.value.none}</strong>
          <span class="muted">{isOperator.value ? texts.value.hintOperator : texts.value.hint}</span>
        </p>
      )}
    </>
  )
}

/**
 * Finds a seller's objects by what people have at hand, and leads to every page and act of the menu. Arrow keys walk through the
 * results, Enter chooses one, Escape closes it.
 */
export const Palette = ({ typed, onClose }: PaletteProps) => {
  const element = useRef<HTMLDialogElement>(null)
  // Whoever types on loses no key between its loading and its focus.
  useLayoutEffect(() => {
    const dialog = element.current
    dialog?.showModal()
    // Which gives the focus back to where it was.
    return () => dialog?.close()
  }, [])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it by keyboard.
    <dialog
      ref={element}
      class="palette"
      data-testid="palette"
      aria-label={texts.value.title}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      // Browsers close it without asking when Escape is pressed twice. One that is gone tells so later, when the next may be open.
      onClose={(event) => {
        if (event.currentTarget.isConnected) onClose()
      }}
      onClick={(event) => {
        if (event.target === event.currentTarget) onClose()
      }}
    >
      <PaletteBody typed={typed} onClose={onClose} />
    </dialog>
  )
}
