/** The type of an entry that its feed no longer keeps; nothing else about it is known. */
export const goneEventType = "unknown"
