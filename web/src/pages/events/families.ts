/** Families of event types, each as the API's `types` takes it. */
export const families = [
  "transaction.*",
  "refund.*",
  "withdrawal.*",
  "exception.*",
  "seller.*",
  "ping",
] as const

/** The types and families of the address, `types=transaction.*,refund.*`; none stand for all. */
export const typesOf = (parameter: string | null): ReadonlyArray<string> => [
  ...new Set(
    (parameter ?? "")
      .split(",")
      .map((type) => type.trim())
      .filter((type) => type !== "" && type !== "*"),
  ),
]

/** The address' parameter once a type or family is added, or removed if it was there; undefined for all. */
export const toggled = (types: ReadonlyArray<string>, type: string): string | undefined => {
  const next = types.includes(type) ? types.filter((other) => other !== type) : [...types, type]
  return next.length === 0 ? undefined : next.join(",")
}
