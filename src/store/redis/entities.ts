import { Effect } from "effect"
import type { RedisConnection } from "redis-om"
import { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import type { RedisClient } from "./redisClient.ts"

/** A field of an entity: its type and its name in the hash. */
export const field = (type: "string" | "number" | "boolean", name: string) => ({ type, field: name }) as const

/** Our connection as redis-om uses one, so that its commands fail like all others and it opens no connection of its own. */
const connectionOn = (client: RedisClient["Service"]) => {
  const send = (command: string, args: ReadonlyArray<string>) => Effect.runPromise(client.call(command, args))
  return {
    hGetAll: async (key: string) => {
      const values = (await send("HGETALL", [key])) as ReadonlyArray<string>
      return Object.fromEntries(
        Array.from({ length: values.length / 2 }, (_, i) => [values[2 * i], values[2 * i + 1]]),
      )
    },
  }
}

/** A connection that records what redis-om would write instead of writing it, to get its encoding alone. */
const recorder = () => {
  const recorded: { fields: Readonly<Record<string, string>> } = { fields: {} }
  const multi = {
    unlink: () => multi,
    hSet: (_key: string, fields: Readonly<Record<string, string>>) => {
      recorded.fields = fields
      return multi
    },
    exec: () => Promise.resolve([]),
  }
  return { recorded, connection: { multi: () => multi, unlink: () => Promise.resolve() } }
}

/**
 * Entities of one kind, one hash each. redis-om reads them. Functions write them, since a write checks and changes other keys
 * too; they take the entity's `fieldsOf` (docs/dependencies.md#of-the-service).
 */
export interface Entities<E> {
  /** The entity; undefined if there is no such hash. */
  readonly fetch: (key: string) => Effect.Effect<E | undefined, StoreUnavailable>
  /** The fields of its hash, as Redis stores them. */
  readonly fieldsOf: (entity: E) => Effect.Effect<Readonly<Record<string, string>>>
}

/** Describes a kind of entity. */
export interface EntityKind<E> {
  /** The first part of its keys. */
  readonly name: string
  readonly fields: { readonly [Name in keyof E & string]-?: ReturnType<typeof field> }
  /** A field that every entity has. */
  readonly required: keyof E & string
}

/**
 * Makes the entities of a kind. redis-om is loaded when one is first read or encoded: it comes with 520 modules, three tenths of
 * all that the service would load to start, and many a process never serves an account.
 */
export const makeEntities = <E extends object>(
  client: RedisClient["Service"],
  { name, fields, required }: EntityKind<E>,
): Entities<E> => {
  const load = async () => {
    const { Repository, Schema } = await import("redis-om")
    const schema = new Schema(name, { ...fields }, { dataStructure: "HASH" })
    const repositoryOn = (connection: object) => new Repository(schema, connection as RedisConnection)
    return { repositoryOn, reader: repositoryOn(connectionOn(client)) }
  }
  let loading: ReturnType<typeof load> | undefined
  const loaded = () => {
    loading ??= load()
    return loading
  }
  return {
    fetch: (key) =>
      Effect.tryPromise({
        try: async () => (await loaded()).reader.fetch(key.slice(name.length + 1)),
        catch: (cause) =>
          cause instanceof StoreUnavailable
            ? cause
            : new StoreUnavailable({ operation: `fetch ${name}`, reason: String(cause) }),
      }).pipe(
        Effect.map((entity) => (entity[required] === undefined ? undefined : (entity as unknown as E))),
      ),
    fieldsOf: (entity) =>
      Effect.promise(async () => {
        const { recorded, connection } = recorder()
        const { repositoryOn } = await loaded()
        await repositoryOn(connection).save("-", { ...entity })
        return recorded.fields
      }),
  }
}
