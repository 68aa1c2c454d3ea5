import { signal } from "@preact/signals"

/** What is open over the page, if anything: the palette, or the list of keys. */
export const opened = signal<"palette" | "keys" | undefined>(undefined)

/** Shows the list of keys. */
export const openKeyList = (): void => {
  opened.value = "keys"
}
