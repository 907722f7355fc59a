/**
 * Calls Thrift methods over a pool of connections, each of which carries one call at a time. Without a deadline of its
 * own a call waits as long as its connection lives, and keeps it from others.
 */
import {
  CallFailure,
  type ClientOptions,
  type ServiceAnswer,
  type ServiceCall,
  type ServiceClient,
} from '../../ports/index.ts'
import { createConnectionSlots } from '../connection-slots.ts'
import { readApplicationException } from './application-exception.ts'
import { MESSAGE, type ThriftMessage, type ThriftValue, toThriftFrame } from './binary-protocol.ts'
import { CARRIER_FIELD, MESSAGE_FIELD, SUCCESS_FIELD } from './call-fields.ts'
import { openThriftConnection, type ThriftConnection } from './thrift-connection.ts'

/** What the services that speak Thrift have in their configuration. */
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

/** Rejects when the time is over, and then does what has to be done about the work that still goes on. */
const within = async <T>(work: Promise<T>, left: number | undefined, onLate: () => void): Promise<T> => {
  if (left === undefined) return work
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new CallFailure('timeout', 'THRIFT_EAGAIN (timed out)'))
      onLate()
    }, left)
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

  const take = async (): Promise<ThriftConnection> => {
    for (let found = idle.pop(); found; found = idle.pop()) {
      if (!found.isClosed) return found
      all.delete(found)
    }
    const made = await openThriftConnection(options.address)
    all.add(made)
    return made
  }

  const giveBack = (connection: ThriftConnection): void => {
    if (!isClosed && !connection.isClosed) idle.push(connection)
    else {
      connection.close()
      all.delete(connection)
    }
  }

  const ask = async (call: ServiceCall): Promise<ServiceAnswer> => {
    const { timeoutMs } = call
    const until = timeoutMs === undefined ? undefined : performance.now() + timeoutMs
    const taken = take()
    const connection = await within(taken, timeoutMs, () => taken.then(giveBack, () => {}))
    try {
      sequence = (sequence + 1) & 0x7fffffff
      const frame = toThriftFrame(toMessage(call, sequence))
      const left = until === undefined ? undefined : until - performance.now()
      // The late answer would be taken for that of the next call.
      return toAnswer(await within(connection.exchange(frame), left, () => connection.close()))
    } finally {
      giveBack(connection)
    }
  }

  return {
    call: async (call) => {
      await slots.take()
      try {
        return await ask(call)
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
