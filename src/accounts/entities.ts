import { Effect } from "effect"
import { type RedisConnection, Repository, Schema } from "redis-om"
import { StoreUnavailable } from "../../actors/ports/store.ts"
import type { Role } from "../../schema/resources/account.ts"
import { RedisClient } from "../store/redis/redisClient.ts"

/** A user as stored; TOTP secrets are ciphertext. */
export interface UserEntity {
  readonly id: string
  readonly email: string
  readonly name: string
  readonly role: Role
  /** Operators have none (decisions 4). */
  readonly sellerId?: string
  readonly passwordHash: string
  readonly emailVerified: boolean
  readonly twoFactorEnabled: boolean
  readonly totpSecret?: string
  /** Of an enabling that verify-totp has not completed. */
  readonly totpSecretPending?: string
  /** The newest TOTP step that was used: it and older ones are refused (RFC 6238, 5.2). */
  readonly totpLastStep?: number
  readonly stepUpWebhook: boolean
  readonly stepUpAccount: boolean
  readonly termsVersion?: string
  readonly createdAtMillis: number
  readonly updatedAtMillis: number
}

/** A session as stored, under the hash of its token. */
export interface SessionEntity {
  /** A uuid. */
  readonly id: string
  readonly userId: string
  readonly role: Role
  readonly sellerId?: string
  readonly ipAddress?: string
  readonly userAgent?: string
  readonly rememberMe: boolean
  readonly createdAtMillis: number
  readonly expiresAtMillis: number
  readonly lastSeenAtMillis: number
  /** The session may make sensitive changes until then (spec 5.3); 0 where it never could. */
  readonly mfaVerifiedUntilMillis: number
}

/** What a single-use token is for. */
export type TokenKind = "verify_email" | "reset_password" | "recover_two_factor" | "second_factor"

/** A single-use token as stored, under its hash. `binding` names what it was issued for: it dies when that changes. */
export interface TokenEntity {
  readonly kind: TokenKind
  readonly userId: string
  /** SHA-256 of what the user has at issue (password hash; of a recovery the TOTP secret too): once that changes, it ends. */
  readonly binding: string
  readonly rememberMe?: boolean
  readonly expiresAtMillis: number
}

/** An invite as stored; its token's hash is a field, since the token names the invite's id. */
export interface InviteEntity {
  readonly id: string
  readonly email: string
  readonly tokenHash: string
  /** The seller that signing up by it makes: drawn with the invite, so that trying again makes no second one. */
  readonly sellerId: string
  readonly createdBy?: string
  readonly createdAtMillis: number
  readonly expiresAtMillis: number
  readonly usedAtMillis?: number
  readonly revokedAtMillis?: number
}

const field = (type: "string" | "number" | "boolean", name: string) => ({ type, field: name }) as const
const hashes = { dataStructure: "HASH" } as const

const userSchema = new Schema(
  "user",
  {
    id: field("string", "id"),
    email: field("string", "email"),
    name: field("string", "name"),
    role: field("string", "role"),
    sellerId: field("string", "seller_id"),
    passwordHash: field("string", "password_hash"),
    emailVerified: field("boolean", "email_verified"),
    twoFactorEnabled: field("boolean", "two_factor_enabled"),
    totpSecret: field("string", "totp_secret"),
    totpSecretPending: field("string", "totp_secret_pending"),
    totpLastStep: field("number", "totp_last_step"),
    stepUpWebhook: field("boolean", "step_up_webhook"),
    stepUpAccount: field("boolean", "step_up_account"),
    termsVersion: field("string", "terms_version"),
    createdAtMillis: field("number", "created_at"),
    updatedAtMillis: field("number", "updated_at"),
  },
  hashes,
)

const sessionSchema = new Schema(
  "session",
  {
    id: field("string", "id"),
    userId: field("string", "user"),
    role: field("string", "role"),
    sellerId: field("string", "seller_id"),
    ipAddress: field("string", "ip_address"),
    userAgent: field("string", "user_agent"),
    rememberMe: field("boolean", "remember_me"),
    createdAtMillis: field("number", "created_at"),
    expiresAtMillis: field("number", "expires_at"),
    lastSeenAtMillis: field("number", "last_seen_at"),
    mfaVerifiedUntilMillis: field("number", "mfa_verified_until"),
  },
  hashes,
)

const tokenSchema = new Schema(
  "token",
  {
    kind: field("string", "kind"),
    userId: field("string", "user"),
    binding: field("string", "binding"),
    rememberMe: field("boolean", "remember_me"),
    expiresAtMillis: field("number", "expires_at"),
  },
  hashes,
)

const inviteSchema = new Schema(
  "invite",
  {
    id: field("string", "id"),
    email: field("string", "email"),
    tokenHash: field("string", "token_hash"),
    sellerId: field("string", "seller_id"),
    createdBy: field("string", "created_by"),
    createdAtMillis: field("number", "created_at"),
    expiresAtMillis: field("number", "expires_at"),
    usedAtMillis: field("number", "used_at"),
    revokedAtMillis: field("number", "revoked_at"),
  },
  hashes,
)

/** What redis-om needs of a connection, on ours: its commands fail as all others do (rule 7), and nothing else connects. */
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

/** A connection that keeps what would be written, instead of writing it: the encoding without the command. */
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
 * Entities of one kind, one hash each, by redis-om. `id` is the key without the kind's name before it.
 * Reading is redis-om's; writing is done by functions, which guard and touch more keys: they take `fieldsOf`.
 */
export interface Entities<E> {
  /** The entity, or undefined where there is no such hash. */
  readonly fetch: (key: string) => Effect.Effect<E | undefined, StoreUnavailable>
  /** The fields and values of its hash, in turn. */
  readonly fieldsOf: (entity: E) => Effect.Effect<ReadonlyArray<string>>
}

const makeEntities = <E extends object>(
  client: RedisClient["Service"],
  schema: Schema,
  /** A field that every entity has. */
  required: keyof E & string,
): Entities<E> => {
  const repository = new Repository(schema, connectionOn(client) as unknown as RedisConnection)
  return {
    fetch: (key) =>
      Effect.tryPromise({
        try: () => repository.fetch(key.slice(schema.schemaName.length + 1)),
        catch: (cause) =>
          cause instanceof StoreUnavailable
            ? cause
            : new StoreUnavailable({ operation: `fetch ${schema.schemaName}`, reason: String(cause) }),
      }).pipe(
        Effect.map((entity) => (entity[required] === undefined ? undefined : (entity as unknown as E))),
      ),
    fieldsOf: (entity) =>
      Effect.promise(async () => {
        const { recorded, connection } = recorder()
        await new Repository(schema, connection as unknown as RedisConnection).save("-", { ...entity })
        return Object.entries(recorded.fields).flat()
      }),
  }
}

/** Users, sessions, tokens and invites (redis-om: one hash each). */
export const makeAccountEntities = Effect.map(RedisClient, (client) => ({
  users: makeEntities<UserEntity>(client, userSchema, "id"),
  sessions: makeEntities<SessionEntity>(client, sessionSchema, "id"),
  tokens: makeEntities<TokenEntity>(client, tokenSchema, "kind"),
  invites: makeEntities<InviteEntity>(client, inviteSchema, "id"),
}))
