import { setTimeout as sleep } from "node:timers/promises"
import { type Check, type Metric, makeMetric, type Progress, type Target } from "../report/result.ts"
import { formatNumber } from "../report/text.ts"
import { withSides } from "../support/sides.ts"
import { fillPeople } from "./fillPeople.ts"
import { addressOf, makePeople, makePoster, nobodysEmail, type Person, type Poster } from "./people.ts"

/** An attack on sign-in, and the owners who sign in beside it. */
export interface OutageSize {
  /** Clients that try wrong passwords, each in another network; one run for each number. */
  readonly attackers: ReadonlyArray<number>
  /** Interval between two tries of a client. */
  readonly attackEveryMillis: number
  /** The attack's duration before the owners that count come. */
  readonly onsetMillis: number
  /** Owners who sign in once during the onset, and once the attack is under way. */
  readonly owners: number
  readonly ownerEveryMillis: number
  readonly passwordCost: number
}

/** An owner must be in within this time. */
const ownerMillisTarget = 3_000

/** Owners' addresses begin here, behind those of all attackers. */
const ownersFrom = 100_000

/** How an owner's sign-in, or a client's try, ended. */
interface Ended {
  readonly status: number
  readonly millis: number
}

/** Results of the attacks. */
export interface OutageResult {
  readonly metrics: ReadonlyArray<Metric>
  readonly targets: ReadonlyArray<Target>
  readonly checks: ReadonlyArray<Check>
}

/** Starts clients that try wrong passwords at a fixed rate, their first tries spread over one interval. */
const startAttack = (poster: Poster, clients: number, everyMillis: number) => {
  const end = new AbortController()
  const statuses = new Map<number, number>()
  const attempt = async (client: number) => {
    const body = { email: nobodysEmail(), password: "not the password of anyone" }
    const { status } = await poster.post("sign-in/email", body, addressOf(client))
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
  }
  const run = async (client: number) => {
    const attempts: Array<Promise<void>> = []
    await sleep((everyMillis * client) / clients, undefined, { signal: end.signal }).catch(() => undefined)
    while (!end.signal.aborted) {
      attempts.push(attempt(client))
      await sleep(everyMillis, undefined, { signal: end.signal }).catch(() => undefined)
    }
    await Promise.all(attempts)
  }
  const running = Promise.all(Array.from({ length: clients }, (_, client) => run(client)))
  return {
    stop: async (): Promise<ReadonlyMap<number, number>> => {
      end.abort()
      await running
      return statuses
    },
  }
}

/** Lets owners sign in one after another at a fixed rate, each once and from a network that nobody used before. */
const signIn = async (
  poster: Poster,
  owners: ReadonlyArray<Person>,
  everyMillis: number,
  firstAddress: number,
): Promise<ReadonlyArray<Ended>> => {
  const endings: Array<Promise<Ended>> = []
  for (const [index, owner] of owners.entries()) {
    endings.push(poster.post("sign-in/email", owner, addressOf(firstAddress + index)))
    await sleep(everyMillis)
  }
  return Promise.all(endings)
}

const isIn = ({ status, millis }: Ended): boolean => status === 200 && millis <= ownerMillisTarget
const percentIn = (endings: ReadonlyArray<Ended>): number =>
  (100 * endings.filter(isIn).length) / endings.length
const millisOf = (endings: ReadonlyArray<Ended>): ReadonlyArray<number> => {
  const found = endings.filter(({ status }) => status === 200).map(({ millis }) => millis)
  return found.length === 0 ? [Number.NaN] : found
}

const resultOf = (
  clients: number,
  onset: ReadonlyArray<Ended>,
  later: ReadonlyArray<Ended>,
  statuses: ReadonlyMap<number, number>,
): OutageResult => {
  const beside = `beside ${clients} wrong clients`
  // On a slow machine owners wait for longer, and clients meanwhile ask more often than the limits permit.
  const wrong = [
    ...[...statuses.keys()].filter((status) => ![401, 429, 503].includes(status)),
    ...[...onset, ...later].map(({ status }) => status).filter((status) => ![200, 503].includes(status)),
  ]
  const refused = statuses.get(503) ?? 0
  return {
    metrics: [
      makeMetric(`owners' sign-ins at the onset ${beside}, in time`, "%", { corrente: [percentIn(onset)] }),
      makeMetric(`owners' sign-ins ${beside}, in time`, "%", { corrente: [percentIn(later)] }),
      makeMetric(`owners' sign-ins ${beside}`, "ms", { corrente: millisOf(later) }),
      makeMetric(`owners' sign-ins ${beside}, slowest`, "ms", { corrente: [Math.max(...millisOf(later))] }),
    ],
    targets: [
      {
        name: `owners on new addresses in within ${ownerMillisTarget / 1_000} s ${beside}, at least 100 %`,
        measured: percentIn(later),
        isMet: percentIn(later) === 100,
      },
    ],
    checks: [
      {
        name: `attack of ${clients} clients`,
        isRight: wrong.length === 0 && (statuses.get(401) ?? 0) > 0 && refused > 0,
        detail:
          wrong.length === 0
            ? `${statuses.get(401) ?? 0} tries were wrong, ${refused} had no place`
            : `answers with status ${[...new Set(wrong)].join(", ")}`,
      },
    ],
  }
}

const measureAttack = (
  clients: number,
  size: OutageSize,
  settings: Readonly<Record<string, string>>,
  progress: Progress,
): Promise<OutageResult> =>
  withSides(["corrente"], settings, async ([side]) => {
    if (side === undefined) throw new Error("the service did not start")
    const [model] = await makePeople(side, 1)
    if (model === undefined) throw new Error("no person was created")
    const owners = await fillPeople(side.redis.url, model, 2 * size.owners)
    // As many connections as may wait at once: nobody waits in the bench itself.
    const poster = makePoster(side.port, clients * 5 + owners.length)
    try {
      const attack = startAttack(poster, clients, size.attackEveryMillis)
      const early = owners.slice(0, size.owners)
      const onsetEvery = size.onsetMillis / size.owners
      const onset = signIn(poster, early, onsetEvery, ownersFrom)
      await sleep(size.onsetMillis)
      const later = await signIn(
        poster,
        owners.slice(size.owners),
        size.ownerEveryMillis,
        ownersFrom + size.owners,
      )
      const result = resultOf(clients, await onset, later, await attack.stop())
      const slowest = Math.max(...millisOf(later))
      progress(
        `beside ${clients} wrong clients: ${formatNumber(percentIn(later))} % of owners in time, slowest ${formatNumber(slowest)} ms`,
      )
      return result
    } finally {
      await poster.close()
    }
  })

/**
 * Measures owners who sign in from networks that nobody used before, beside clients of distinct networks that try as
 * many wrong passwords as the limits per address permit. The limits are in force.
 */
export const measureOutage = async (
  size: OutageSize,
  settings: Readonly<Record<string, string>>,
  progress: Progress,
): Promise<OutageResult> => {
  const results: Array<OutageResult> = []
  for (const clients of size.attackers) results.push(await measureAttack(clients, size, settings, progress))
  return {
    metrics: results.flatMap(({ metrics }) => metrics),
    targets: results.flatMap(({ targets }) => targets),
    checks: results.flatMap(({ checks }) => checks),
  }
}
