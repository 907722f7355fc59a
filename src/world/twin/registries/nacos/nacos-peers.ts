/**
 * Synchronises the servers of a Nacos cluster: each publishes its updates, and loads all instances at
 * startup.
 */
import type { StoreServerOptions } from '#world/twin/ports'
import { createRegistryCaller, type RegistryCaller } from '../registry-caller.ts'
import type { RegistryHost } from '../registry-host.ts'
import type { Address } from '../registry-protocol.ts'
import type { Instance } from './instance-table.ts'

/** An update that one server publishes to the others. */
export interface InstanceUpdate {
  readonly instance: Instance
  readonly isRemoved: boolean
}

export const PEER_PATH = '/nacos/v1/ns/distro/datum'

/** Heartbeats are frequent, so those of one second are sent together. */
const HEARTBEAT_BATCH_MS = 1000
const URGENT_BATCH_MS = 10
const LOAD_TIMEOUT_MS = 1000
const RETRY_MS = 250

export interface NacosPeers {
  /** Loads all instances of the peers that answer. */
  load(): Promise<readonly Instance[]>
  publish(update: InstanceUpdate, isUrgent: boolean): void
  close(): void
}

/** Parses `NACOS_SERVERS`, without this pod. */
export const parsePeers = (environment: Readonly<Record<string, string>>): readonly Address[] =>
  (environment.NACOS_SERVERS ?? '')
    .split(/[\s,]+/)
    .filter((entry) => entry && !(environment.HOSTNAME && entry.startsWith(`${environment.HOSTNAME}.`)))
    .map((entry) => {
      const [host, port] = entry.split(':')
      return { host: host!, port: Number(port ?? 8848) }
    })

/** Queues updates while the peer is unreachable. */
const createPeer = (host: RegistryHost, address: Address, log: StoreServerOptions['log']) => {
  const caller: RegistryCaller = createRegistryCaller(host, [address])
  const pending = new Map<string, InstanceUpdate>()
  let isReachable = true
  let isSending = false
  let cancelRetry: (() => void) | undefined

  const deliver = async (): Promise<void> => {
    if (isSending || pending.size === 0) return
    isSending = true
    const batch = [...pending]
    try {
      await caller.call('POST', PEER_PATH, { body: batch.map(([, update]) => update) })
      for (const [key, update] of batch) if (pending.get(key) === update) pending.delete(key)
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
    cancelRetry?.()
    if (pending.size > 0) cancelRetry = host.time.after(isReachable ? 0 : RETRY_MS, () => void deliver())
  }

  return {
    caller,
    send: (batch: ReadonlyMap<string, InstanceUpdate>): void => {
      for (const [key, update] of batch) pending.set(key, update)
      void deliver()
    },
    close: () => {
      pending.clear()
      cancelRetry?.()
      caller.close()
    },
  }
}

export const createNacosPeers = (
  host: RegistryHost,
  addresses: readonly Address[],
  log: StoreServerOptions['log'],
): NacosPeers => {
  const peers = addresses.map((address) => createPeer(host, address, log))
  let batch = new Map<string, InstanceUpdate>()
  let due = Number.POSITIVE_INFINITY
  let cancelFlush: (() => void) | undefined

  const flush = (): void => {
    const updates = batch
    batch = new Map()
    due = Number.POSITIVE_INFINITY
    for (const peer of peers) peer.send(updates)
  }

  return {
    load: async () => {
      const requests = peers.map(async ({ caller }) => {
        const { body } = await caller.call('GET', PEER_PATH, { timeoutMs: LOAD_TIMEOUT_MS })
        return body as readonly Instance[]
      })
      // Queries all peers, because servers that start together can have different instances.
      const answers = await Promise.allSettled(requests)
      return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    },
    publish: (update, isUrgent) => {
      if (peers.length === 0) return
      const { service, host: address, port } = update.instance
      batch.set(`${service} ${address}:${port}`, update)
      const now = host.time.monotonic()
      const sendAt = now + (isUrgent ? URGENT_BATCH_MS : HEARTBEAT_BATCH_MS)
      if (sendAt >= due) return
      due = sendAt
      cancelFlush?.()
      cancelFlush = host.time.after(sendAt - now, flush)
    },
    close: () => {
      cancelFlush?.()
      for (const peer of peers) peer.close()
    },
  }
}
