/** One page of a list, newest first. */
export interface Page<Item> {
  readonly data: ReadonlyArray<Item>
  /** The `cursor` of the next page; null on the last one, absent on lists of one page. */
  readonly next_cursor?: string | null
}

/** A list that reads its pages as it is iterated: `for await (const charge of corrente.transactions.list())`. */
export class List<Item> implements AsyncIterable<Item> {
  readonly #read: (cursor: string | undefined) => Promise<Page<Item>>

  constructor(read: (cursor: string | undefined) => Promise<Page<Item>>) {
    this.#read = read
  }

  /** One page: the first, or the one at the `cursor` that the list was asked for. */
  page(): Promise<Page<Item>> {
    return this.#read(undefined)
  }

  /** Every item from there on; each iteration reads anew. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    let page = await this.#read(undefined)
    for (;;) {
      yield* page.data
      if (typeof page.next_cursor !== "string") return
      page = await this.#read(page.next_cursor)
    }
  }
}
