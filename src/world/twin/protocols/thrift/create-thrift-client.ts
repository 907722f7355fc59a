/**
 * Calls Thrift methods over a pool of connections, each with one call at a time. A call without a timeout
 * waits as long as its connection is open, and occupies it.
 */
import {
  CallFailure,
  type ClientOptions,
  type ServiceAnswer,
  type ServiceCall,
  type ServiceClient,
} from '#world/twin/ports'
import { createConnectionSlots } from '../connection-slots.ts'
import { readApplicationException } from './application-exception.ts'
import { MESSAGE, type ThriftMessage, type ThriftValue, toThriftFrame } from './binary-protocol.ts'
import { CARRIER_FIELD, MESSAGE_FIELD, SUCCESS_FIELD } from './call-fields.ts'
import { openThriftConnection, type ThriftConnection } from './thrift-connection.ts'

/** The configuration of the original Thrift services. */
const POOL_SIZE = 512
const POOL_WAIT_MS = 10_000

const toMessage = (call: ServiceCall, sequence: number): ThriftMessage => ({
  type: MESSAGE.call,
  name: call.target.slice(call.target.lastIndexOf('/') + 1),
  sequence,
  fields: new Map<number, ThriftValue>([
    [CARRIER_FIELD, new Map(Object.entries(call.headers))],
    [MESSAGE_FIELD, JSON.stringify(call.body ?? null)],
  ]),
})

const toAnswer = (message: ThriftMessage): ServiceAnswer => {
  if (message.type === MESSAGE.exception)
    throw new CallFailure('answer', `TApplicationException: ${readApplicationException(message).text}`)
  const result = message.fields.get(SUCCESS_FIELD)
  try {
    return { status: 0, headers: {}, body: typeof result === 'string' ? JSON.parse(result) : null }
  } catch {
    throw new CallFailure('answer', `the result of ${message.name} is not JSON`)
  }
}

/** Rejects after the timeout, and then calls `onTimeout`, which stops the pending work. */
const withTimeout = async <T>(
  work: Promise<T>,
  remainingMs: number | undefined,
  onTimeout: () => void,
): Promise<T> => {
  if (remainingMs === undefined) return work
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new CallFailure('timeout', 'THRIFT_EAGAIN (timed out)'))
      onTimeout()
    }, remainingMs)
  })
  try {
    return await Promise.race([work, limit])
  } finally {
    clearTimeout(timer)
  }
}

export const createThriftClient = (options: ClientOptions): ServiceClient => {
  const slots = createConnectionSlots(options.poolSize ?? POOL_SIZE, options.poolWaitMs ?? POOL_WAIT_MS)
  const idle: ThriftConnection[] = []
  const all = new Set<ThriftConnection>()
  let sequence = 0
  let isClosed = false

  const acquire = async (): Promise<ThriftConnection> => {
    for (let found = idle.pop(); found; found = idle.pop()) {
      if (!found.isClosed) return found
      all.delete(found)
    }
    const connection = await openThriftConnection(options.address)
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
    const deadline = timeoutMs === undefined ? undefined : performance.now() + timeoutMs
    const acquiring = acquire()
    const connection = await withTimeout(acquiring, timeoutMs, () => acquiring.then(release, () => {}))
    try {
      sequence = (sequence + 1) & 0x7fffffff
      const frame = toThriftFrame(toMessage(call, sequence))
      const remainingMs = deadline === undefined ? undefined : deadline - performance.now()
      // Closes the connection after a timeout, because the next call would read the late answer as its own.
      return toAnswer(await withTimeout(connection.exchange(frame), remainingMs, () => connection.close()))
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
