// Who of a seller's team may do what. Pages load it, so this file loads no package.

/** Every role of a member, in the order in which pages offer them (`docs/contract/members.md#roles`). */
export const memberRoles = ["owner", "finance", "developer", "support", "viewer"] as const
export type MemberRole = (typeof memberRoles)[number]

/** The roles that an owner gives: ownership is transferred instead. */
export const givenRoles = [
  "finance",
  "developer",
  "support",
  "viewer",
] as const satisfies ReadonlyArray<MemberRole>
export type GivenRole = (typeof givenRoles)[number]

/** Which roles may do what; a route of sessions names one of these, and pages ask `may` (`docs/contract/members.md#roles`). */
export const rolesFor = {
  /** Looks at everything, files and streams too, and keeps views of its own. */
  reading: memberRoles,
  /** The account itself: profile, identification, look, alerts, live API keys, and the team. */
  owning: ["owner"],
  /** Charges and payment links. */
  charging: ["owner", "finance", "developer"],
  /** Withdrawals and Pix keys. */
  payingOut: ["owner", "finance"],
  /** Reports by mail: they take the account's money figures out of the house. */
  reporting: ["owner", "finance"],
  /** Refunds; those of `support` up to its limit. */
  refunding: ["owner", "finance", "support"],
  /** What customers are told, and what is noted about them. */
  serving: ["owner", "finance", "support"],
  /** Endpoints, deliveries, postbacks, trackers, API keys of test mode and test controls. */
  integrating: ["owner", "developer"],
  /** One act on many rows: who may do one of the acts; which, the act decides. */
  actingOnMany: ["owner", "finance", "developer", "support"],
} as const satisfies Readonly<Record<string, ReadonlyArray<MemberRole>>>

/** What some roles may do and others may not. */
export type MemberAct = keyof typeof rolesFor

/** Whether a role may do something. */
export const may = (role: MemberRole, act: MemberAct): boolean =>
  (rolesFor[act] as ReadonlyArray<MemberRole>).includes(role)
