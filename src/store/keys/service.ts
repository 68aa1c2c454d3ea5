import { partitionTag } from "../tags.ts"
import { byId } from "./byIds.ts"
import { key } from "./keyKind.ts"

/** Due work, processes and rate limits. */
export const runtimeKeys = {
  timers: key(["tag"], (tag) => `timers:${tag}`, {
    family: "timers",
    type: "set by time",
    holds: "timers, by the time they fire (ms)",
    details:
      "`<charge>:expire`, `:ask` and `:release`, `<withdrawal>:decide`, `:pay` and `:poll`, `<notice>:process`, " +
      "`<exception>:resolve`, and `<key>:revoke:<seller>:<mode>`, the end of a rotated API key",
    lifetime: "a member is removed when its timer is done; a claimed one is due again when its lease ends",
  }),
  clock: key(["tag", "seller"], (tag, seller) => `clock:${tag}:${seller}`, {
    family: "clock",
    type: "string",
    holds: "how far the seller's test mode is ahead of real time (ms)",
    lifetime: "kept",
  }),
  clockSteps: key(["tag", "seller"], (tag, seller) => `clock-steps:${tag}:${seller}`, {
    family: "clock steps",
    type: "set by time",
    holds: "how far ahead the test clock was from each of its steps on (ms), by when the step was made",
    lifetime: "the newest 1,000 steps are kept",
  }),
  owner: key(["tag"], (tag) => `owner:${tag}`, {
    family: "owner",
    type: "string",
    holds: "the process that runs the partition's timers and deliveries",
    lifetime: "a lease of 4 s, renewed every second",
  }),
  moving: key(["tag"], (tag) => `moving:${tag}`, {
    family: "moves",
    type: "hash",
    holds: "that the slot moves to another server: while it is there, functions that write refuse",
    details:
      "`from`, `to` (ids of cluster nodes) and `began_at` (ms). Accounts and keys without a tag have one too where they share the slot",
    lifetime: "while `ops partition move` [moves the slot](operations.md#moving-a-partition)",
  }),
  mover: key([], () => "partition-mover", {
    family: "moves",
    type: "string",
    holds: "the command that moves a partition now",
    lifetime: "a lease of 10 s, renewed every second",
  }),
  processes: key([], () => "processes", {
    family: "processes",
    type: "set by time",
    holds: "live processes, by their last heartbeat (ms)",
    lifetime: "forgotten after 60 s of silence",
  }),
  processStreams: key([], () => "process-streams:{processes}", {
    family: "processes",
    type: "hash",
    holds: "live processes -> how many event streams each has open, as of its last heartbeat",
    lifetime: "a field is removed with its process",
  }),
  processLibraries: key([], () => "process-libraries:{processes}", {
    family: "processes",
    type: "hash",
    holds: "live processes -> the version of the function library that each calls",
    details: "A library whose version is no process' is dropped within a minute",
    lifetime: "a field is removed with its process",
  }),
  barrier: key(["number"], (number) => `barrier:{${number}}`, {
    family: "processes",
    type: "string",
    holds: "nothing; written to learn when replicas have everything that was written before",
    details: "Only with `REDIS_WAIT_REPLICAS`: one for each primary, in one of its slots",
    lifetime: "kept",
  }),
  processKeys: key([], () => "process-keys:{processes}", {
    family: "processes",
    type: "hash",
    holds: "live processes -> the ids of the keys of `ENCRYPTION_KEY` that each has, newest first",
    details: "Separated by commas. A process encrypts with the first",
    lifetime: "a field is removed with its process",
  }),
  rate: key(["tag", "name"], (tag, name) => `rate:${tag}:${name}`, {
    family: "rate limit",
    type: "string",
    holds: "when a token bucket is full again (ms)",
    lifetime: "until it is full",
  }),
}

/** What belongs to nobody but the service. */
export const serviceKeys = {
  operatorLog: key([], () => "audit", {
    family: "audit",
    type: "stream",
    holds: "actions of operators",
    details:
      "`action`, `operator`, `resource_type`, `resource_id`, `details`, `ip` (the client's address, where it is known)",
    lifetime: "5 years; older ones are trimmed by each append (whole stream nodes)",
  }),
  auditResult: key([], () => "audit-result", {
    family: "audit result",
    type: "hash",
    holds: "how the last audit ended, and when (ms)",
    details: "`ended_at`, `differing_check` (empty: no difference), `oldest_full_at` (ms)",
    lifetime: "kept",
  }),
  auditor: key([], () => "auditor", {
    family: "auditor",
    type: "string",
    holds: "the process that audits now",
    lifetime: "a lease of 30 s, renewed every 10 s",
  }),
  mail: key([], () => "mail", {
    family: "mail",
    type: "stream",
    holds: "mails kept because `SMTP_URL` is not set",
    details: "The only place where mailed tokens can be read",
    lifetime: "the newest 1,000 or so",
  }),
  serviceAddress: key([], () => "service-address", {
    family: "service address",
    type: "string",
    holds: "the running service's address, for mailed links",
    details: "`PUBLIC_URL`, or the address that the service's links begin with. `ops invite create` uses it",
    lifetime: "kept",
  }),
  serviceAddressLease: key([], () => "service-address-lease", {
    family: "service address lease",
    type: "string",
    holds: "without `PUBLIC_URL`, the address of the process that links of all processes lead to",
    lifetime: "10 s after that process was last heard",
  }),
  customerSecret: key([], () => "customer-secret:{customers}", {
    family: "customers",
    type: "hash",
    holds: "the secret that names customers without their documents",
    details: "`sealed`, ciphertext of 32 bytes in base64url, made at the first start and never replaced",
    lifetime: "kept",
  }),
  keyRotation: key([], () => "key-rotation", {
    family: "key rotation",
    type: "hash",
    holds: "how far `ops keys rotate` is",
    details:
      "`key`, `began_at`, `seen_at`, `ended_at` (ms; empty while it runs), `pass`, " +
      "`looked_at`, `of_about` and `rewritten`; and `newest:<key id>`, when the newest event was written that a rotation saw " +
      "under an older key (ms). See [the rotation](operations.md#key-rotation)",
    lifetime: "kept; `newest:` until its key is let go of",
  }),
  encryptionKeys: key([], () => "encryption-keys", {
    family: "encryption keys",
    type: "hash",
    holds: "the ids of the keys of `ENCRYPTION_KEY` in use, each with a sample encrypted with it",
    details: "The start rejects an `ENCRYPTION_KEY` that lacks one, or has another under its id",
    lifetime:
      "a field is removed when [a rotation](operations.md#key-rotation) has found that nothing uses its key",
  }),
}

export const timersKey = runtimeKeys.timers.name
export const clockKey = byId(runtimeKeys.clock.name)
export const clockStepsKey = byId(runtimeKeys.clockSteps.name)
export const ownerKey = (partition: number): string => runtimeKeys.owner.name(partitionTag(partition))
export const movingKey = runtimeKeys.moving.name
/** The {@link movingKey} in the slot of a key; for one without a tag, the whole key is the tag. */
export const movingKeyBeside = (key: string): string => {
  const from = key.indexOf("{")
  return movingKey(from < 0 ? `{${key}}` : key.slice(from, key.indexOf("}", from) + 1))
}
export const moverKey = runtimeKeys.mover.name()
export const processesKey = runtimeKeys.processes.name()
export const processStreamsKey = runtimeKeys.processStreams.name()
export const processLibrariesKey = runtimeKeys.processLibraries.name()
export const processKeysKey = runtimeKeys.processKeys.name()
export const barrierKey = runtimeKeys.barrier.name
export const rateKey = (partition: number, name: string): string =>
  runtimeKeys.rate.name(partitionTag(partition), name)

export const operatorLogKey = serviceKeys.operatorLog.name()
export const auditResultKey = serviceKeys.auditResult.name()
export const auditorKey = serviceKeys.auditor.name()
export const mailKey = serviceKeys.mail.name()
export const serviceAddressKey = serviceKeys.serviceAddress.name()
export const serviceAddressLeaseKey = serviceKeys.serviceAddressLease.name()
export const keyRotationKey = serviceKeys.keyRotation.name()
export const encryptionKeysKey = serviceKeys.encryptionKeys.name()
export const customerSecretKey = serviceKeys.customerSecret.name()
