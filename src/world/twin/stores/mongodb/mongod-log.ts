/** The log of a MongoDB server, in the format of mongod. */
import type { StoreServerOptions } from '#world/twin/ports'
import type { Document } from './bson.ts'
import type { Session } from './commands/command.ts'

type Level = 'info' | 'warn' | 'error'

const SEVERITIES = { info: 'I', warn: 'W', error: 'E' } as const

export class MongodLog {
  readonly #print: StoreServerOptions['log']
  readonly #now: () => number

  constructor(print: StoreServerOptions['log'], now: () => number) {
    this.#print = print
    this.#now = now
  }

  write(level: Level, component: string, context: string, msg: string, attr: Document): void {
    const t = { $date: new Date(this.#now()).toISOString() }
    const line = { t, s: SEVERITIES[level], c: component, ctx: context, msg, attr }
    this.#print(level, JSON.stringify(line))
  }

  #writeNetwork(context: string, msg: string, attr: Document): void {
    this.write('info', 'NETWORK', context, msg, attr)
  }

  listening(address: string, attributes: Document): void {
    this.#writeNetwork('listener', 'Listening on', { address })
    this.#writeNetwork('listener', 'Waiting for connections', attributes)
  }

  connectionRefused(remote: string): void {
    const message = 'Connection refused because there are too many open connections'
    this.#writeNetwork('listener', message, { remote })
  }

  connectionAccepted({ remote, connectionId }: Session, connectionCount: number): void {
    this.#writeNetwork('listener', 'Connection accepted', { remote, connectionId, connectionCount })
  }

  connectionEnded({ remote, connectionId }: Session, connectionCount: number): void {
    const attributes = { remote, connectionId, connectionCount }
    this.#writeNetwork(`conn${connectionId}`, 'Connection ended', attributes)
  }

  /** The input of a client is malformed. */
  malformedInput({ connectionId }: Session, error: string): void {
    this.#writeNetwork(`conn${connectionId}`, 'Bad message. Ending connection', { error })
  }

  /** A client without TLS is rejected. */
  missingTls({ connectionId, remote }: Session): void {
    const error = {
      code: 141,
      codeName: 'SSLHandshakeFailed',
      errmsg: 'The server is configured to only allow SSL connections',
    }
    const message = 'Error receiving request. Ending connection'
    this.#writeNetwork(`conn${connectionId}`, message, { error, remote })
  }
}
