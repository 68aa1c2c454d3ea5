/** The members of `metadata` in which shops keep the number of an order, the first that is there. */
const orderNames = ["reference", "order", "order_id", "order_number", "pedido"] as const

/** What the seller calls the order of a charge: its reference, or what shops have in its metadata; "" without one. */
export const orderOf = ({
  reference,
  metadata,
}: {
  readonly reference: string | null
  readonly metadata: Readonly<Record<string, unknown>>
}): string => {
  const found = reference ?? orderNames.map((name) => metadata[name]).find((value) => value !== undefined)
  return typeof found === "string" || typeof found === "number" ? String(found) : ""
}

/** A CPF or CNPJ with its punctuation; any other text as it is. */
export const formatDocument = (text: string): string =>
  text.length === 11
    ? text.replace(/^(\d{3})(\d{3})(\d{3})(\d{2})$/, "$1.$2.$3-$4")
    : text.replace(/^(\w{2})(\w{3})(\w{3})(\w{4})(\d{2})$/, "$1.$2.$3/$4-$5")

/** A masked document: a CPF as `***.456.789-**`, a CNPJ as `**.345.678/0001-**`. */
export const maskedDocument = (document: string): string =>
  document.length === 11
    ? `***.${document.slice(3, 6)}.${document.slice(6, 9)}-**`
    : `**.${document.slice(2, 5)}.${document.slice(5, 8)}/${document.slice(8, 12)}-**`
