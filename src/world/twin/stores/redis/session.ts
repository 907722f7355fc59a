/** The state of one client connection to a Redis server. */

export interface Session {
  readonly id: number
  readonly address: string
  /** Milliseconds since the epoch. */
  readonly since: number
  user: string | undefined
  database: number
  lastCommand: string
  /** Commands queued since MULTI; undefined outside a transaction. */
  queue: (readonly string[])[] | undefined
  isClosing: boolean
}
