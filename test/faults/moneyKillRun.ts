import { isDeepStrictEqual } from "node:util"
import { expect } from "vitest"
import { type Psp, startPsp } from "../support/psp.ts"
import { pause } from "../support/until.ts"
import { callsOf, type KillCase, killedFromOutside, paths } from "./moneyKillCases.ts"
import {
  type Death,
  type Lane,
  type LaneSettings,
  noFaultPoint,
  openLane,
  passedIn,
} from "./moneyKillLane.ts"
import type { Path } from "./moneyKillPath.ts"
import { atRest, booksOf, openWorld } from "./moneyKillWorld.ts"

/** Processes that start at once: starting takes CPU. */
const startsMax = 2
/** How long a death is waited for; a path reaches it within two polls. */
const deathTimeoutMillis = 240_000
const unharmedTriesMax = 3
/** How long after the end of its path a process may still die. */
const lateDeathMillis = 60_000

/** The result of a case: the calls passed where no process died, the PSP's payouts, and the charges. */
export interface Outcome {
  readonly calls: ReadonlyArray<string>
  readonly paid: number
  readonly charges: number
  /** Returns of the PSP. */
  readonly made: number
}

/** Runs at most `max` tasks at once, in the order in which they come. */
const atMost = (max: number) => {
  const waiting: Array<() => void> = []
  let free = max
  return async <A>(run: () => Promise<A>): Promise<A> => {
    if (free > 0) free -= 1
    else await new Promise<void>((go) => waiting.push(go))
    try {
      return await run()
    } finally {
      const next = waiting.shift()
      if (next === undefined) free += 1
      else next()
    }
  }
}
const starts = atMost(startsMax)

let tagged = 0
/** A text that no id, hash or ciphertext contains by chance. */
const freshTag = (): string => `moneykillcase${String(tagged++).padStart(4, "0")}`

/** Reads of callers and calls of sweeps and closings, which come between the calls of a path. */
const others =
  /^((withdrawals|transactions|refunds)\.(get|list)|(sweeps|closings|ledger)\..*|acquirer\.list\w+)$/

/** The calls in a log as a path's table has them: without empty claims, and with what a timer's call is about. */
const callsIn = (log: string): ReadonlyArray<string> =>
  passedIn(log).flatMap((passed) => {
    const [moment, call = "", id = ""] = passed.trim().split(/ +/)
    const isClaim = call === "timers.claim"
    if (moment !== (isClaim ? "after" : "before") || others.test(call) || (isClaim && id === "")) return []
    return [call.startsWith("timers.") ? `${call}[${id.slice(0, id.indexOf("_") + 1)}]` : call]
  })

/** A case with the tag that its process waits for. */
interface Tagged {
  readonly kill: KillCase
  readonly tag: string
}

/** The fault point of a case's first process; one that is never reached where the case does not use it. */
const firstFaultPoint = (tagged: Tagged | undefined): string => {
  const [point] = tagged?.kill.faultPoints ?? []
  return point === undefined || point === killedFromOutside ? noFaultPoint : `${point}@${tagged?.tag}`
}

const mustHaveDied = ({ code, signal, at }: Death, faultPoint: string): void => {
  const where = faultPoint === killedFromOutside ? at : faultPoint.replace(/[[#].*$/, "")
  expect({ code, signal, at }).toEqual({ code: null, signal: "SIGKILL", at: where })
}

const deathOf = async (lane: Lane, played: Promise<unknown>): Promise<Death> => {
  const seen = await Promise.race([
    lane.died(),
    played.then(() => pause(lateDeathMillis)),
    pause(deathTimeoutMillis),
  ])
  if (seen === undefined) throw new Error("the process should have died, and has not")
  return seen
}

/** What a process is started with. */
interface Arming {
  readonly faultPoint: string
  readonly settings: LaneSettings
}

/** A lane at work, and what its process was started with. */
interface Worker {
  readonly lane: Lane
  readonly psp: Psp
  /** Undefined: none runs. */
  armed: Arming | undefined
}

const start = async (worker: Worker, arming: Arming): Promise<void> => {
  worker.armed = undefined
  await starts(() => worker.lane.start(arming.faultPoint, arming.settings))
  worker.armed = arming
}

const settingsOf = (kill: KillCase): LaneSettings => {
  const { settings = {} }: Path = paths[kill.path]
  return settings
}

/** A process that was started for another case also serves a case in which no process dies. */
const serves = (armed: Arming | undefined, wanted: Arming, { faultPoints }: KillCase): boolean =>
  armed !== undefined &&
  isDeepStrictEqual(armed.settings, wanted.settings) &&
  (faultPoints.length === 0 || armed.faultPoint === wanted.faultPoint)

/** Waits for the processes of a case to die in turn, and starts one for the next case, which ends this one. */
const letDie = async (
  worker: Worker,
  kill: KillCase,
  played: Promise<unknown>,
  next: () => Tagged | undefined,
): Promise<void> => {
  const settings = settingsOf(kill)
  for (const [i, faultPoint] of kill.faultPoints.entries()) {
    const startToDie = () => worker.lane.startToDie(faultPoint, settings)
    const death = i === 0 ? deathOf(worker.lane, played) : starts(startToDie)
    mustHaveDied(await death, faultPoint)
    if (kill.isInRealTime !== true) await worker.lane.passMinute()
  }
  if (kill.faultPoints.length > 0) await start(worker, { faultPoint: firstFaultPoint(next()), settings })
}

const runCase = async (
  worker: Worker,
  { kill, tag }: Tagged,
  next: () => Tagged | undefined,
): Promise<Outcome> => {
  const { lane, psp } = worker
  const path: Path = paths[kill.path]
  const wanted = { faultPoint: firstFaultPoint({ kill, tag }), settings: settingsOf(kill) }
  if (!serves(worker.armed, wanted, kill)) {
    await lane.reset()
    await start(worker, wanted)
  }
  const world = await openWorld(psp, lane, tag)
  await path.prepare(world)
  const begin = lane.log().length
  const played = path.play(world)
  // Both end before another case gets the lane.
  const [dead, over] = await Promise.allSettled([letDie(worker, kill, played, next), played])
  if (dead.status === "rejected") throw dead.reason
  if (over.status === "rejected") throw over.reason
  await atRest(world)
  const books = await booksOf(world)
  expect(books).toEqual({ ...path.books, ...kill.books })
  await lane.verify()
  const calls = callsIn(lane.log().slice(begin))
  return { calls, paid: books.payouts.paid, charges: books.charges.length, made: books.returns.made }
}

/** Repeats a path that passes other calls than its own, twice at most: a busy machine's timer may come in between. */
const runUnharmed = async (
  worker: Worker,
  tagged: Tagged,
  next: () => Tagged | undefined,
): Promise<Outcome> => {
  let outcome = await runCase(worker, tagged, next)
  const calls = callsOf(tagged.kill.path)
  for (let tries = 1; tries < unharmedTriesMax && !isDeepStrictEqual(outcome.calls, calls); tries += 1) {
    const again = await runCase(worker, { ...tagged, tag: freshTag() }, next)
    outcome = {
      calls: again.calls,
      paid: outcome.paid + again.paid,
      charges: outcome.charges + again.charges,
      made: outcome.made + again.made,
    }
  }
  return outcome
}

/** Runs the cases that it takes, one after another. */
const work = async (
  worker: Worker,
  take: () => KillCase | undefined,
  report: (kill: KillCase, outcome: Promise<Outcome>) => void,
): Promise<void> => {
  const takeTagged = (): Tagged | undefined => {
    const kill = take()
    return kill === undefined ? undefined : { kill, tag: freshTag() }
  }
  let current = takeTagged()
  while (current !== undefined) {
    let upcoming: Tagged | undefined
    const next = () => {
      upcoming ??= takeTagged()
      return upcoming
    }
    const isUnharmed = current.kill.faultPoints.length === 0
    const outcome = (isUnharmed ? runUnharmed : runCase)(worker, current, next)
    report(current.kill, outcome)
    await outcome.catch(() => {
      // The next case begins on a clean Redis.
      worker.armed = undefined
    })
    current = next()
  }
}

/** Cases under way. */
export interface KillRun {
  readonly psp: Psp
  /** The result of a case, once it has ended. */
  readonly outcome: (kill: KillCase) => Promise<Outcome>
  readonly stop: () => Promise<void>
}

/** A promise that is settled later, and may go unawaited. */
const promised = <A>() => {
  let resolve: (value: A | Promise<A>) => void = () => {}
  const promise = new Promise<A>((done) => {
    resolve = done
  })
  promise.catch(() => {})
  return { promise, resolve }
}

/** Starts all cases on so many lanes; those of `first` run one after another on one of them. */
export const startKillRun = async (
  first: ReadonlyArray<KillCase>,
  rest: ReadonlyArray<KillCase>,
  lanesMax: number,
): Promise<KillRun> => {
  const psp = await startPsp()
  // The lanes share it, each with a Redis of its own: sweeps would find the others' charges. They have a test of their own.
  psp.lists.isEmpty = true
  const lanes = await Promise.all(Array.from({ length: lanesMax }, () => openLane(psp)))
  const outcomes = new Map([...first, ...rest].map((kill) => [kill, promised<Outcome>()]))
  const report = (kill: KillCase, outcome: Promise<Outcome>) => outcomes.get(kill)?.resolve(outcome)
  const [own, queue] = [[...first], [...rest]]
  const working = lanes.map((lane, i) =>
    work({ lane, psp, armed: undefined }, () => (i === 0 ? own.shift() : undefined) ?? queue.shift(), report),
  )
  return {
    psp,
    outcome: (kill) => outcomes.get(kill)?.promise ?? Promise.reject(new Error(`${kill.name} is not run`)),
    stop: async () => {
      own.length = 0
      queue.length = 0
      await Promise.all(lanes.map((lane) => lane.stop()))
      await Promise.allSettled(working)
      await psp.close()
    },
  }
}
