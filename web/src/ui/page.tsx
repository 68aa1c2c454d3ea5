import type { ComponentChildren } from "preact"
import { useEffect, useRef } from "preact/hooks"
import type { List, Resource } from "../api/resource.ts"
import { Link } from "../app/router.tsx"
import { Button } from "./button.tsx"
import { FormError, ReadError } from "./feedback.tsx"
import { Icon } from "./icons.tsx"
import { Skeleton } from "./skeleton.tsx"
import { uiTexts } from "./texts.ts"

interface PageProps {
  readonly title: string
  /** Whether the first data are shown. */
  readonly ready: boolean
  /** Shown as the heading where that is more than the title. */
  readonly heading?: ComponentChildren
  /** The list that the page is an entry of. */
  readonly back?: { readonly to: string; readonly name: string }
  /** One line below the title that says the rest. */
  readonly lead?: ComponentChildren
  /** Buttons beside the title. */
  readonly actions?: ComponentChildren
  readonly children?: ComponentChildren
}

/** The main region of a page. Its title is the document's, and has the focus when the page opens. */
export const Page = ({ title, ready, heading, back, lead, actions, children }: PageProps) => {
  const titleElement = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · Corrente`
  }, [title])
  useEffect(() => titleElement.current?.focus({ preventScroll: true }), [])
  return (
    <main class="page" id="main" data-testid="page" data-ready={ready}>
      <header class="page-head">
        {back !== undefined && (
          <Link to={back.to} class="page-back">
            <Icon name="back" /> {back.name}
          </Link>
        )}
        <h1 ref={titleElement} tabIndex={-1}>
          {heading ?? title}
        </h1>
        {lead !== undefined && <p class="page-lead">{lead}</p>}
        {actions !== undefined && <div class="page-actions">{actions}</div>}
      </header>
      {children}
    </main>
  )
}

/** Stands where a page will, until its code is there. */
export const LoadingPage = () => (
  <main class="page" id="main" data-testid="page" data-ready="false">
    <Skeleton lines={6} />
  </main>
)

interface ShownProps<A> {
  readonly of: Resource<A>
  /** Stands there until it is read, about as high as what follows. Default: three lines. */
  readonly skeleton?: ComponentChildren
  /** Whether what follows is exactly as high as the skeleton. Otherwise what stands below waits for it. Default: false. */
  readonly keepsHeight?: boolean
  readonly children: (value: A) => ComponentChildren
}

/**
 * Shows what was read; before that, grey bars; and when it cannot be read, why. Something shown stays when a later
 * reading fails, with a sentence that it may be old.
 */
export const Shown = <A,>({ of, skeleton = <Skeleton />, keepsHeight = false, children }: ShownProps<A>) => {
  const value = of.value.value
  const error = of.error.value
  const hasShown = useRef(false)
  if (value === undefined) {
    if (error !== undefined) return <ReadError error={error} onRetry={of.reload} />
    return <div class={keepsHeight || hasShown.current ? undefined : "first-read"}>{skeleton}</div>
  }
  hasShown.current = true
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

/** What stands for parts of unknown height while they are read; what is below waits with it. */
export const FirstRead = () => (
  <div class="first-read">
    <Skeleton />
  </div>
)

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
