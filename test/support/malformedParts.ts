import fc from "fast-check"

const paths = [
  "/v1/transactions",
  "/v1/transactions/",
  "/v1/events",
  "/v1/webhook-deliveries",
  "/v1/event-types",
  "/events",
  "/health",
  "/nope",
  "/docs",
  "/openapi.json",
  "/openapi/merchant.json",
]

const ids = fc.oneof(
  fc.constantFrom(
    "txn_",
    "txn_0",
    "evt_zzz",
    "%",
    "%zz",
    "%ff%fe",
    "%00",
    "..",
    "a%2F..%2Fb",
    "__proto__",
    "constructor",
  ),
  fc.string({ maxLength: 40 }).map(encodeURIComponent),
  fc.stringMatching(/^(txn|evt|whd)_[0-9A-Z]{26}$/),
  fc.integer({ min: 200, max: 3_000 }).map((length) => "x".repeat(length)),
)

const queryNames = fc.constantFrom(
  "limit",
  "cursor",
  "from",
  "to",
  "status",
  "types",
  "resource_type",
  "resource_id",
  "endpoint_id",
  "event_id",
  "mode",
  "last_event_id",
  "token",
  "__proto__",
)

const queryValues = fc.oneof(
  fc.constantFrom(
    "",
    "0",
    "-1",
    "101",
    "1e2",
    "NaN",
    "%",
    "%ff",
    "%00",
    "true",
    "null",
    "[]",
    "' OR 1=1",
    "*,",
    "a.*.b",
    "%F0%9F%98%80",
  ),
  fc.base64String({ maxLength: 80 }).map((text) => text.replaceAll("+", "-").replaceAll("/", "_")),
  fc.string({ maxLength: 30 }).map(encodeURIComponent),
  fc.integer().map(String),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
)

const query = fc
  .array(fc.tuple(queryNames, queryValues), { maxLength: 6 })
  .map((pairs) =>
    pairs.length === 0 ? "" : `?${pairs.map(([name, value]) => `${name}=${value}`).join("&")}`,
  )

export const target = fc
  .tuple(
    fc.constantFrom(...paths),
    fc.option(ids, { nil: "" }),
    fc.constantFrom("", "", "", "/retry", "/"),
    query,
  )
  .map(([path, id, suffix, search]) => {
    const separator = id === "" || path.endsWith("/") ? "" : "/"
    return (path + separator + id + suffix + search).replace(/[^\x21-\x7e]/g, "_")
  })

export const methods = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom("GET", "POST") },
  { weight: 3, arbitrary: fc.constantFrom("PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "CONNECT") },
  { weight: 1, arbitrary: fc.stringMatching(/^[A-Za-z]{1,12}$/) },
)

export const headerText = fc.oneof(
  fc.constantFrom(
    "",
    " ",
    "\t",
    "a",
    "a".repeat(255),
    "a".repeat(256),
    "\u00ff",
    "a\u00e7b",
    "text/plain",
    "bearer x",
    "0",
    "-1",
  ),
  fc.stringMatching(/^[\x20-\x7e]{0,60}$/),
)

const headerNames = fc.constantFrom(
  "Idempotency-Key",
  "Content-Type",
  "Content-Encoding",
  "X-Request-Id",
  "Last-Event-ID",
  "Accept",
  "Cookie",
  "Expect",
  "Range",
  "If-None-Match",
  "X-Forwarded-For",
  "Upgrade",
  "Connection",
  "__proto__",
)

/** Clients as proxies write them: with ports, in brackets, hidden, or as nothing that is an address. */
const forwardedFor = fc
  .array(
    fc.constantFrom(
      ...["203.0.113.7", "203.0.113.7:4711", "203.0.113.7:99999", "[2001:db8::7]", "[2001:db8::7]:443"],
      ...[
        "2001:db8::7%eth0",
        "::ffff:127.0.0.1",
        "127.0.0.1:80",
        "unknown",
        "_hidden",
        "0177.0.0.1",
        "1.2.3",
        "",
      ],
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map((entries) => entries.join(", "))

/** Cookies as sibling domains plant them: several of a name, without a value, in quotes, in pieces. */
const cookies = fc
  .array(
    fc.constantFrom(
      ...[
        "lm.session=",
        "lm.session",
        "lm.session=a",
        'lm.session="b"',
        "LM.SESSION=c",
        "lm.session=%zz",
        " = ",
      ],
      ...[
        "lm.trust_device=x.y.z",
        "lm.two_factor=0",
        "__proto__=1",
        "",
        "=",
        "a=b=c",
        "lm.session=d,lm.session=e",
      ],
    ),
    { minLength: 1, maxLength: 6 },
  )
  .map((pairs) => pairs.join("; "))

export const headers = fc
  .array(
    fc.oneof(
      { weight: 6, arbitrary: fc.tuple(headerNames, headerText) },
      {
        weight: 1,
        arbitrary: fc.tuple(fc.constantFrom("X-Forwarded-For", "x-forwarded-for", "Forwarded"), forwardedFor),
      },
      { weight: 1, arbitrary: fc.tuple(fc.constantFrom("Cookie", "cookie"), cookies) },
    ),
    { maxLength: 8 },
  )
  .map((pairs) => pairs.map(([name, value]) => `${name}: ${value}\r\n`).join(""))

export const line = (method: string, path: string): string =>
  `${method} ${path} HTTP/1.1\r\nHost: malformed.test\r\n`

export const latin1 = (text: string): Uint8Array => Buffer.from(text, "latin1")
