/** How often a request is made again, and how long it waits at most, in ms, whatever Retry-After says. */
const attemptsMax = 20
const waitMillisMax = 1_000

interface Refusable {
  readonly status: number
  readonly headers: Headers | Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly text: string
}

const retryAfterOf = ({ headers }: Refusable): number =>
  Number((headers instanceof Headers ? headers.get("Retry-After") : headers["retry-after"]) ?? 0)

/** Whether the service refused a request because it was overloaded, and not because something it needs was away. */
export const isOverloaded = ({ status, text }: Pick<Refusable, "status" | "text">): boolean =>
  status === 503 && text.includes("The service is overloaded")

/**
 * Makes a request again while the service says that it is overloaded, as clients are told to
 * (docs/contract/README.md#overload): on a busy machine a service refuses what it would answer late.
 */
export const whileOverloaded = async <A extends Refusable>(request: () => Promise<A>): Promise<A> => {
  for (let attempt = 1; ; attempt++) {
    const answer = await request()
    if (!isOverloaded(answer) || attempt === attemptsMax) return answer
    await new Promise((done) => setTimeout(done, Math.min(waitMillisMax, retryAfterOf(answer) * 1_000)))
  }
}
