/** A connection of a client to a simulated store. */
import type { ProgramConnection, ProgramHost, ProgramMessage } from '#spec'
import { CallFailure, type StoreClientOptions, toCallFailure } from '#world/twin/ports'
import { toConnectionFailure } from '../wire/connection-failure.ts'

/** The messages for failures of a connection. */
export interface LinkTexts {
  readonly closedByServer: string
  readonly closedByClient: string
}

export class StoreLink {
  readonly #connection: ProgramConnection
  readonly #texts: LinkTexts
  #isClosedByClient = false

  constructor(connection: ProgramConnection, texts: LinkTexts) {
    this.#connection = connection
    this.#texts = texts
  }

  get closed(): boolean {
    return this.#isClosedByClient || this.#connection.isClosed
  }

  /** Resolves with the content of the answer. Rejects with a CallFailure. */
  async exchange(message: ProgramMessage): Promise<unknown> {
    if (this.closed) throw new CallFailure('reset', this.#texts.closedByClient)
    try {
      return (await this.#connection.exchange(message)).content
    } catch (error) {
      throw toConnectionFailure(error, this.#texts.closedByServer)
    }
  }

  close(): void {
    this.#isClosedByClient = true
    this.#connection.close()
  }
}

/** Rejects with a CallFailure; its kind is `timeout` if the signal aborts. */
export const connectToStore = async (
  { network }: Pick<ProgramHost, 'network'>,
  { address }: Pick<StoreClientOptions, 'address'>,
  signal?: AbortSignal,
): Promise<ProgramConnection> => {
  let target = ''
  try {
    const { host, port } = await address()
    target = `${host}:${port}`
    return await network.connect(host, port, signal)
  } catch (error) {
    throw signal?.aborted ? new CallFailure('timeout', `connect ETIMEDOUT ${target}`) : toCallFailure(error)
  }
}
