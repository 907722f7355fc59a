/** Replicates from a leader: the missed changes first, then all new ones. */
import { type Line, parseLine } from './history.ts'
import { openMysqlConnection } from './mysql-connection.ts'
import type { Storage } from './storage.ts'

export interface Leader {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string
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
  readonly #storage: Storage
  #interrupt = (): void => undefined
  #ended: Promise<void> = Promise.resolve()

  constructor(storage: Storage) {
    this.#storage = storage
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
      const timer = setTimeout(resolve, RETRY_MS)
      this.#interrupt = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  /** Runs until the connection is lost. */
  async #replicate(): Promise<never> {
    const { host, port, user, password } = this.leader
    const login = { user, password }
    const stopped = new AbortController()
    // Also interrupts a connection attempt: stopping must not wait for an unreachable leader.
    this.#interrupt = () => stopped.abort()
    const connection = await openMysqlConnection(
      { address: async () => ({ host, port }), login },
      AbortSignal.any([stopped.signal, AbortSignal.timeout(LEADER_TIMEOUT_MS)]),
    )
    const lines = new LineQueue()
    this.#interrupt = () => connection.close()
    const silenceTimer = setTimeout(() => connection.close(), LEADER_TIMEOUT_MS)
    connection.followLog(
      JSON.stringify(this.#storage.position),
      (line) => {
        silenceTimer.refresh()
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
        if ('beginning' in line) await this.#storage.rebuild(line, () => lines.next())
        else if ('n' in line) await this.#storage.follow(line)
      }
    } finally {
      clearTimeout(silenceTimer)
      connection.close()
    }
  }
}
