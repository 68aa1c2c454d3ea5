import { computed, signal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { prefix } from "../prefix.ts"

/** Every page lies below it. */
export const base = `${prefix}/app`

const read = () => new URL(location.href)

const url = signal(read())

/** The path below {@link base}: `/charges/txn_…`, and `/` for the home page. */
export const path = computed(() => {
  const { pathname } = url.value
  const below = pathname.startsWith(base) ? pathname.slice(base.length) : pathname
  return below.replace(/\/+$/, "") || "/"
})

/** The query of the address. */
export const query = computed(() => url.value.searchParams)

/** What a parameter of the address says; undefined where it is none of those that are known. */
export const queryChoice = <T extends string>(name: string, known: ReadonlyArray<T>): T | undefined =>
  known.find((value) => value === query.value.get(name))

/** Goes to a path below {@link base}, with its query. */
export const navigate = (to: string, options: { readonly replace?: boolean } = {}): void => {
  const target = new URL(base + (to === "/" ? "" : to), location.href)
  if (options.replace) history.replaceState(null, "", target)
  else history.pushState(null, "", target)
  const isOtherPage = target.pathname !== url.value.pathname
  url.value = target
  if (isOtherPage) scrollTo(0, 0)
}

/** Changes parameters of the address, which filters are kept in; undefined and "" remove one. */
export const setQuery = (changes: Readonly<Record<string, string | undefined>>): void => {
  const target = read()
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === "") target.searchParams.delete(name)
    else target.searchParams.set(name, value)
  }
  history.replaceState(null, "", target)
  url.value = target
}

/** Follows the browser's back and forward. */
export const followHistory = (): void => {
  addEventListener("popstate", () => {
    url.value = read()
  })
}

/** Parameters of a page's path. */
export type Params = Readonly<Record<string, string>>

/** The props of every page. */
export interface PageParams {
  readonly params: Params
}

interface LinkProps {
  /** A path below {@link base}, with its query. */
  readonly to: string
  readonly class?: string
  readonly onClick?: (event: MouseEvent) => void
  readonly "aria-current"?: "page" | undefined
  readonly "aria-label"?: string
  readonly "data-testid"?: string
  readonly "data-id"?: string
  readonly children?: ComponentChildren
}

/** A link to another page: an ordinary `<a href>`, followed without loading everything again. */
export const Link = ({ to, children, onClick, ...rest }: LinkProps) => (
  <a
    {...rest}
    href={base + (to === "/" ? "" : to)}
    onClick={(event) => {
      onClick?.(event)
      const isPlain =
        event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
      if (!isPlain || event.defaultPrevented) return
      event.preventDefault()
      navigate(to)
    }}
  >
    {children}
  </a>
)
