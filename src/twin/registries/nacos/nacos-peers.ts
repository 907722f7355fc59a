/** The other servers of a Nacos cluster: each tells them what it hears, and asks one of them for all when it starts. */
import type { StoreServerOptions } from '../../ports/index.ts'
import { createRegistryCaller, type RegistryCaller } from '../registry-caller.ts'
import type { Address } from '../registry-wire.ts'
import type { Instance } from './instance-table.ts'

/** Something one server has heard and others should know. */
export interface News {
  readonly instance: Instance
  readonly isGone: boolean
}

export const PEER_PATH = '/nacos/v1/ns/distro/datum'

/** Beats come in numbers, and one message for those of a second is enough. */
const BEATS_MS = 1000
const AT_ONCE_MS = 10
const LOAD_MS = 1000
const RETRY_MS = 250

export interface NacosPeers {
  /** All that any peer knows. */
  load(): Promise<readonly Instance[]>
  tell(news: News, isUrgent: boolean): void
  close(): void
}

/** `NACOS_SERVERS`, without the one that is this pod. */
export const parsePeers = (environment: Readonly<Record<string, string>>): readonly Address[] =>
  (environment.NACOS_SERVERS ?? '')
    .split(/[\s,]+/)
    .filter((entry) => entry && !(environment.HOSTNAME && entry.startsWith(`${environment.HOSTNAME}.`)))
    .map((entry) => {
      const [host, port] = entry.split(':')
      return { host: host!, port: Number(port ?? 8848) }
    })

/** What is missed while it is away is told when it is back. */
const createPeer = (address: Address, log: StoreServerOptions['log']) => {
  const caller: RegistryCaller = createRegistryCaller([address])
  const pending = new Map<string, News>()
  let isReachable = true
  let isSending = false
  let retry: NodeJS.Timeout | undefined

  const deliver = async (): Promise<void> => {
    if (isSending || pending.size === 0) return
    isSending = true
    const batch = [...pending]
    try {
      await caller.ask('POST', PEER_PATH, { body: batch.map(([, news]) => news) })
      for (const [key, news] of batch) if (pending.get(key) === news) pending.delete(key)
      if (!isReachable) log('info', `peer ${address.host}:${address.port} is back`)
      isReachable = true
    } catch (error) {
      if (isReachable)
        log(
          'warn',
          `[DISTRO] cannot sync data to ${address.host}:${address.port}: ${(error as Error).message}`,
        )
      isReachable = false
    }
    isSending = false
    clearTimeout(retry)
    if (pending.size > 0) retry = setTimeout(() => void deliver(), isReachable ? 0 : RETRY_MS)
  }

  return {
    caller,
    send: (batch: ReadonlyMap<string, News>): void => {
      for (const [key, news] of batch) pending.set(key, news)
      void deliver()
    },
    close: () => {
      pending.clear()
      clearTimeout(retry)
      caller.close()
    },
  }
}

export const createNacosPeers = (
  addresses: readonly Address[],
  log: StoreServerOptions['log'],
): NacosPeers => {
  const peers = addresses.map((address) => createPeer(address, log))
  let batch = new Map<string, News>()
  let due = Number.POSITIVE_INFINITY
  let timer: NodeJS.Timeout | undefined

  const flush = (): void => {
    const all = batch
    batch = new Map()
    due = Number.POSITIVE_INFINITY
    for (const peer of peers) peer.send(all)
  }

  return {
    load: async () => {
      const asked = peers.map(async ({ caller }) => {
        const { body } = await caller.ask('GET', PEER_PATH, { timeoutMs: LOAD_MS })
        return body as readonly Instance[]
      })
      // Of servers that start together one may know what the others do not.
      const answers = await Promise.allSettled(asked)
      return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    },
    tell: (news, isUrgent) => {
      if (peers.length === 0) return
      const { service, host, port } = news.instance
      batch.set(`${service} ${host}:${port}`, news)
      const when = performance.now() + (isUrgent ? AT_ONCE_MS : BEATS_MS)
      if (when >= due) return
      due = when
      clearTimeout(timer)
      timer = setTimeout(flush, when - performance.now())
    },
    close: () => {
      clearTimeout(timer)
      for (const peer of peers) peer.close()
    },
  }
}
