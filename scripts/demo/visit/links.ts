import { randomBytes, timingSafeEqual } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect, type Scope } from "effect"

/** How long a link can be opened. */
export const linkMinutes = 10

const host = "127.0.0.1"
const tokenBytes = 32

/** Links that sign a browser in, each once. */
export interface SignInLinks {
  /** A new link; the one before it no longer works. */
  readonly next: () => string
}

interface Link {
  readonly token: Buffer
  readonly endsAt: number
}

const refuse = (response: ServerResponse, status: number, text: string): void => {
  response.writeHead(status, { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store" })
  response.end(`${text}\n`)
}

/** Browsers load what they guess will be opened; that must not use a link up. */
const isGuess = ({ headers }: IncomingMessage): boolean =>
  [headers["sec-purpose"], headers.purpose].some((purpose) => String(purpose).includes("prefetch"))

/**
 * Serves links on a port of their own until the scope closes. Opening one asks `signIn` for the `Set-Cookie` headers of a new session,
 * gives them to the browser and leads it to `target`: cookies belong to a host, whatever the port, so `target` is on {@link host} too. A
 * link works once, for {@link linkMinutes}, from this machine alone; nothing in the service knows of it.
 */
export const serveSignInLinks = (
  target: string,
  signIn: () => Promise<ReadonlyArray<string>>,
  nowMillis: () => number = Date.now,
): Effect.Effect<SignInLinks, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        let link: Link | undefined
        /** Uses the link up, if this is the path of one that works. */
        const take = (path: string): Link | undefined => {
          const given = Buffer.from(path.slice(1))
          const taken = link
          if (taken === undefined || given.length !== taken.token.length) return undefined
          if (!timingSafeEqual(given, taken.token) || nowMillis() >= taken.endsAt) return undefined
          link = undefined
          return taken
        }
        const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
          if (request.method !== "GET") return refuse(response, 405, "Open this link in a browser.")
          if (isGuess(request)) return refuse(response, 503, "Open this link yourself.")
          const taken = take(request.url ?? "/")
          if (taken === undefined) {
            return refuse(
              response,
              410,
              "This link was used or is too old. Press Enter in the demo for another.",
            )
          }
          try {
            const cookies = await signIn()
            response.writeHead(303, {
              Location: target,
              "Set-Cookie": [...cookies],
              "Cache-Control": "no-store",
              "Referrer-Policy": "no-referrer",
            })
            response.end()
          } catch (error) {
            link ??= taken
            refuse(response, 503, `The demo could not sign you in; try again. (${String(error)})`)
          }
        }
        const server = createServer((request, response) => void answer(request, response))
        await new Promise<void>((listening) => server.listen(0, host, listening))
        const { port } = server.address() as AddressInfo
        const next = () => {
          const token = randomBytes(tokenBytes).toString("base64url")
          link = { token: Buffer.from(token), endsAt: nowMillis() + linkMinutes * 60_000 }
          return `http://${host}:${port}/${token}`
        }
        return { server, next }
      }),
      ({ server }) =>
        Effect.promise(async () => {
          server.closeAllConnections()
          await new Promise((closed) => server.close(closed))
        }),
    ),
    ({ next }) => ({ next }),
  )
