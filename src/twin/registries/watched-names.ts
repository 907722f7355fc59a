/** What a client knows of the names it has asked for: kept up to date by the registry, and kept when that is lost. */
import { CallFailure } from '../ports/index.ts'
import type { Address } from './registry-wire.ts'

export interface Knowledge {
  readonly index: number
  readonly addresses: readonly Address[]
}

export interface NameSource {
  /** What is known now. */
  look(name: string): Promise<Knowledge>
  /** What is known as soon as it differs from that with this index, or when so much time has passed. */
  watch(name: string, index: number, waitMs: number): Promise<Knowledge>
}

export interface WatchedNames {
  /** One of its addresses, in turn. Rejects with a CallFailure. */
  resolve(name: string): Promise<Address>
  close(): void
}

const WAIT_MS = 30_000

/** After the registry could not be asked. */
const PAUSE_MS = 1000

interface Entry {
  knowledge: Knowledge
  turn: number
  /** Those who wait for a first address. */
  readonly waiting: Set<() => void>
}

/** Resolves when somebody has registered, or the time is over. */
const someone = (entry: Entry, milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    const go = (): void => {
      clearTimeout(timer)
      entry.waiting.delete(go)
      resolve()
    }
    const timer = setTimeout(go, milliseconds)
    entry.waiting.add(go)
  })

/** `patienceMs`: how long a name may stay without any address before that is a failure. */
export const createWatchedNames = (source: NameSource, patienceMs = 0): WatchedNames => {
  const entries = new Map<string, Promise<Entry>>()
  const stopped = new AbortController()

  const pause = (): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, PAUSE_MS)
      timer.unref()
    })

  const follow = async (name: string, entry: Entry): Promise<void> => {
    while (!stopped.signal.aborted)
      try {
        entry.knowledge = await source.watch(name, entry.knowledge.index, WAIT_MS)
        if (entry.knowledge.addresses.length > 0) for (const go of entry.waiting) go()
        // Whoever does not count cannot be waited for, and must not be asked without a pause.
        if (!(entry.knowledge.index > 0)) await pause()
      } catch {
        // Whoever answers next may have counted anew.
        entry.knowledge = { ...entry.knowledge, index: 0 }
        await pause()
      }
  }

  const load = async (name: string): Promise<Entry> => {
    try {
      const entry: Entry = { knowledge: await source.look(name), turn: 0, waiting: new Set() }
      void follow(name, entry)
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
      if (entry.knowledge.addresses.length === 0 && patienceMs > 0) await someone(entry, patienceMs)
      const { addresses } = entry.knowledge
      if (addresses.length === 0) throw new CallFailure('name', `No instances available for ${name}`)
      entry.turn = (entry.turn + 1) % addresses.length
      return addresses[entry.turn]!
    },
    close: () => stopped.abort(),
  }
}
