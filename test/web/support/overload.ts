import { signInWith2fa } from "../../e2e/support/accountPeople.ts"
import type { TestRedis } from "../../support/redis.ts"
import { pause, until } from "../../support/until.ts"
import { isOverloaded } from "../../support/whileOverloaded.ts"
import type { Cockpit } from "./cockpit.ts"

/** More requests at a time than a process works on. */
const crowd = 80
const pauseMillis = 500

/** Overloads a service until told otherwise. */
export interface Overload {
  /** Returns once the service refuses requests of this machine's, as it does then for all that come with a session. */
  readonly begin: () => Promise<void>
  /** Lets it answer again. */
  readonly end: () => Promise<void>
}

/**
 * Makes the service on this Redis refuse what it would answer too late: its Redis stands still, so that requests pile up. That takes
 * hardly any CPU, unlike a flood. When it has stood still for seconds, the service refuses all requests because Redis is away.
 */
export const makeOverload = async ({ seller, stage }: Cockpit, redis: TestRedis): Promise<Overload> => {
  const cookie = (await signInWith2fa(stage, await seller())).cookieHeader()
  let isOver = true
  let running: Promise<unknown> = Promise.resolve()
  return {
    begin: async () => {
      isOver = false
      let refused = 0
      process.kill(redis.pid, "SIGSTOP")
      const ask = async () => {
        while (!isOver) {
          const answer = await fetch(`${stage.service.url}/v1/me/balance`, { headers: { cookie } })
          if (isOverloaded({ status: answer.status, text: await answer.text() })) refused += 1
          await pause(pauseMillis)
        }
      }
      running = Promise.all(Array.from({ length: crowd }, ask))
      await until("the service to refuse requests", () => refused > 0)
    },
    end: async () => {
      isOver = true
      process.kill(redis.pid, "SIGCONT")
      await running
    },
  }
}
