import type { BrowserContext, Page } from "playwright-core"

/** A page's authenticator, as of a phone: it keeps its passkeys, and its user agrees at once. */
export interface VirtualAuthenticator {
  /** How many passkeys it has. */
  readonly count: () => Promise<number>
  /** Forgets its passkeys, as a phone that was reset. */
  readonly forget: () => Promise<void>
  /** Takes the counters of its passkeys back, as a copy of it would have them. */
  readonly rewind: () => Promise<void>
}

/** Gives a page an authenticator, by Chromium's own protocol (`WebAuthn.addVirtualAuthenticator`). Pages need `localhost`, not an address. */
export const addAuthenticator = async (
  page: Page,
  context: BrowserContext = page.context(),
): Promise<VirtualAuthenticator> => {
  const session = await context.newCDPSession(page)
  await session.send("WebAuthn.enable", {})
  const { authenticatorId } = await session.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  const credentials = async () =>
    (await session.send("WebAuthn.getCredentials", { authenticatorId })).credentials
  return {
    count: async () => (await credentials()).length,
    forget: async () => {
      await session.send("WebAuthn.clearCredentials", { authenticatorId })
    },
    rewind: async () => {
      for (const credential of await credentials()) {
        await session.send("WebAuthn.removeCredential", {
          authenticatorId,
          credentialId: credential.credentialId,
        })
        await session.send("WebAuthn.addCredential", {
          authenticatorId,
          credential: { ...credential, signCount: 0 },
        })
      }
    },
  }
}
