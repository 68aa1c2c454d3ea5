/**
 * A run of faults under load, and whether every promise was kept:
 *
 * 1. A plan is drawn from the seed: which faults, in which order, what each strikes, how long it lasts.
 * 2. Servers, services, a bank, receivers, sellers and followers start. Clients write at a fixed rate, and repeat by their keys.
 * 3. Each fault strikes in turn. Then it is healed, and all services are waited for.
 * 4. The load ends, and what is under way comes to its end.
 * 5. What anybody was told (the journal) is compared with what there is.
 */
import { payoutIdOf, txidOf } from "../../../schema/ids.ts"
import { shiftClock } from "../../support/clockJumps.ts"
import { pause, until } from "../../support/until.ts"
import type { Journal, Told } from "./journal.ts"
import { type FaultName, faultKinds } from "./kinds.ts"
import { type Load, type LoadFigures, startLoad } from "./load.ts"
import { type Duration, type Planned, planOf } from "./plan.ts"
import { judge, type Verdict } from "./promises.ts"
import { readState, settle } from "./state.ts"
import type { Topology } from "./topology.ts"
import { openWorld, type World, type WorldSize } from "./world.ts"

export interface FaultRunOptions extends WorldSize {
  readonly seed: number
  readonly names: ReadonlyArray<FaultName>
  /** How many faults strike at most. */
  readonly count: number
  /** No fault strikes after so long. */
  readonly minutesMax?: number
  readonly duration: Duration
  readonly startTopology: () => Promise<Topology>
  /** How long what is under way may take to end; a run that must find losses need not wait. */
  readonly settleMillis?: number
  /** Takes each line of the run's story. */
  readonly print?: (line: string) => void
}

/** What a run found. */
export interface FaultRunResult {
  readonly journal: Journal
  readonly verdicts: ReadonlyArray<Verdict>
  readonly figures: LoadFigures
  readonly faults: number
  readonly surprises: ReadonlyArray<string>
}

/** Between a fault that is over and the next one. */
const restMillis = 1_000
/** Servers and services of a machine that others keep busy take their time; where it is over they hang. */
const recoverMillis = 240_000
const defaultSettleMillis = 300_000

const kinds = [
  "charge",
  "withdrawal",
  "read",
  "frame",
  "webhook",
  "bankCharge",
  "bankPayout",
] as const satisfies ReadonlyArray<Told["kind"]>

/** Why a service cannot serve, as it says itself; undefined: it can. Its own load is no fault. */
const unreadyOf = async (url: string): Promise<string | undefined> => {
  try {
    const answer = await fetch(`${url}/ready`, { signal: AbortSignal.timeout(20_000) })
    const { checks } = (await answer.json()) as { readonly checks: Readonly<Record<string, unknown>> }
    const failing = Object.entries(checks).filter(
      ([name, check]) => name !== "load" && typeof check !== "string",
    )
    return failing.length === 0 ? undefined : JSON.stringify(Object.fromEntries(failing))
  } catch (error) {
    return String(error)
  }
}

const untilReady = async (url: string): Promise<void> => {
  let problem: string | undefined
  await until(
    () => `${url} to be ready: ${problem}`,
    async () => {
      problem = await unreadyOf(url)
      return problem === undefined
    },
    recoverMillis,
  )
}

/** Ends whatever faults there are, and waits until all services can serve. Returns how long servers and services took. */
const recover = async ({ topology, services, psp, receive }: World) => {
  const beganMillis = performance.now()
  for (const service of services) {
    service.signal("SIGCONT")
    shiftClock(service, 0)
  }
  psp.heal()
  receive(undefined)
  await topology.recover()
  const wholeMillis = performance.now()
  for (const { url } of services) await untilReady(url)
  return { serversMillis: wholeMillis - beganMillis, servicesMillis: performance.now() - wholeMillis }
}

const inSeconds = (millis: number): string => `${(millis / 1_000).toFixed(1)} s`

/** How many faults struck, and why no further one did before its time; undefined: the plan or the time was over. */
interface Struck {
  readonly faults: number
  readonly problem?: string
}

const strikeAll = async (
  world: World,
  plan: ReadonlyArray<Planned>,
  deadline: number,
  print: (line: string) => void,
): Promise<Struck> => {
  let faults = 0
  for (const { name, dice } of plan) {
    if (performance.now() > deadline) break
    faults += 1
    const beganMillis = performance.now()
    try {
      await faultKinds[name](world, dice)
      const lasted = inSeconds(performance.now() - beganMillis)
      const { serversMillis, servicesMillis } = await recover(world)
      print(
        `${String(faults).padStart(3)}. ${name} for ${lasted}; then servers took ${inSeconds(serversMillis)}, services ${inSeconds(servicesMillis)}`,
      )
    } catch (error) {
      // What was told until then is judged all the same.
      return { faults, problem: `fault ${faults}, ${name}, does not end: ${error}` }
    }
    await pause(restMillis)
  }
  return { faults }
}

/** Waits until every follower has a position to resume from. */
const warmUp = ({ followers }: World, load: Load): Promise<void> =>
  until(
    () => `every follower to see an event; ${JSON.stringify(load.figures())}`,
    () => followers.every(({ events }) => events.length > 0),
  )

/** Plays a run; the same seed plays the same faults. */
export const runFaults = async (options: FaultRunOptions): Promise<FaultRunResult> => {
  const { seed, names, count, duration, print = () => {} } = options
  const plan = planOf(seed, names, count, duration)
  const topology = await options.startTopology()
  let world: World | undefined
  let load: Load | undefined
  try {
    world = await openWorld(topology, options)
    load = startLoad(world)
    await warmUp(world, load)
    const deadline = performance.now() + (options.minutesMax ?? Number.POSITIVE_INFINITY) * 60_000
    const { faults, problem } = await strikeAll(world, plan, deadline, print)
    await load.finish(recoverMillis)
    const unsettled = [
      ...(problem === undefined ? [] : [problem]),
      ...(await settle(world, options.settleMillis ?? defaultSettleMillis)),
    ]
    const state = await readState(world, unsettled)
    const verdicts = judge(world.journal, state, { txidOf, payoutIdOf })
    return { journal: world.journal, verdicts, figures: load.figures(), faults, surprises: load.surprises }
  } finally {
    load?.stop()
    await world?.stop()
    await topology.stop()
  }
}

/** How many things were lost or done twice, over all promises. */
export const brokenCount = ({ verdicts, surprises }: FaultRunResult): number =>
  verdicts.reduce((sum, { broken }) => sum + broken.length, surprises.length)

const brokenMax = 5

/** The figures of a run, and a line per promise with the first cases in which it was broken. */
export const reportOf = ({
  journal,
  verdicts,
  figures,
  faults,
  surprises,
}: FaultRunResult): ReadonlyArray<string> => [
  `${faults} faults; ${figures.asked} charges asked for, ${figures.answered} answers, ${figures.leftOut} left out`,
  ...Object.entries(figures.repeats).map(([reason, times]) => `repeated ${times} times: ${reason}`),
  `told: ${kinds.map((kind) => `${journal.of(kind).length} ${kind}`).join(", ")}`,
  ...verdicts.flatMap(({ promise, checked, broken }) => [
    `${broken.length === 0 ? "kept  " : "BROKEN"} ${promise}: ${checked} checked, ${broken.length} broken`,
    ...broken.slice(0, brokenMax).map((what) => `         ${what}`),
  ]),
  ...surprises
    .slice(0, brokenMax)
    .map((what) => `BROKEN no client gets an answer that it should not: ${what}`),
]
