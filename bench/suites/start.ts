import type { Check, Progress, Size, SuiteResult } from "../report/result.ts"
import { makeMetric, valueTarget } from "../report/result.ts"
import { formatNumber } from "../report/text.ts"
import { cpuMillisOf, residentMiBOf } from "../support/processUsage.ts"
import { type SideBackend, startSideBackend } from "../support/sides.ts"

const sizes = {
  small: { rounds: 2 },
  default: { rounds: 7 },
  full: { rounds: 21 },
} as const satisfies Record<Size, object>

/** Target, in ms. */
const firstAnswerMillisMax = 1_500
const firstAnswer = "start to first request served"

/** One start. */
interface Start {
  readonly listeningMillis: number
  readonly answeredMillis: number
  readonly cpuMillis: number
  readonly residentMiB: number
  /** What was wrong with the response; undefined if nothing was. */
  readonly problem: string | undefined
}

const startOnce = async (backend: SideBackend): Promise<Start> => {
  const startedAtMillis = performance.now()
  const server = await backend.startServer()
  try {
    const listeningMillis = performance.now() - startedAtMillis
    const answer = await fetch(`http://127.0.0.1:${server.port}/v1/transactions?limit=1`, {
      headers: { authorization: `Bearer ${backend.apiKey}`, connection: "close" },
    })
    const text = await answer.text()
    const answeredMillis = performance.now() - startedAtMillis
    const isRight = answer.status === 200 && text === '{"data":[],"next_cursor":null}'
    return {
      listeningMillis,
      answeredMillis,
      cpuMillis: cpuMillisOf(server.pid),
      residentMiB: residentMiBOf(server.pid),
      problem: isRight ? undefined : `${answer.status} ${text.slice(0, 200)}`,
    }
  } finally {
    await server.stop()
  }
}

const checkOf = (starts: ReadonlyArray<Start>): Check => {
  const problems = starts.flatMap(({ problem }) => problem ?? [])
  return {
    name: "first answers",
    isRight: starts.length > 0 && problems.length === 0,
    detail: problems.length === 0 ? `${starts.length} starts, each served its seller` : problems.join("; "),
  }
}

/** From the start of the process to the response to its first request, which goes to Redis and back. */
export const runStart = async (size: Size, progress: Progress): Promise<SuiteResult> => {
  const { rounds } = sizes[size]
  const backend = await startSideBackend("corrente")
  try {
    progress("start: warming up")
    const warmUp = await startOnce(backend)
    const starts: Array<Start> = []
    for (let round = 0; round < rounds; round++) {
      const start = await startOnce(backend)
      starts.push(start)
      progress(`start, round ${round + 1} of ${rounds}: ${formatNumber(start.answeredMillis)} ms`)
    }
    const of = (value: (start: Start) => number) => ({ corrente: starts.map(value) })
    const metrics = [
      makeMetric(
        "start to listening",
        "ms",
        of((start) => start.listeningMillis),
      ),
      makeMetric(
        firstAnswer,
        "ms",
        of((start) => start.answeredMillis),
      ),
      makeMetric(
        "CPU of the server until then",
        "ms",
        of((start) => start.cpuMillis),
      ),
      makeMetric(
        "memory of the server by then",
        "MiB",
        of((start) => start.residentMiB),
      ),
    ]
    return {
      suite: "start",
      parameters: { ...sizes[size], ...notes },
      metrics,
      targets: [valueTarget(metrics, firstAnswer, { atMost: firstAnswerMillisMax })],
      checks: [checkOf([warmUp, ...starts])],
    }
  } finally {
    await backend.stop()
  }
}

const notes = {
  start: "node src/main.ts with its Redis running and its functions loaded; the first start is not counted",
  request: "GET /v1/transactions?limit=1 with an API key, over a new connection",
}
