import { formatCount } from "../../text/format.ts"
import { Facts } from "../../ui/page.tsx"
import { Foreign, Moment } from "../../ui/values.tsx"
import { measureText } from "./measureTexts.ts"

const isMoment = (value: string): boolean => /^\d{4}-\d{2}-\d{2}T/.test(value)

const Measure = ({ of: value }: { readonly of: unknown }) => {
  if (typeof value === "number") return <span class="number">{formatCount(value)}</span>
  if (value === null) return <span class="muted">—</span>
  if (typeof value === "string") return isMoment(value) ? <Moment at={value} /> : <Foreign>{value}</Foreign>
  return <Foreign>{JSON.stringify(value)}</Foreign>
}

const isGroup = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Measures by name, groups of them under titles of their own. */
export const Measures = ({ of: measures }: { readonly of: Readonly<Record<string, unknown>> }) => {
  const all = Object.entries(measures).filter(([name]) => name !== "object" && name !== "checks")
  const single = all.filter(([, value]) => !isGroup(value))
  return (
    <>
      {single.length > 0 && (
        <Facts of={single.map(([name, value]) => [measureText(name), <Measure key={name} of={value} />])} />
      )}
      {all.map(([name, value]) =>
        isGroup(value) ? (
          <section key={name} class="measures" data-testid="measures" data-name={name}>
            <h3>{measureText(name)}</h3>
            <Measures of={value} />
          </section>
        ) : null,
      )}
    </>
  )
}
