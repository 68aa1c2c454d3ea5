import type { ComponentChildren } from "preact"
import { useEffect, useRef } from "preact/hooks"
import type { List, Resource } from "../api/resource.ts"
import { Button } from "./button.tsx"
import { FormError, Loading, ReadError } from "./feedback.tsx"
import { uiTexts } from "./texts.ts"

interface PageProps {
  readonly title: string
  /** Whether the first data are shown. */
  readonly ready: boolean
  /** Buttons beside the title. */
  readonly actions?: ComponentChildren
  readonly children?: ComponentChildren
}

/** The main region of a page. Its title is the document's, and has the focus when the page opens. */
export const Page = ({ title, ready, actions, children }: PageProps) => {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · Corrente`
  }, [title])
  useEffect(() => heading.current?.focus({ preventScroll: true }), [])
  return (
    <main class="page" id="main" data-testid="page" data-ready={ready}>
      <header class="page-head">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {actions !== undefined && <div class="page-actions">{actions}</div>}
      </header>
      {children}
    </main>
  )
}

interface ShownProps<A> {
  readonly of: Resource<A>
  readonly children: (value: A) => ComponentChildren
}

/**
 * Shows what was read; before that, that it is being read; and when it cannot be read, why. Something shown stays when a later
 * reading fails, with a sentence that it may be old.
 */
export const Shown = <A,>({ of, children }: ShownProps<A>) => {
  const value = of.value.value
  const error = of.error.value
  if (value === undefined)
    return error === undefined ? <Loading /> : <ReadError error={error} onRetry={of.reload} />
  return (
    <>
      {error !== undefined && (
        <div class="stale" role="alert">
          <span>{uiTexts.value.stale}</span> <Button onClick={of.reload}>{uiTexts.value.retry}</Button>
        </div>
      )}
      {children(value)}
    </>
  )
}

/** Whether a page has shown its first data, or has said why it cannot. */
export const isReady = (...resources: ReadonlyArray<Pick<Resource<unknown>, "value" | "error">>): boolean =>
  resources.every(({ value, error }) => value.value !== undefined || error.value !== undefined)

/** The button below a list that reads more of it; nothing at its end. */
export const More = <A,>({ of }: { readonly of: List<A> }) =>
  of.value.value?.next_cursor == null ? null : (
    <div class="more">
      <FormError error={of.moreError.value} />
      <Button onClick={of.more}>{uiTexts.value.more}</Button>
    </div>
  )

/** Said in place of a list without entries that goes on: a filtered page may be empty, and later ones not. */
export const NoneYet = () => <p class="muted">{uiTexts.value.noneYet}</p>

/** A titled part of a page. */
export const Card = ({
  title,
  actions,
  children,
}: {
  readonly title?: string
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}) => (
  <section class="card">
    {title !== undefined && (
      <header class="card-head">
        <h2>{title}</h2>
        {actions}
      </header>
    )}
    {children}
  </section>
)

/** Names with their values: `[name, value]`, in order; those without a value are left out. */
export const Facts = ({
  of,
}: {
  readonly of: ReadonlyArray<readonly [name: string, value: ComponentChildren]>
}) => (
  <dl class="facts">
    {of
      .filter(([, value]) => value !== undefined && value !== null && value !== "" && value !== false)
      .map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
)

/** A table that becomes a list of cards on a narrow screen: give each cell its column's name with `data-label`. */
export const Table = ({
  columns,
  label,
  children,
}: {
  readonly columns: ReadonlyArray<string>
  readonly label: string
  readonly children: ComponentChildren
}) => (
  <table class="table" aria-label={label}>
    <thead>
      <tr>
        {columns.map((column) => (
          <th key={column} scope="col">
            {column}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>{children}</tbody>
  </table>
)

interface ListCardProps<A> {
  readonly of: List<A>
  readonly label: string
  readonly columns: ReadonlyArray<string>
  /** Shown in place of a table without rows. */
  readonly empty: ComponentChildren
  /** The row of an entry. */
  readonly children: (entry: A) => ComponentChildren
}

/** A list of the API as a table, with a button that reads more of it. */
export const ListCard = <A,>({ of, label, columns, empty, children }: ListCardProps<A>) => (
  <Card>
    <Shown of={of}>
      {({ data, next_cursor }) =>
        data.length === 0 ? (
          next_cursor === null ? (
            empty
          ) : (
            <NoneYet />
          )
        ) : (
          <Table label={label} columns={columns}>
            {data.map(children)}
          </Table>
        )
      }
    </Shown>
    <More of={of} />
  </Card>
)
