import { randomUUID } from "node:crypto"
import { Effect, Layer } from "effect"
import { newUserId, Users, UsersLive } from "../../src/accounts/users/users.ts"
import { makeRedisClient, RedisClient } from "../../src/store/redis/redisClient.ts"
import type { Person } from "./people.ts"

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
