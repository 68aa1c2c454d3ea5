import { Effect } from "effect"
import type { FaultPoint, FaultPort } from "../config/faultPoint.ts"

/** Kills the process at once: nothing is flushed, closed or logged. */
const die = (): never => {
  process.kill(process.pid, "SIGKILL")
  // Block until the signal arrives: nothing may run before it.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  throw new Error("unreachable")
}

const idPattern = /\b[a-z]{2,3}_[0-9A-Z]{26}\b/g

/** The distinct ids in a call's text. */
const idsIn = (text: string): string => [...new Set(text.match(idPattern))].join(" ")

const textOf = (...said: ReadonlyArray<unknown>): string => JSON.stringify(said)

/**
 * Makes a wrapper of ports that kills the process when a call reaches the fault point. `after` means that the call has done
 * its work and its caller has not seen the result; failed calls do not count. `kill` replaces the death of the process. At
 * log level debug each call is logged before and after, with the ids in it: `passes before inbox.load inb_…`.
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

  /** Logs before it arrives: a killed process logs nothing. */
  const pass = (moment: FaultPoint["moment"], call: string, asked: string, text: string) =>
    Effect.logDebug(`passes ${moment} ${call} ${idsIn(text)}`.trimEnd()).pipe(
      Effect.andThen(Effect.sync(() => arrive(moment, call, asked, text))),
    )

  const around = <A, E, R>(
    call: string,
    args: ReadonlyArray<unknown>,
    called: Effect.Effect<A, E, R>,
  ): Effect.Effect<A, E, R> => {
    const asked = textOf(args)
    return pass("before", call, asked, asked).pipe(
      Effect.andThen(called),
      Effect.tap((answer) => pass("after", call, asked, textOf(args, answer))),
    )
  }

  return <Port extends object>(name: FaultPort, port: Port): Port =>
    new Proxy(port, {
      get: (target, property, receiver) => {
        const found: unknown = Reflect.get(target, property, receiver)
        const call = `${name}.${String(property)}`
        // A call without arguments.
        if (Effect.isEffect(found)) return around(call, [], found)
        if (typeof found !== "function") return found
        return (...args: ReadonlyArray<unknown>) => {
          const called: unknown = Reflect.apply(found, target, args)
          return Effect.isEffect(called) ? around(call, args, called) : called
        }
      },
    })
}
