/** Where the decoder is, and how its findings name that place. */
import { DecodeFailure } from './decode-failure.ts'

/** A field's name, a list's index, or a map's key in brackets of its own, which Go's messages leave out. */
type Step = string | number | readonly [key: string]

export interface Walk {
  readonly path: Step[]
  readonly unknown: string[]
  readonly partial: boolean
  /** The innermost Go struct, which messages name; undefined in custom resources, which have none. */
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

export const mismatch = (found: string, goType: string, walk: Walk): DecodeFailure => {
  const field = walk.path.filter((step) => typeof step === 'string').join('.')
  const place = field === '' ? 'Go value' : `Go struct field ${walk.struct}.${field}`
  return new DecodeFailure(`json: cannot unmarshal ${found} into ${place} of type ${goType}`)
}
