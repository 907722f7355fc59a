/** Replicates from a leader: the missed changes first, then all new ones. */
import type { StoreLogin } from '#world/twin/ports'
import type { StoreHost } from '../store-host.ts'
import { type Line, parseLine } from './storage/history.ts'
import type { Storage } from './storage/storage.ts'

export interface Leader {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string
}

/** A connection to a leader. */
export interface LeaderConnection {
  /** Streams the log, starting at `position`. An empty line is a heartbeat. */
  followLog(position: string, onLine: (line: string) => void, onEnd: (failure: Error) => void): void
  close(): void
}

/** Rejects with a CallFailure, also if the signal aborts. */
export type OpenLeader = (
  options: { readonly address: () => Promise<{ host: string; port: number }>; readonly login: StoreLogin },
  signal: AbortSignal,
) => Promise<LeaderConnection>

/** The server that follows. */
interface Follows {
  readonly storage: Storage
  readonly host: Pick<StoreHost, 'time'>
  readonly openLeader: OpenLeader
}

const RETRY_MS = 500

/** The leader sends lines or heartbeats more often than this. */
const LEADER_TIMEOUT_MS = 5_000

/** Lines received from the leader and not yet applied. */
class LineQueue {
  readonly #lines: string[] = []
  #failure: Error | undefined
  #wake = (): void => undefined

  push(line: string): void {
    this.#lines.push(line)
    this.#wake()
  }

  end(failure: Error): void {
    this.#failure = failure
    this.#wake()
  }

  async next(): Promise<Line> {
    for (;;) {
      const line = this.#lines.shift()
      if (line !== undefined) return parseLine(line)
      if (this.#failure !== undefined) throw this.#failure
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }
}

export class Follower {
  leader: Leader = { host: '', port: 3306, user: '', password: '' }
  running = false
  connected = false
  lastError = ''
  readonly #server: Follows
  #interrupt = (): void => undefined
  #ended: Promise<void> = Promise.resolve()

  constructor(server: Follows) {
    this.#server = server
  }

  start(): void {
    if (this.running) return
    this.running = true
    this.#ended = this.#ended.then(() => this.#run())
  }

  /** Resolves when no change from the leader is being applied. */
  stop(): Promise<void> {
    this.running = false
    this.#interrupt()
    return this.#ended
  }

  async #run(): Promise<void> {
    while (this.running) {
      await this.#replicate().catch((error: Error) => {
        this.lastError = error.message
      })
      this.connected = false
      if (this.running) await this.#pause()
    }
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#server.host.time.after(RETRY_MS, resolve)
      this.#interrupt = () => {
        cancel()
        resolve()
      }
    })
  }

  /** Rejects if the leader does not answer in time. Stopping must not wait for an unreachable leader. */
  async #connect(): Promise<LeaderConnection> {
    const { host, port, user, password } = this.leader
    const { openLeader, host: own } = this.#server
    const giveUp = new AbortController()
    const cancel = own.time.after(LEADER_TIMEOUT_MS, () => giveUp.abort())
    this.#interrupt = () => giveUp.abort()
    try {
      const address = async () => ({ host, port })
      return await openLeader({ address, login: { user, password } }, giveUp.signal)
    } finally {
      cancel()
    }
  }

  /** Runs until the connection is lost. */
  async #replicate(): Promise<never> {
    const { storage, host } = this.#server
    const connection = await this.#connect()
    const lines = new LineQueue()
    const close = (): void => connection.close()
    this.#interrupt = close
    let cancelSilence = host.time.after(LEADER_TIMEOUT_MS, close)
    connection.followLog(
      JSON.stringify(storage.position),
      (line) => {
        cancelSilence()
        cancelSilence = host.time.after(LEADER_TIMEOUT_MS, close)
        if (line !== '') lines.push(line)
      },
      (failure) => lines.end(failure),
    )
    if (!this.running) connection.close()
    this.connected = true
    this.lastError = ''
    try {
      for (;;) {
        const line = await lines.next()
        if ('beginning' in line) await storage.rebuild(line, () => lines.next())
        else if ('n' in line) await storage.follow(line)
      }
    } finally {
      cancelSilence()
      connection.close()
    }
  }
}
