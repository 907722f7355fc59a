/** A set, which has no counterpart here, in a literal of Python. */
import { Dict } from './dict.ts'
import { Tuple } from './value.ts'

export class SetLiteral {}

/** Whether a value cannot be a key of a dictionary. */
export const isUnhashable = (key: unknown): boolean =>
  Array.isArray(key) ||
  key instanceof Dict ||
  key instanceof SetLiteral ||
  (key instanceof Tuple && key.items.some(isUnhashable))
