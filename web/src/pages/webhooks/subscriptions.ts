/** An entry of `GET /v1/me/event-types`, as far as a form needs it. */
export interface EventTypeInfo {
  readonly type: string
  readonly subscribable: boolean
  readonly description: string
}

/** Types of one family, such as `transaction`. */
export interface Family {
  readonly name: string
  readonly types: ReadonlyArray<EventTypeInfo>
}

/** The types that can be subscribed to, by family, in the catalog's order. */
export const familiesOf = (catalog: ReadonlyArray<EventTypeInfo>): ReadonlyArray<Family> => {
  const families = new Map<string, Array<EventTypeInfo>>()
  for (const info of catalog) {
    if (!info.subscribable) continue
    const name = info.type.slice(0, Math.max(0, info.type.indexOf(".")))
    families.set(name, [...(families.get(name) ?? []), info])
  }
  return [...families].map(([name, types]) => ({ name, types }))
}

/** A subscription after a type was turned on or off: `*` is every type, so it stands alone. */
export const toggled = (
  events: ReadonlyArray<string>,
  type: string,
  isOn: boolean,
): ReadonlyArray<string> => {
  const others = events.filter((name) => name !== type)
  if (!isOn) return others
  return type === "*" ? ["*"] : [...others.filter((name) => name !== "*"), type]
}

/** A subscription after a whole family was turned on or off. */
export const familyToggled = (
  events: ReadonlyArray<string>,
  { types }: Family,
  isOn: boolean,
): ReadonlyArray<string> => types.reduce((chosen, { type }) => toggled(chosen, type, isOn), events)
