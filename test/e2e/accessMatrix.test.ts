import { HttpApi } from "effect/http-api"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { api } from "../../schema/api/index.ts"
import { checkDocumented } from "../support/documentedAnswers.ts"
import { startTlsReceiver, type TlsReceiver } from "../support/tlsReceiver.ts"
import { attempts, type Credentials } from "./support/accountAttempts.ts"
import { makeCast } from "./support/accountCast.ts"
import { forgetRates } from "./support/accountPeople.ts"
import { type Row, rows, type Things } from "./support/accountRoutes.ts"
import { changesBetween, snapshotOf } from "./support/accountSnapshot.ts"
import type { ErrorBody } from "./support/client.ts"
import { noticeSettings } from "./support/notices.ts"
import { openStage, receiverSettings, type Stage } from "./support/stage.ts"

const endpoints: Array<{ readonly name: string; readonly method: string; readonly path: string }> = []
HttpApi.reflect(api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint: { identifier, method, path } }) => {
    endpoints.push({ name: identifier, method, path })
  },
})

let stage: Stage
let receiver: TlsReceiver
let things: Things
let credentials: Credentials
beforeAll(async () => {
  receiver = await startTlsReceiver({ behaviour: { kind: "respond", status: 500 } })
  stage = await openStage({
    ...receiverSettings(receiver),
    ...noticeSettings,
    SIMULATOR_DELAY_MS: "50",
    RETRY_SCHEDULE_SECONDS: "0.01,0.01,0.01,0.01,0.01",
  })
  const cast = await makeCast(stage, receiver)
  things = cast.things
  credentials = cast.credentials
})
afterAll(async () => {
  await stage?.close()
  await receiver?.close()
})
beforeEach(() => forgetRates(stage))

/** Sends a route's own request with other headers; closes a stream as soon as it begins. Answers are held to the document. */
const send = async (
  { method, path }: { readonly method: string; readonly path: string },
  row: Row,
  headers: Readonly<Record<string, string>>,
  about: Things,
) => {
  const body = await row.body?.(about)
  const named = path.replace(/:\w+/, () => row.names?.(about) ?? "")
  const query = row.query === undefined ? "" : `?${row.query}`
  const response = await fetch(stage.service.url + named + query, {
    method,
    redirect: "manual",
    headers: {
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      ...row.headers?.(),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") ?? false
  if (isStream) await response.body?.cancel()
  const text = isStream ? "" : await response.text()
  const contentType = response.headers.get("content-type") ?? ""
  checkDocumented(method, named, { status: response.status, contentType, text })
  return { status: response.status, headers: response.headers, text }
}
type Answer = Awaited<ReturnType<typeof send>>

const errorOf = ({ text }: Answer): ErrorBody["error"] | undefined =>
  text.startsWith("{") ? (JSON.parse(text) as ErrorBody).error : undefined

/** The parts of an answer that these tests compare. */
const outlineOf = (answer: Answer) => {
  const error = errorOf(answer)
  return {
    status: answer.status,
    code: error?.code,
    param: error?.param,
    stepUpHeader: answer.headers.get("x-mfa-step-up"),
  }
}

/** The seller's things whose ids appear in a text. */
const thingsIn = (text: string): ReadonlyArray<string> =>
  [
    ...[things.charge, things.event, things.delivery, things.endpoint, things.apiKey, things.session],
    ...[things.pixKey, things.withdrawal, things.refund],
  ].filter((id) => text.includes(id))

describe("the access table", () => {
  it("the access table has a row for every route of the contract, and no other", () => {
    expect(Object.keys(rows).sort()).toEqual(endpoints.map(({ name }) => name).sort())
  })

  it("the access table refuses some attempt on every route but the probes and acquirers' notices", () => {
    const open = Object.entries(rows).filter(([, row]) =>
      Object.values(attempts).every(({ outcome }) => outcome(row, true).kind !== "refused"),
    )
    expect(open.map(([name]) => name)).toEqual(["health", "ready", "receiveNotice", "receivePixNotice"])
  })
})

/** The store after the last attempt. Nothing happens between two attempts, so it is the store before the next. */
let leftByLast: ReadonlyArray<string> | undefined

/** What has changed in the store since the last attempt. */
const changesSince = async (before: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const after = await snapshotOf(stage)
  const changes = changesBetween(before, after)
  // The next attempt is not to answer for this one.
  leftByLast = changes.length === 0 ? after : undefined
  return changes
}

/** The attempts that apply to a route. */
const attemptsOn = (method: string, row: Row) =>
  Object.entries(attempts).flatMap(([name, attempt]) => {
    const outcome = attempt.outcome(row, method !== "GET")
    return outcome.kind === "n/a" ? [] : [{ name, attempt, outcome }]
  })

/** How titles say what an attempt comes to, unless it is refused. */
const verdicts = {
  own: "shows nothing of the seller's",
  unreadable: "is answered without CORS",
  "n/a": "does not apply",
} as const

for (const endpoint of endpoints) {
  const row = rows[endpoint.name]
  const tried = row === undefined ? [] : attemptsOn(endpoint.method, row)
  if (row === undefined || tried.length === 0) continue
  const route = `${endpoint.method} ${endpoint.path}`
  describe(route, () => {
    for (const { name, attempt, outcome } of tried) {
      const verdict = outcome.kind === "refused" ? `is refused: ${outcome.code}` : verdicts[outcome.kind]
      it(`${route} with ${name} ${verdict}`, async () => {
        // A valid code would be used up, and these requests must end before anything looks at it.
        const about = { ...things, code: async () => "000000" }
        const before = leftByLast ?? (await snapshotOf(stage))
        leftByLast = undefined
        const answer = await send(endpoint, row, attempt.headers(credentials, row), about)
        switch (outcome.kind) {
          case "refused": {
            const { status, code, param } = outcome
            const stepUpHeader = code === "mfa_required" ? "required" : null
            expect(outlineOf(answer)).toEqual({ status, code, param, stepUpHeader })
            break
          }
          case "own":
            expect(answer.status).toBe(200)
            expect(thingsIn(answer.text)).toEqual([])
            break
          case "unreadable":
            expect(answer.headers.get("access-control-allow-origin")).toBeNull()
        }
        expect(await changesSince(before)).toEqual([])
      })
    }
  })
}

describe("the cookie of a sign-in whose second step is missing", () => {
  it("get-session reports no session for a sign-in whose second step is missing", async () => {
    for (const Cookie of [credentials.pending, credentials.pendingAsSession]) {
      const response = await fetch(`${stage.service.url}/v1/me/auth/get-session`, { headers: { Cookie } })
      expect([response.status, await response.text()]).toEqual([200, "null"])
    }
  })
})

describe("the same requests from permitted callers", () => {
  const rightHeaders = ({ credential }: Row): Readonly<Record<string, string>> => {
    const session = (Cookie: string) => ({ Cookie, "X-Mode": "test" })
    switch (credential) {
      case "none":
      case "page":
        return {}
      case "pending":
        return session(credentials.pending)
      case "key":
      case "feed":
        return { Authorization: `Bearer ${credentials.keys.test}` }
      case "operator":
        return session(credentials.operatorSession)
      case "user":
      case "seller":
        return session(credentials.session)
    }
  }

  for (const [name, row] of Object.entries(rows)) {
    const endpoint = endpoints.find((other) => other.name === name)
    if (endpoint === undefined) continue
    it(`${endpoint.method} ${endpoint.path} answers ${row.accepted} to a permitted caller, as documented`, async () => {
      const answer = await send(endpoint, row, rightHeaders(row), things)
      expect(answer.status, answer.text).toBe(row.accepted)
    })
  }
})
