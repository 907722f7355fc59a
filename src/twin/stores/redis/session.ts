/** One client of a Redis server: who it is and which database it uses. */

export interface Session {
  readonly id: number
  readonly address: string
  readonly since: number
  user: string | undefined
  database: number
  lastCommand: string
  /** The commands since MULTI. */
  queue: (readonly string[])[] | undefined
  leaving: boolean
}
