/** `@usebruno/lang` has no types of its own. */
declare module "@usebruno/lang" {
  export const jsonToBruV2: (request: object) => string
  export const bruToJsonV2: (text: string) => unknown
  export const jsonToCollectionBru: (collection: object) => string
  export const envJsonToBruV2: (environment: object) => string
}
