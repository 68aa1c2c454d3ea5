import { createInterface } from "node:readline"
import { Effect, type Scope } from "effect"
import type { DemoService } from "../service.ts"
import { type DemoUser, signIn } from "../signIn.ts"
import type { Terminal } from "../terminal.ts"
import { linkMinutes, serveSignInLinks } from "./links.ts"

/** Where visitors go, and as whom. */
export interface Visit {
  readonly service: DemoService
  readonly users: ReadonlyArray<DemoUser>
}

/** The service under the address whose cookies the links set: not `localhost`, where a service of your own may have its session. */
const dashboardOf = ({ url }: DemoService): string => {
  const address = new URL("/app", url)
  address.hostname = "127.0.0.1"
  return address.href
}

/** Calls `onLine` for every line that is typed, until the scope closes. */
const readLines = (onLine: () => void): Effect.Effect<void, never, Scope.Scope> =>
  Effect.asVoid(
    Effect.acquireRelease(
      Effect.sync(() => {
        const lines = createInterface({ input: process.stdin })
        lines.on("line", onLine)
        return lines
      }),
      (lines) => Effect.sync(() => lines.close()),
    ),
  )

/** Shows the dashboard's address and links that sign visitors in, and new ones whenever Enter is pressed; never ends by itself. */
export const showAround = Effect.fnUntraced(function* (terminal: Terminal, { service, users }: Visit) {
  const dashboard = dashboardOf(service)
  const doors = yield* Effect.forEach(users, (user) =>
    Effect.map(
      serveSignInLinks(dashboard, () => Effect.runPromise(signIn(service, user))),
      (links) => ({ user, links }),
    ),
  )
  const showLinks = () => {
    for (const { user, links } of doors) {
      terminal.say(`Signed in as ${user.name} (opens once, within ${linkMinutes} minutes):`)
      terminal.command(links.next())
    }
  }
  const showCodes = async () => {
    showLinks()
    for (const { user } of doors) {
      terminal.say(
        `A code for ${user.name}, where the dashboard asks for one: ${await user.authenticator.next()}`,
      )
    }
  }
  terminal.good(`the dashboard: ${dashboard}`)
  showLinks()
  terminal.say("Press Enter for another link, and for a code of the second factor. Ctrl-C ends everything.")
  yield* readLines(() => void showCodes())
  return yield* Effect.never
})
