import { metricsOf, problemsCheck, type RunSuite, sizesOf, valueTarget } from "../report/result.ts"
import { cpuMillisOf, residentMiBOf } from "../support/processUsage.ts"
import { type SideBackend, startSideBackend } from "../support/sides.ts"
import { formatNumber } from "../support/statistics.ts"

const sizes = sizesOf({
  rounds: [2, 7, 21],
})

const firstAnswerMillisMax = 1_500
const firstAnswer = "start to first request served"

const startOnce = async (backend: SideBackend) => {
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
      problems: isRight ? [] : [`${answer.status} ${text.slice(0, 200)}`],
    }
  } finally {
    await server.stop()
  }
}

/** From the start of the process to the response to its first request, which goes to Redis and back. */
export const runStart: RunSuite = async (size, progress) => {
  const { rounds } = sizes[size]
  const backend = await startSideBackend("corrente")
  try {
    progress("start: warming up")
    const starts = [await startOnce(backend)]
    while (starts.length <= rounds) {
      const start = await startOnce(backend)
      starts.push(start)
      const millis = formatNumber(start.answeredMillis)
      progress(`start, round ${starts.length - 1} of ${rounds}: ${millis} ms`)
    }
    const metrics = metricsOf(new Map([["corrente", starts.slice(1)] as const]), [
      ["start to listening", "ms", (start) => start.listeningMillis],
      [firstAnswer, "ms", (start) => start.answeredMillis],
      ["CPU of the server until then", "ms", (start) => start.cpuMillis],
      ["memory of the server by then", "MiB", (start) => start.residentMiB],
    ])
    const problems = starts.flatMap((start) => start.problems)
    return {
      suite: "start",
      parameters: { ...sizes[size], ...notes },
      metrics,
      targets: [valueTarget(metrics, firstAnswer, { atMost: firstAnswerMillisMax })],
      checks: [problemsCheck("first answers", problems, `${starts.length} starts, each served its seller`)],
    }
  } finally {
    await backend.stop()
  }
}

const notes = {
  start: "node dist/main.mjs with its Redis running and its functions loaded; the first start is not counted",
  request: "GET /v1/transactions?limit=1 with an API key, over a new connection",
}
