/**
 * A Thrift client over any transport: a pool of connections, each with one call at a time. A call without a timeout waits as
 * long as its connection is open, and occupies it.
 */
import type { ProgramTime } from '#spec'
import {
  CallFailure,
  type ClientOptions,
  type ServiceAnswer,
  type ServiceCall,
  type ServiceClient,
  withTimeLimit,
} from '#world/twin/ports'
import { createConnectionSlots } from '../connection-slots.ts'

/** The configuration of the original Thrift services. */
const POOL_SIZE = 512
const POOL_WAIT_MS = 10_000

/** A connection with one call at a time. */
export interface ThriftConnection {
  readonly isClosed: boolean
  /** Rejects with a CallFailure. */
  call(call: ServiceCall): Promise<ServiceAnswer>
  close(): void
}

export interface ThriftTransport {
  readonly time: Pick<ProgramTime, 'monotonic' | 'after'>
  /** Rejects with a CallFailure. */
  open(address: ClientOptions['address']): Promise<ThriftConnection>
}

const createTimeout = (): CallFailure => new CallFailure('timeout', 'THRIFT_EAGAIN (timed out)')

export const createClientOver = (options: ClientOptions, { time, open }: ThriftTransport): ServiceClient => {
  const slots = createConnectionSlots(options.poolSize ?? POOL_SIZE, options.poolWaitMs ?? POOL_WAIT_MS, time)
  const idle: ThriftConnection[] = []
  const all = new Set<ThriftConnection>()
  let isClosed = false

  const acquire = async (): Promise<ThriftConnection> => {
    for (let found = idle.pop(); found; found = idle.pop()) {
      if (!found.isClosed) return found
      all.delete(found)
    }
    const connection = await open(options.address)
    all.add(connection)
    return connection
  }

  const release = (connection: ThriftConnection): void => {
    if (!isClosed && !connection.isClosed) idle.push(connection)
    else {
      connection.close()
      all.delete(connection)
    }
  }

  const send = async (call: ServiceCall): Promise<ServiceAnswer> => {
    const { timeoutMs } = call
    const deadline = timeoutMs === undefined ? undefined : time.monotonic() + timeoutMs
    const acquiring = acquire()
    const connection = await withTimeLimit(time, acquiring, timeoutMs, () => {
      acquiring.then(release, () => {})
      return createTimeout()
    })
    try {
      const remainingMs = deadline === undefined ? undefined : deadline - time.monotonic()
      return await withTimeLimit(time, connection.call(call), remainingMs, () => {
        // The next call would read the late answer as its own.
        connection.close()
        return createTimeout()
      })
    } finally {
      release(connection)
    }
  }

  return {
    call: async (call) => {
      await slots.acquire()
      try {
        return await send(call)
      } finally {
        slots.release()
      }
    },
    close: () => {
      isClosed = true
      for (const connection of all) connection.close()
    },
  }
}
