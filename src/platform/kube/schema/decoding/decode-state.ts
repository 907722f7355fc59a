/** The state of the decoder, and the messages that name its position. */
import { DecodeFailure } from './decode-failure.ts'

/** A field name, a list index, or a map key in a tuple. Go's messages omit map keys. */
type Step = string | number | readonly [key: string]

export interface DecodeState {
  readonly path: Step[]
  readonly unknown: string[]
  readonly partial: boolean
  /** The innermost Go struct, which messages name; undefined in custom resources. */
  struct: string | undefined
}

export const pathText = (path: readonly Step[], last: string): string => {
  let text = ''
  for (const step of [...path, last]) {
    if (typeof step === 'number') text += `[${step}]`
    else text += `${text === '' ? '' : '.'}${typeof step === 'string' ? step : step[0]}`
  }
  return text
}

export const jsonType = (value: unknown): string => {
  if (Array.isArray(value)) return 'array'
  return typeof value === 'boolean' ? 'bool' : typeof value
}

export const mismatch = (found: string, goType: string, state: DecodeState): DecodeFailure => {
  const field = state.path.filter((step) => typeof step === 'string').join('.')
  const location = field === '' ? 'Go value' : `Go struct field ${state.struct}.${field}`
  return new DecodeFailure(`json: cannot unmarshal ${found} into ${location} of type ${goType}`)
}
