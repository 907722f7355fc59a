/** The exception with which a Thrift server answers a failed call. */
import type { ThriftMessage } from './binary-protocol.ts'
import { MESSAGE } from './binary-protocol.ts'

export const EXCEPTION = { unknownMethod: 1, internalError: 6 } as const

const TEXT_FIELD = 1
const TYPE_FIELD = 2

export const toApplicationException = (
  { name, sequence }: Pick<ThriftMessage, 'name' | 'sequence'>,
  type: number,
  text: string,
): ThriftMessage => ({
  type: MESSAGE.exception,
  name,
  sequence,
  fields: new Map<number, string | number>([
    [TEXT_FIELD, text],
    [TYPE_FIELD, type],
  ]),
})

export const readApplicationException = ({ fields }: ThriftMessage): { text: string; type: number } => ({
  text: String(fields.get(TEXT_FIELD) ?? 'Default TApplicationException.'),
  type: Number(fields.get(TYPE_FIELD) ?? 0),
})
