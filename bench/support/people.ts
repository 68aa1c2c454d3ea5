import { randomUUID } from "node:crypto"
import { Effect, Layer } from "effect"
import type { Redis } from "ioredis"
import { Pool } from "undici"
import { newUserId, Users, UsersLive } from "../../src/accounts/users/users.ts"
import { makeRedisClient, RedisClient } from "../../src/store/redis/redisClient.ts"
import type { Side } from "./sides.ts"

/** A person who signs in. 2FA is on, so a sign-in ends with the request for the second step. */
export interface Person {
  readonly email: string
  readonly password: string
}

/** Creates a person with `ops`, who has a seller. */
export const makePerson = async ({ ops }: Pick<Side, "ops">): Promise<Person> => {
  const person = { email: `person-0-${randomUUID()}@example.com`, password: randomUUID() }
  const { email, password } = person
  await ops(["seller", "create", "--email", email, "--name", "Bench", "--password", password])
  return person
}

/** Concurrent calls: they share one wait for the disk. */
const batch = 512

/** Creates people with `model`'s password and seller, each with a different address. Hashes nothing. */
export const fillPeople = (redisUrl: string, model: Person, count: number): Promise<ReadonlyArray<Person>> =>
  Effect.gen(function* () {
    const users = yield* Users
    const like = yield* users.findByEmail(model.email)
    if (like === undefined) return yield* Effect.die(new Error("there is no person to copy"))
    const createOne = Effect.fnUntraced(function* (index: number) {
      const email = `crowd-${index}-${randomUUID()}@example.com`
      yield* users.create({ ...like, id: newUserId(email), email })
      return { email, password: model.password }
    })
    const indexes = Array.from({ length: count }, (_, index) => index)
    return yield* Effect.forEach(indexes, createOne, { concurrency: batch })
  }).pipe(
    Effect.provide(Layer.provide(UsersLive, Layer.effect(RedisClient, makeRedisClient(redisUrl, "bench")))),
    Effect.runPromise,
  )

/** An address without an account, as long as those of people. */
export const nobodysEmail = (): string => `person-0-${randomUUID()}@example.com`

const hex = (number: number): string => number.toString(16).padStart(4, "0")

/** An address of a private network (RFC 4193), each in a different /32; repeats after 16 million. */
export const addressOf = (count: number): string =>
  `${hex(0xfd00 | ((count >> 16) & 0xff))}:${hex(count & 0xffff)}::1`

/** Resets the rate limits of sign-ins: the limits are not what is measured. */
export const forgetRates = async (redis: Redis): Promise<void> => {
  const keys = await redis.keys("rate:*")
  if (keys.length > 0) await redis.del(...keys)
}

/** Posts to routes of /v1/me/auth like a browser without cookies, each time from another address, and times the answer. */
export const makePoster = (port: number) => {
  let count = 0
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: 1 })
  const post = async (path: string, body: object) => {
    const startedAt = performance.now()
    const answer = await pool.request({
      method: "POST",
      path: `/v1/me/auth/${path}`,
      headers: {
        "content-type": "application/json",
        // The same in every request, so that error bodies can be identical.
        "x-request-id": "bench-accounts",
        "x-forwarded-for": addressOf(count++),
      },
      body: JSON.stringify(body),
    })
    const text = await answer.body.text()
    return { answer: `${answer.statusCode} ${text}`, millis: performance.now() - startedAt }
  }
  return { post, close: () => pool.destroy() }
}
