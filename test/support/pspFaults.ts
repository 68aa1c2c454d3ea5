import type { ServerResponse } from "node:http"
import { sendInterim } from "./receiverBehaviours.ts"

/** A fault in the handling of one request. */
export type PspFault =
  /** Does the work and answers after `millis`, or never (`silent`). */
  | { readonly kind: "slow"; readonly millis: number }
  | { readonly kind: "silent" }
  /** Does the work and answers only after `millis`, even where nobody waits any more. */
  | { readonly kind: "late"; readonly millis: number }
  /** Gives this answer and does not do the work. */
  | {
      readonly kind: "answer"
      readonly status: number
      readonly headers?: Readonly<Record<string, string>>
      readonly body?: unknown
    }
  /** Cuts the connection and does not do the work. */
  | { readonly kind: "cut" }
  /** Does the work and cuts the connection. */
  | { readonly kind: "lost" }
  /** Does the work and writes these bytes in place of an answer. */
  | { readonly kind: "raw"; readonly bytes: string }
  /** Does the work and answers 200 with `text`. */
  | { readonly kind: "text"; readonly text: string }
  /** Does the work and answers another amount: one real more. */
  | { readonly kind: "wrongAmount" }
  /** Does the work and changes the body of the answer. */
  | { readonly kind: "changed"; readonly change: (body: Readonly<Record<string, unknown>>) => unknown }
  /** Does the work, and sends `100 Continue` and others before it answers. */
  | { readonly kind: "interim" }
  /** Lists every transfer of the answer twice. */
  | { readonly kind: "duplicate" }

/** An answer of the PSP. */
export interface PspAnswer {
  readonly status: number
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** Faults for requests to come. */
export interface PspFaults {
  /**
   * Adds a fault to the next `times` requests (default 1) whose `METHOD /path`, without the base path, begins with
   * `beginning`, such as `PUT /cob`, or matches it.
   */
  readonly add: (beginning: string | RegExp, fault: PspFault, times?: number) => void
  readonly clear: () => void
  readonly take: (line: string) => PspFault | undefined
}

const isAbout = (beginning: string | RegExp, line: string): boolean =>
  typeof beginning === "string" ? line.startsWith(beginning) : beginning.test(line)

/** No faults yet. */
export const makeFaults = (): PspFaults => {
  let waiting: Array<{ readonly beginning: string | RegExp; readonly fault: PspFault; times: number }> = []
  return {
    add: (beginning, fault, times = 1) => {
      waiting.push({ beginning, fault, times })
    },
    clear: () => {
      waiting = []
    },
    take: (line) => {
      const found = waiting.find(({ beginning, times }) => times > 0 && isAbout(beginning, line))
      if (found === undefined) return undefined
      found.times--
      return found.fault
    },
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const oneRealMore = (decimal: unknown): unknown =>
  typeof decimal === "string" ? `${Number(decimal.split(".")[0]) + 1}.${decimal.split(".")[1]}` : decimal

const withWrongAmount = (body: Readonly<Record<string, unknown>>): unknown => ({
  ...body,
  valor: isRecord(body.valor) ? { original: oneRealMore(body.valor.original) } : oneRealMore(body.valor),
})

const withDuplicates = (body: Readonly<Record<string, unknown>>): unknown =>
  Array.isArray(body.pix) ? { ...body, pix: [...body.pix, ...body.pix] } : body

const write = (response: ServerResponse, { status, headers, body }: PspAnswer): void => {
  const text = body === undefined ? "" : JSON.stringify(body)
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(text)
}

/** The answer after the work is done; undefined where none is sent. */
const answerOf = (fault: PspFault | undefined, answer: PspAnswer): PspAnswer | undefined => {
  const changed = (change: (body: Readonly<Record<string, unknown>>) => unknown): PspAnswer => ({
    ...answer,
    body: isRecord(answer.body) ? change(answer.body) : answer.body,
  })
  switch (fault?.kind) {
    case "silent":
      return undefined
    case "wrongAmount":
      return changed(withWrongAmount)
    case "changed":
      return changed(fault.change)
    case "duplicate":
      return changed(withDuplicates)
    default:
      return answer
  }
}

/** Answers a request with its fault, if it has one; runs `work` once at most. */
export const answerWith = (
  fault: PspFault | undefined,
  response: ServerResponse,
  work: () => PspAnswer,
): void => {
  if (fault?.kind === "answer") {
    write(response, { body: {}, ...fault })
    return
  }
  if (fault?.kind === "late") {
    setTimeout(() => write(response, work()), fault.millis).unref()
    return
  }
  if (fault?.kind === "interim")
    for (const status of [100, 102, 103, 100] as const) sendInterim(response, status)
  const answer = fault?.kind === "cut" ? undefined : answerOf(fault, work())
  if (fault?.kind === "cut" || fault?.kind === "lost") response.destroy()
  else if (fault?.kind === "raw") response.socket?.end(fault.bytes)
  else if (fault?.kind === "text") response.writeHead(200).end(fault.text)
  else if (answer === undefined) return
  else if (fault?.kind === "slow") {
    const timer = setTimeout(() => write(response, answer), fault.millis)
    response.once("close", () => clearTimeout(timer))
  } else write(response, answer)
}
