import { randomUUID } from "node:crypto"
import type { Redis } from "ioredis"
import { Pool } from "undici"
import type { BenchRedis } from "../support/redisServer.ts"
import type { Side } from "../support/sides.ts"

/** A person who signs in. 2FA is on, so a sign-in ends with the request for the second step. */
export interface Person {
  readonly email: string
  readonly password: string
}

/** The server under test, and the Redis that holds its rate limits. */
export interface Asked {
  readonly port: number
  readonly redis: Pick<BenchRedis, "client">
}

/** Creates people with `ops`, each with a seller. */
export const makePeople = async (side: Side, count: number): Promise<ReadonlyArray<Person>> => {
  const people: Array<Person> = []
  for (let index = 0; index < count; index++) {
    const person = { email: `person-${index}-${randomUUID()}@example.com`, password: randomUUID() }
    await side.ops([
      ...["seller", "create", "--email", person.email, "--name", "Bench"],
      ...["--password", person.password],
    ])
    people.push(person)
  }
  return people
}

/** An address without an account, as long as those of people. */
export const nobodysEmail = (): string => `person-0-${randomUUID()}@example.com`

/** An answer and its duration. */
export interface TimedAnswer {
  readonly status: number
  readonly text: string
  readonly millis: number
}

/** Posts to routes of /v1/me/auth like a browser without cookies, and measures the duration. */
export interface Poster {
  /** `address` is the client's; another one at each call by default. */
  readonly post: (path: string, body: object, address?: string) => Promise<TimedAnswer>
  readonly close: () => Promise<void>
}

/** Exceeds the time after which the service gives up. */
const answerTimeoutMillis = 20_000
/** The same in every request, so that error bodies can be identical. */
const requestId = "bench-accounts"

/** Settings that make the service trust a poster's word for the client address. */
export const trustingSettings = { TRUSTED_PROXIES: "127.0.0.1,::1" }

const hex = (number: number): string => number.toString(16).padStart(4, "0")

/** An address of a private network (RFC 4193), each in a different /32; repeats after 16 million. */
export const addressOf = (count: number): string =>
  `${hex(0xfd00 | ((count >> 16) & 0xff))}:${hex(count & 0xffff)}::1`

/**
 * A poster with that many connections. By default each request has a different client address, to stay below limits
 * per address.
 */
export const makePoster = (port: number, connections: number): Poster => {
  let count = 0
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections, headersTimeout: answerTimeoutMillis })
  return {
    post: async (path, body, address = addressOf(count++)) => {
      const headers = {
        "content-type": "application/json",
        "x-request-id": requestId,
        "x-forwarded-for": address,
      }
      const startedAt = performance.now()
      const answer = await pool.request({
        method: "POST",
        path: `/v1/me/auth/${path}`,
        headers,
        body: JSON.stringify(body),
      })
      const text = await answer.body.text()
      return { status: answer.statusCode, text, millis: performance.now() - startedAt }
    },
    close: () => pool.destroy(),
  }
}

/** Resets the rate limits of sign-ins: the limits are not what is measured. */
export const forgetRates = async (redis: Redis): Promise<void> => {
  const keys = await redis.keys("rate:*")
  if (keys.length > 0) await redis.del(...keys)
}
