import { type Check, type Metric, makeMetric, type Progress, type Target } from "../report/result.ts"
import { formatNumber } from "../report/text.ts"
import { median } from "../support/statistics.ts"
import { type Asked, forgetRates, makePoster, nobodysEmail, type Person, type Poster } from "./people.ts"

/** Issue target: medians of a known and of an unknown address, ms apart. */
const differenceTarget = 5
const wrongPassword = "not the password of anybody"

/** Routes that must not tell whether an address has an account: each with what it is asked. */
const routes: Readonly<Record<string, (email: string) => readonly [path: string, body: object]>> = {
  "sign-in": (email) => ["sign-in/email", { email, password: wrongPassword }],
  reset: (email) => ["request-password-reset", { email }],
  recovery: (email) => ["two-factor/recovery/request", { email, password: wrongPassword }],
}

/** What a route's samples took, ms, and whatever answers there were. */
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
    // In turns, and who is first in turns as well: what slows the machine for a while slows both.
    const order = index % 2 === 0 ? (["known", "unknown"] as const) : (["unknown", "known"] as const)
    for (const kind of order) await take(kind)
  }
  return samples
}

/** Whether anything but its time tells the two addresses of a route apart. */
export const answersCheck = ({ answers }: Pick<KnownEmailsResult, "answers">): Check => {
  const telling = Object.entries(answers).filter(([, texts]) => texts.length !== 1)
  return {
    name: "known and unknown addresses",
    isRight: telling.length === 0,
    detail:
      telling.length === 0
        ? "are answered alike, byte for byte"
        : telling.map(([name, texts]) => `${name}: ${texts.slice(0, 3).join(" or ")}`).join("; "),
  }
}

/** What the phase found; `answers` are those of every route, one each where nothing is told. */
export interface KnownEmailsResult {
  readonly metrics: ReadonlyArray<Metric>
  readonly targets: ReadonlyArray<Target>
  readonly answers: Readonly<Record<string, ReadonlyArray<string>>>
}

/** How long an address that has an account and one that has none take, in sign-in, reset and recovery. */
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
      // The first requests pay for code that no one has run yet.
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
