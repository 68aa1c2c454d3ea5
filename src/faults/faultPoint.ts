import { Effect } from "effect"
import type { FaultPoint, FaultPort } from "../config/faultPoint.ts"

/** Dies at once: nothing is flushed, closed or said. */
const die = (): never => {
  process.kill(process.pid, "SIGKILL")
  // The signal arrives within this turn; nothing may run until then.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  throw new Error("unreachable")
}

const idPattern = /\b[a-z]{2,3}_[0-9A-Z]{26}\b/g

/** The ids that a call's text names, each once. */
const idsIn = (text: string): string => [...new Set(text.match(idPattern))].join(" ")

const textOf = (...said: ReadonlyArray<unknown>): string => JSON.stringify(said)

/**
 * Makes what wraps the functions of ports, so that the process dies when the fault point is reached. `after` means that
 * the call has done its work and nobody has heard of it; one that failed is not counted. `kill` is what dies. At log level
 * debug each call says that it is passed, before and after, with the ids that it names: `passes before inbox.load inb_…`.
 */
export const makeFaultPoint = (point: FaultPoint, kill: () => void = die) => {
  let isCounting = point.since === undefined
  let seen = 0

  const arrive = (moment: FaultPoint["moment"], call: string, asked: string, text: string) => {
    if (point.since !== undefined && asked.includes(point.since)) isCounting = true
    if (!isCounting || moment !== point.moment || call !== point.call) return
    if (point.about !== undefined && !text.includes(point.about)) return
    seen += 1
    if (seen === point.occurrence) kill()
  }

  /** Says so first: the dead say nothing. */
  const pass = (moment: FaultPoint["moment"], call: string, asked: string, text: string) =>
    Effect.logDebug(`passes ${moment} ${call} ${idsIn(text)}`.trimEnd()).pipe(
      Effect.andThen(Effect.sync(() => arrive(moment, call, asked, text))),
    )

  return <Port extends object>(name: FaultPort, port: Port): Port =>
    new Proxy(port, {
      get: (target, property, receiver) => {
        const found: unknown = Reflect.get(target, property, receiver)
        if (typeof found !== "function") return found
        const call = `${name}.${String(property)}`
        return (...args: ReadonlyArray<unknown>) => {
          const called: unknown = Reflect.apply(found, target, args)
          if (!Effect.isEffect(called)) return called
          const asked = textOf(args)
          return pass("before", call, asked, asked).pipe(
            Effect.andThen(called),
            Effect.tap((answer) => pass("after", call, asked, textOf(args, answer))),
          )
        }
      },
    })
}
