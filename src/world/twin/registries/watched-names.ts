/** Keeps the addresses of looked-up names up to date; without the registry, uses the last known ones. */
import { CallFailure, sleep } from '#world/twin/ports'
import type { RegistryHost } from './registry-host.ts'
import type { Address } from './registry-protocol.ts'

export interface KnownAddresses {
  readonly index: number
  readonly addresses: readonly Address[]
}

export interface NameSource {
  /** Returns the current addresses. */
  lookUp(name: string): Promise<KnownAddresses>
  /** Resolves when the index differs from the given one, or after `waitMs`. */
  watch(name: string, index: number, waitMs: number): Promise<KnownAddresses>
}

export interface WatchedNames {
  /** Returns the addresses of the name in turn. Rejects with a CallFailure. */
  resolve(name: string): Promise<Address>
  close(): void
}

const WAIT_MS = 30_000

/** Pause after a failed request to the registry. */
const RETRY_MS = 1000

interface Entry {
  current: KnownAddresses
  turn: number
  /** Callbacks of calls that wait for a first address. */
  readonly waiting: Set<() => void>
}

/** Resolves when an address is registered, or after `milliseconds`. */
const waitForAddress = ({ time }: RegistryHost, entry: Entry, milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    const wake = (): void => {
      cancelTimeout()
      entry.waiting.delete(wake)
      resolve()
    }
    const cancelTimeout = time.after(milliseconds, wake)
    entry.waiting.add(wake)
  })

/** `waitMs` is the time that a call waits for the first address of a name. */
export const createWatchedNames = (host: RegistryHost, source: NameSource, waitMs = 0): WatchedNames => {
  const entries = new Map<string, Promise<Entry>>()
  const stopped = new AbortController()

  const pause = (): Promise<void> => sleep(host.time, RETRY_MS)

  const watchName = async (name: string, entry: Entry): Promise<void> => {
    while (!stopped.signal.aborted)
      try {
        entry.current = await source.watch(name, entry.current.index, WAIT_MS)
        if (entry.current.addresses.length > 0) for (const wake of entry.waiting) wake()
        // A server without an index cannot block, and must not be polled without a pause.
        if (!(entry.current.index > 0)) await pause()
      } catch {
        // Another server may answer the next request, and its indices can differ.
        entry.current = { ...entry.current, index: 0 }
        await pause()
      }
  }

  const load = async (name: string): Promise<Entry> => {
    try {
      const entry: Entry = { current: await source.lookUp(name), turn: 0, waiting: new Set() }
      void watchName(name, entry)
      return entry
    } catch (error) {
      entries.delete(name)
      throw error
    }
  }

  return {
    resolve: async (name) => {
      const loading = entries.get(name) ?? load(name)
      entries.set(name, loading)
      const entry = await loading
      if (entry.current.addresses.length === 0 && waitMs > 0) await waitForAddress(host, entry, waitMs)
      const { addresses } = entry.current
      if (addresses.length === 0) throw new CallFailure('name', `No instances available for ${name}`)
      entry.turn = (entry.turn + 1) % addresses.length
      return addresses[entry.turn]!
    },
    close: () => stopped.abort(),
  }
}
