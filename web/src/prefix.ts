const { pathname } = new URL(import.meta.url)
const pagesAt = pathname.lastIndexOf("/app/")

/** The path below which a proxy puts the service (PUBLIC_URL), such as `/pay`; "" where there is none. */
export const prefix = pagesAt > 0 ? pathname.slice(0, pagesAt) : ""
