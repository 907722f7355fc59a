/** A connection between two programs in memory: messages and the end of the connection arrive after a delay, in order. */
import type { Clock } from '#kit'
import type { AcceptConnection, AcceptedConnection, ProgramConnection, ProgramMessage } from '#spec'

const createReset = (): Error => Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })

class Side {
  isClosed = false
  readonly #listeners: (() => void)[] = []

  onClose(listener: () => void): void {
    if (this.isClosed) listener()
    else this.#listeners.push(listener)
  }

  end(): void {
    if (this.isClosed) return
    this.isClosed = true
    for (const listener of this.#listeners.splice(0)) listener()
  }
}

export interface TestConnectionOptions {
  readonly clock: Clock
  readonly latencyMs: number
  readonly from: string
  readonly to: string
  readonly accept: AcceptConnection
}

/** Returns the side of the client, and a function that ends the connection for both. */
export const openTestConnection = ({
  clock,
  latencyMs,
  from,
  to,
  accept,
}: TestConnectionOptions): { client: ProgramConnection; accepted: AcceptedConnection } => {
  const client = new Side()
  const server = new Side()
  const pending = new Set<(error: Error) => void>()
  const closeFrom = (near: Side, far: Side): void => {
    if (near.isClosed) return
    near.end()
    clock.after(latencyMs, () => far.end())
  }
  client.onClose(() => {
    for (const reject of [...pending]) reject(createReset())
    pending.clear()
  })
  const accepted: AcceptedConnection = {
    from,
    onClose: (listener) => server.onClose(listener),
    close: () => closeFrom(server, client),
  }
  const handle = accept(accepted)
  const exchange = (request: ProgramMessage): Promise<ProgramMessage> =>
    new Promise((resolve, reject) => {
      if (client.isClosed) return reject(createReset())
      pending.add(reject)
      const deliver = (answer: ProgramMessage): void => {
        if (server.isClosed) return
        clock.after(latencyMs, () => {
          if (client.isClosed) return
          pending.delete(reject)
          resolve(answer)
        })
      }
      clock.after(latencyMs, () => {
        if (!server.isClosed) handle(request).then(deliver, () => closeFrom(server, client))
      })
    })
  return {
    client: {
      address: to,
      get isClosed() {
        return client.isClosed
      },
      exchange,
      onClose: (listener) => client.onClose(listener),
      close: () => closeFrom(client, server),
    },
    accepted,
  }
}
