import type { ComponentChildren } from "preact"
import { useId } from "preact/hooks"

interface TabsProps<Name extends string> {
  /** What the tabs choose among. */
  readonly label: string
  readonly tabs: ReadonlyArray<readonly [name: Name, text: ComponentChildren]>
  readonly chosen: Name
  readonly onChoose: (name: Name) => void
  /** The content of the chosen tab. */
  readonly children: ComponentChildren
}

const stepOf: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1 }

/** Parts of a page of which one is shown. Tab leads to the chosen one and from there to its content; the arrows choose another. */
export const Tabs = <Name extends string>({ label, tabs, chosen, onChoose, children }: TabsProps<Name>) => {
  const id = useId()
  const onKeyDown = (event: KeyboardEvent & { readonly currentTarget: HTMLElement }) => {
    const step = stepOf[event.key]
    if (step === undefined) return
    event.preventDefault()
    const index = tabs.findIndex(([name]) => name === chosen)
    const [next] = tabs[(index + step + tabs.length) % tabs.length] ?? []
    if (next === undefined) return
    onChoose(next)
    event.currentTarget.querySelector<HTMLElement>(`[data-tab="${next}"]`)?.focus()
  }
  return (
    <div class="tabbed">
      <div class="tab-list" role="tablist" aria-label={label} onKeyDown={onKeyDown}>
        {tabs.map(([name, text]) => (
          <button
            key={name}
            type="button"
            role="tab"
            class="tab"
            id={`${id}-${name}`}
            data-tab={name}
            data-testid={`tab-${name}`}
            aria-selected={name === chosen}
            aria-controls={`${id}-panel`}
            tabIndex={name === chosen ? 0 : -1}
            onClick={() => onChoose(name)}
          >
            {text}
          </button>
        ))}
      </div>
      <div class="tab-panel" role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${chosen}`}>
        {children}
      </div>
    </div>
  )
}
