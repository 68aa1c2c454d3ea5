const bearerPattern = /^bearer +(\S.*)$/i

/**
 * The credentials of an `Authorization` header whose scheme is `Bearer` (RFC 6750), else undefined. Schemes are
 * case-insensitive, and spaces may repeat (RFC 9110, 11.1 and 11.4).
 */
export const bearerCredentials = (authorization: string): string | undefined =>
  bearerPattern.exec(authorization)?.[1]
