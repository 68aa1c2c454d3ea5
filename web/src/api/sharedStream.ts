/** One tab's part in something that one tab of a browser does for all. */
export interface Share<Message> {
  /** Does it until the signal aborts. */
  readonly lead: (signal: AbortSignal) => Promise<void>
  /** Told what the leading tab told. */
  readonly onMessage: (message: Message) => void
  /** What a tab that has just come is to know, if this one leads. */
  readonly greeting: () => Message
}

/** What a tab asks the leading one. */
interface Hello {
  readonly kind: "hello"
}

/** How often a shown tab asks whether the leading one still answers. */
const askMillis = 10_000

/**
 * Has one of all tabs that share `name` lead at a time, by a lock of the browser's; the next one leads when that tab is closed. A
 * leading tab that does not answer is one that the browser has frozen, and the tab that asked leads in its place. `tell` reaches the
 * other tabs; `leave` ends this tab's part. Undefined where the browser has no locks: on plain http, but for localhost.
 */
export const shareAmongTabs = <Message extends { readonly kind: string }>(
  name: string,
  share: Share<Message>,
): { readonly tell: (message: Message) => void; readonly leave: () => void } | undefined => {
  const locks: LockManager | undefined = navigator.locks
  if (locks === undefined) return undefined
  const channel = new BroadcastChannel(name)
  const left = new AbortController()
  let waiting = new AbortController()
  let isLeading = false
  let hasHeard = true
  const post = (message: Message | Hello) => {
    if (!left.signal.aborted) channel.postMessage(message)
  }

  /** Leads once the lock is this tab's, until it leaves or another one takes the lock. */
  const leadOnce = async (options: LockOptions): Promise<void> => {
    const taken = new AbortController()
    try {
      await locks.request(name, options, () => {
        isLeading = true
        return share.lead(AbortSignal.any([left.signal, taken.signal]))
      })
    } catch {
      // The lock was taken away, or this tab waits for it no longer.
    }
    isLeading = false
    taken.abort()
  }
  const takePart = async (): Promise<void> => {
    while (!left.signal.aborted) {
      waiting = new AbortController()
      await leadOnce({ signal: AbortSignal.any([left.signal, waiting.signal]) })
      if (waiting.signal.aborted) await leadOnce({ steal: true })
    }
  }

  channel.onmessage = ({ data }: MessageEvent<Message | Hello>) => {
    if (isHello(data)) {
      if (isLeading) post(share.greeting())
      return
    }
    hasHeard = true
    share.onMessage(data)
  }
  const timer = setInterval(() => {
    if (isLeading || document.hidden) return
    if (!hasHeard) waiting.abort()
    hasHeard = false
    post({ kind: "hello" })
  }, askMillis)
  post({ kind: "hello" })
  void takePart()
  return {
    tell: post,
    leave: () => {
      clearInterval(timer)
      left.abort()
      channel.close()
    },
  }
}

const isHello = (message: { readonly kind: string }): message is Hello => message.kind === "hello"
