import fc from "fast-check"

const pathPiece = fc.constantFrom(
  "a",
  "Z",
  "7",
  "-",
  ".",
  "~",
  "@",
  ":",
  "/",
  "//",
  "..",
  "%20",
  "%C3%A9",
  "%2F",
  "+",
  ";",
  "=",
)
const queryPiece = fc.constantFrom("a", "Z", "7", "&", "=", "/", "?", "%20", "%C3%A9", "+")

/**
 * Any URL of http or https with a host of letters. `fc.webUrl()` draws escapes of every character there is, whose table takes a
 * second to make in each worker; a few of them do here.
 */
export const anyUrl: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom("https", "http"),
    fc.domain(),
    fc.array(pathPiece, { maxLength: 12 }),
    fc.option(fc.array(queryPiece, { maxLength: 8 })),
  )
  .map(([scheme, host, path, query]) => {
    const ending = query === null ? "" : `?${query.join("")}`
    return `${scheme}://${host}${path.length === 0 ? "" : `/${path.join("")}`}${ending}`
  })
