import { isDeepStrictEqual } from "node:util"
import { expect } from "vitest"
import { type Psp, startPsp } from "../support/psp.ts"
import { pause } from "../support/until.ts"
import { type KillCase, killedFromOutside, paths } from "./moneyKillCases.ts"
import { type Death, type Lane, noFaultPoint, openLane, passedIn } from "./moneyKillLane.ts"
import { atRest, booksOf, openWorld } from "./moneyKillWorld.ts"

/** Lanes at once: much of a case is waiting, and four of them wait for a minute. */
const lanesMax = 8
/** Processes that start at once: starting is work. */
const startsMax = 2
/** Longest that a death is waited for; a path takes two polls at most until it. */
const deathTimeoutMillis = 240_000
const unharmedTriesMax = 3
/** The end of a path may be seen before its process dies behind it. */
const lateDeathMillis = 60_000

/** What a case came to: the calls that were passed where nobody died, payouts of the PSP, and charges. */
export interface Outcome {
  readonly calls: ReadonlyArray<string>
  readonly paid: number
  readonly charges: number
}

/** Runs so many at once, in the order in which they come. */
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
/** Letters that no id, hash or ciphertext comes to by chance. */
const freshTag = (): string => `moneykillcase${String(tagged++).padStart(4, "0")}`

/** What callers read between the calls of a path. */
const reads = /^(withdrawals|transactions)\.(get|list)$/

/** The calls of a path as its table has them; claims of nothing are left out, and a timer's say what it is about. */
const callsIn = (log: string): ReadonlyArray<string> =>
  passedIn(log).flatMap((passed) => {
    const [moment, call = "", id = ""] = passed.trim().split(/ +/)
    const isClaim = call === "timers.claim"
    if (moment !== (isClaim ? "after" : "before") || reads.test(call) || (isClaim && id === "")) return []
    return [call.startsWith("timers.") ? `${call}[${id.slice(0, id.indexOf("_") + 1)}]` : call]
  })

/** A case with the tag that its process waits for. */
interface Tagged {
  readonly kill: KillCase
  readonly tag: string
}

/** What a process is started with that the case is to kill, or to leave alone. */
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
  if (seen === undefined) throw new Error("the process was to die, and has not")
  return seen
}

/** A lane at work, and what its process was started for. */
interface Worker {
  readonly lane: Lane
  readonly psp: Psp
  /** The fault point of the process that runs; undefined: none runs. */
  armed: string | undefined
}

const start = async (worker: Worker, faultPoint: string): Promise<void> => {
  worker.armed = undefined
  await starts(() => worker.lane.start(faultPoint))
  worker.armed = faultPoint
}

/** Lets the processes of a case die in turn, and starts one that lives until the next case. */
const letDie = async (
  worker: Worker,
  kill: KillCase,
  played: Promise<unknown>,
  next: () => Tagged | undefined,
): Promise<void> => {
  for (const [i, faultPoint] of kill.faultPoints.entries()) {
    const death = i === 0 ? deathOf(worker.lane, played) : starts(() => worker.lane.startToDie(faultPoint))
    mustHaveDied(await death, faultPoint)
    if (kill.isInTrueTime !== true) await worker.lane.passMinute()
  }
  if (kill.faultPoints.length > 0) await start(worker, firstFaultPoint(next()))
}

const runCase = async (
  worker: Worker,
  { kill, tag }: Tagged,
  next: () => Tagged | undefined,
): Promise<Outcome> => {
  const { lane, psp } = worker
  const path = paths[kill.path]
  const wanted = firstFaultPoint({ kill, tag })
  // A process that waits for the next case serves for one in which nobody dies.
  if (worker.armed !== wanted && (worker.armed === undefined || kill.faultPoints.length > 0)) {
    await lane.reset()
    await start(worker, wanted)
  }
  const world = await openWorld(psp, lane, tag)
  await path.prepare(world)
  const begin = lane.log().length
  const played = path.play(world)
  // Both end before the lane is anybody else's.
  const [dead, over] = await Promise.allSettled([letDie(worker, kill, played, next), played])
  if (dead.status === "rejected") throw dead.reason
  if (over.status === "rejected") throw over.reason
  await atRest(world)
  const books = await booksOf(world)
  expect(books).toEqual({ ...path.books, ...kill.books })
  await lane.verify()
  const calls = callsIn(lane.log().slice(begin))
  return { calls, paid: books.payouts.paid, charges: books.charges.length }
}

/** On a busy machine a timer may come in between: a path that passes other calls than its own gets another chance or two. */
const runUnharmed = async (
  worker: Worker,
  tagged: Tagged,
  next: () => Tagged | undefined,
): Promise<Outcome> => {
  let outcome = await runCase(worker, tagged, next)
  const { calls } = paths[tagged.kill.path]
  for (let tries = 1; tries < unharmedTriesMax && !isDeepStrictEqual(outcome.calls, calls); tries += 1) {
    const again = await runCase(worker, { ...tagged, tag: freshTag() }, next)
    const [paid, charges] = [outcome.paid + again.paid, outcome.charges + again.charges]
    outcome = { calls: again.calls, paid, charges }
  }
  return outcome
}

/** Runs its own cases and then those of the queue, one after the other. */
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
  /** What a case came to, once it has. */
  readonly outcome: (kill: KillCase) => Promise<Outcome>
  readonly stop: () => Promise<void>
}

/** A promise of what is known later; nobody need wait for it. */
const promised = <A>() => {
  let resolve: (value: A | Promise<A>) => void = () => {}
  const promise = new Promise<A>((done) => {
    resolve = done
  })
  promise.catch(() => {})
  return { promise, resolve }
}

/** Begins to run all cases, those of `first` one after the other on a lane of their own. */
export const startKillRun = async (
  first: ReadonlyArray<KillCase>,
  rest: ReadonlyArray<KillCase>,
): Promise<KillRun> => {
  const psp = await startPsp()
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
