import { type Check, type Metric, makeMetric, type Progress, type Target } from "../report/result.ts"
import { formatNumber } from "../report/text.ts"
import { median } from "../support/statistics.ts"
import { type Asked, forgetRates, makePoster, nobodysEmail, type Person, type Poster } from "./people.ts"

/** Target: difference between the medians of a known and an unknown address, in ms. */
const differenceTarget = 5
const wrongPassword = "not the password of anyone"

/** Routes that must not reveal whether an address has an account, with their request bodies. */
const routes: Readonly<Record<string, (email: string) => readonly [path: string, body: object]>> = {
  "sign-in": (email) => ["sign-in/email", { email, password: wrongPassword }],
  reset: (email) => ["request-password-reset", { email }],
  recovery: (email) => ["two-factor/recovery/request", { email, password: wrongPassword }],
}

/** Durations of a route's samples in ms, and the distinct answers. */
interface Samples {
  readonly known: Array<number>
  readonly unknown: Array<number>
  readonly answers: Set<string>
}

const takeSamples = async (
  parts: { readonly asked: Asked; readonly poster: Poster; readonly person: Person },
  request: (email: string) => readonly [path: string, body: object],
  count: number,
): Promise<Samples> => {
  const samples: Samples = { known: [], unknown: [], answers: new Set() }
  const take = async (kind: "known" | "unknown") => {
    await forgetRates(parts.asked.redis.client)
    const email = kind === "known" ? parts.person.email : nobodysEmail()
    const { status, text, millis } = await parts.poster.post(...request(email))
    samples[kind].push(millis)
    samples.answers.add(`${status} ${text}`)
  }
  for (let index = 0; index < count; index++) {
    // In turns, and in alternating order, so that a slow moment of the machine affects both.
    const order = index % 2 === 0 ? (["known", "unknown"] as const) : (["unknown", "known"] as const)
    for (const kind of order) await take(kind)
  }
  return samples
}

/** Whether a route answers the two addresses differently in anything but time. */
export const answersCheck = ({ answers }: Pick<KnownEmailsResult, "answers">): Check => {
  const telling = Object.entries(answers).filter(([, texts]) => texts.length !== 1)
  return {
    name: "known and unknown addresses",
    isRight: telling.length === 0,
    detail:
      telling.length === 0
        ? "get the same response, byte for byte"
        : telling.map(([name, texts]) => `${name}: ${texts.slice(0, 3).join(" or ")}`).join("; "),
  }
}

/** Results of the phase; `answers` has the distinct answers of each route: one if nothing is revealed. */
export interface KnownEmailsResult {
  readonly metrics: ReadonlyArray<Metric>
  readonly targets: ReadonlyArray<Target>
  readonly answers: Readonly<Record<string, ReadonlyArray<string>>>
}

/** Measures sign-in, reset and recovery for an address with an account and one without. */
export const measureKnownEmails = async (
  asked: Asked,
  person: Person,
  count: number,
  progress: Progress,
): Promise<KnownEmailsResult> => {
  const poster = makePoster(asked.port, 1)
  const metrics: Array<Metric> = []
  const targets: Array<Target> = []
  const answers: Record<string, ReadonlyArray<string>> = {}
  try {
    for (const [name, request] of Object.entries(routes)) {
      // Warms up: the first requests pay for code that has never run.
      await takeSamples({ asked, poster, person }, request, Math.min(3, count))
      const samples = await takeSamples({ asked, poster, person }, request, count)
      const difference = Math.abs(median(samples.known) - median(samples.unknown))
      progress(`${name}, known and unknown address: medians ${formatNumber(difference)} ms apart`)
      metrics.push(
        makeMetric(`${name}, known address`, "ms", { corrente: samples.known }),
        makeMetric(`${name}, unknown address`, "ms", { corrente: samples.unknown }),
      )
      targets.push({
        name: `${name}: medians less than ${differenceTarget} ms apart`,
        measured: difference,
        isMet: difference < differenceTarget,
      })
      answers[name] = [...samples.answers]
    }
  } finally {
    await poster.close()
  }
  return { metrics, targets, answers }
}
