/** The methods of AMQP 0-9-1 that the broker and the client use, and the properties of messages. */
import { FieldReader, type FieldType, type Table, toFields } from './field-codec.ts'

type Fields = readonly (readonly [string, FieldType])[]

/** Parses a list of `name:type`. */
const parseFields = (text: string): Fields =>
  text === ''
    ? []
    : text.split(' ').map((part) => {
        const [name, type] = part.split(':')
        return [name!, type as FieldType] as const
      })

const METHODS = {
  'connection.start': [
    10,
    10,
    'major:octet minor:octet serverProperties:table mechanisms:longstr locales:longstr',
  ],
  'connection.start-ok': [
    10,
    11,
    'clientProperties:table mechanism:shortstr response:longstr locale:shortstr',
  ],
  'connection.tune': [10, 30, 'channelMax:short frameMax:long heartbeat:short'],
  'connection.tune-ok': [10, 31, 'channelMax:short frameMax:long heartbeat:short'],
  'connection.open': [10, 40, 'virtualHost:shortstr reserved1:shortstr reserved2:bit'],
  'connection.open-ok': [10, 41, 'reserved1:shortstr'],
  'connection.close': [10, 50, 'replyCode:short replyText:shortstr classId:short methodId:short'],
  'connection.close-ok': [10, 51, ''],
  'channel.open': [20, 10, 'reserved1:shortstr'],
  'channel.open-ok': [20, 11, 'reserved1:longstr'],
  'channel.flow': [20, 20, 'active:bit'],
  'channel.flow-ok': [20, 21, 'active:bit'],
  'channel.close': [20, 40, 'replyCode:short replyText:shortstr classId:short methodId:short'],
  'channel.close-ok': [20, 41, ''],
  'queue.declare': [
    50,
    10,
    'reserved1:short queue:shortstr passive:bit durable:bit exclusive:bit autoDelete:bit noWait:bit arguments:table',
  ],
  'queue.declare-ok': [50, 11, 'queue:shortstr messageCount:long consumerCount:long'],
  'queue.purge': [50, 30, 'reserved1:short queue:shortstr noWait:bit'],
  'queue.purge-ok': [50, 31, 'messageCount:long'],
  'queue.delete': [50, 40, 'reserved1:short queue:shortstr ifUnused:bit ifEmpty:bit noWait:bit'],
  'queue.delete-ok': [50, 41, 'messageCount:long'],
  'basic.qos': [60, 10, 'prefetchSize:long prefetchCount:short global:bit'],
  'basic.qos-ok': [60, 11, ''],
  'basic.consume': [
    60,
    20,
    'reserved1:short queue:shortstr consumerTag:shortstr noLocal:bit noAck:bit exclusive:bit noWait:bit arguments:table',
  ],
  'basic.consume-ok': [60, 21, 'consumerTag:shortstr'],
  'basic.cancel': [60, 30, 'consumerTag:shortstr noWait:bit'],
  'basic.cancel-ok': [60, 31, 'consumerTag:shortstr'],
  'basic.publish': [
    60,
    40,
    'reserved1:short exchange:shortstr routingKey:shortstr mandatory:bit immediate:bit',
  ],
  'basic.return': [60, 50, 'replyCode:short replyText:shortstr exchange:shortstr routingKey:shortstr'],
  'basic.deliver': [
    60,
    60,
    'consumerTag:shortstr deliveryTag:longlong redelivered:bit exchange:shortstr routingKey:shortstr',
  ],
  'basic.get': [60, 70, 'reserved1:short queue:shortstr noAck:bit'],
  'basic.get-ok': [
    60,
    71,
    'deliveryTag:longlong redelivered:bit exchange:shortstr routingKey:shortstr messageCount:long',
  ],
  'basic.get-empty': [60, 72, 'reserved1:shortstr'],
  'basic.ack': [60, 80, 'deliveryTag:longlong multiple:bit'],
  'basic.reject': [60, 90, 'deliveryTag:longlong requeue:bit'],
  'basic.recover': [60, 110, 'requeue:bit'],
  'basic.recover-ok': [60, 111, ''],
  'basic.nack': [60, 120, 'deliveryTag:longlong multiple:bit requeue:bit'],
  'confirm.select': [85, 10, 'noWait:bit'],
  'confirm.select-ok': [85, 11, ''],
} as const

export type MethodName = keyof typeof METHODS

const METHODS_BY_NUMBERS = new Map<string, { readonly name: MethodName; readonly fields: Fields }>()

/** Built on first use: most processes that load this module do not need it. */
const getMethodsByNumbers = () => {
  if (METHODS_BY_NUMBERS.size === 0)
    for (const [name, [classId, methodId, text]] of Object.entries(METHODS))
      METHODS_BY_NUMBERS.set(`${classId}.${methodId}`, {
        name: name as MethodName,
        fields: parseFields(text),
      })
  return METHODS_BY_NUMBERS
}

export interface Method {
  readonly name: MethodName
  readonly values: Record<string, any>
}

/** Throws if the method is unknown. */
export const parseMethod = (payload: Buffer): Method => {
  const reader = new FieldReader(payload)
  const numbers = `${reader.read('short')}.${reader.read('short')}`
  const method = getMethodsByNumbers().get(numbers)
  if (!method) throw new Error(`AMQP: unknown method ${numbers}`)
  return {
    name: method.name,
    values: Object.fromEntries(method.fields.map(([name, type]) => [name, reader.read(type)])),
  }
}

export const toMethod = (name: MethodName, values: Table): Buffer => {
  const [classId, methodId, text] = METHODS[name]
  const fieldTypes = getMethodsByNumbers().get(`${classId}.${methodId}`)?.fields ?? parseFields(text)
  const numbers = Buffer.alloc(4)
  numbers.writeUInt16BE(classId, 0)
  numbers.writeUInt16BE(methodId, 2)
  return Buffer.concat([numbers, toFields(fieldTypes, values)])
}

/** Returns the class and method numbers, which error replies contain. */
export const numbersOf = (name: MethodName): { readonly classId: number; readonly methodId: number } => ({
  classId: METHODS[name][0],
  methodId: METHODS[name][1],
})

/** The properties in the order of their flags, from the highest bit down. */
const PROPERTIES = parseFields(
  'contentType:shortstr contentEncoding:shortstr headers:table deliveryMode:octet priority:octet ' +
    'correlationId:shortstr replyTo:shortstr expiration:shortstr messageId:shortstr timestamp:longlong ' +
    'type:shortstr userId:shortstr appId:shortstr clusterId:shortstr',
)

const BASIC_CLASS = 60

export interface ContentHeader {
  readonly bodySize: number
  readonly properties: Table
}

export const parseContentHeader = (payload: Buffer): ContentHeader => {
  const reader = new FieldReader(payload, 4)
  const bodySize = reader.read('longlong')
  const flags = reader.read('short')
  const present = PROPERTIES.filter((_, index) => flags & (1 << (15 - index)))
  return {
    bodySize,
    properties: Object.fromEntries(present.map(([name, type]) => [name, reader.read(type)])),
  }
}

export const toContentHeader = ({ bodySize, properties }: ContentHeader): Buffer => {
  const present = PROPERTIES.filter(([name]) => properties[name] !== undefined)
  const flags = PROPERTIES.reduce(
    (sum, [name], index) => (properties[name] === undefined ? sum : sum | (1 << (15 - index))),
    0,
  )
  const head = Buffer.alloc(14)
  head.writeUInt16BE(BASIC_CLASS, 0)
  head.writeBigUInt64BE(BigInt(bodySize), 4)
  head.writeUInt16BE(flags, 12)
  return Buffer.concat([head, toFields(present, properties)])
}
