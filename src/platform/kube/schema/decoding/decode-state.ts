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

const jsonType = (value: unknown): string => {
  if (Array.isArray(value)) return 'array'
  return typeof value === 'boolean' ? 'bool' : typeof value
}

const sourceKind = (value: unknown): string => {
  if (Array.isArray(value)) return 'slice'
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64'
  if (typeof value === 'boolean') return 'bool'
  return typeof value === 'string' ? 'string' : 'map'
}

const NUMBER_KINDS = ['int32', 'int64', 'float64']

/** The message of Go's converter of unstructured objects. */
const converterMessage = (value: unknown, goType: string, goKind: string): string => {
  const source = sourceKind(value)
  if (goKind === 'struct') return `cannot restore struct from: ${source}`
  if (goKind === 'slice' || goKind === 'map') return `cannot restore ${goKind} from ${source}`
  const isConvertible =
    NUMBER_KINDS.includes(source) &&
    (NUMBER_KINDS.includes(goKind) || (source === 'int64' && goKind === 'string'))
  return isConvertible ? `cannot convert ${source} to ${goType}` : `unrecognized type: ${goKind}`
}

/** `goKind` is the kind of the Go type, such as `slice`; undefined if the type decodes itself. */
export const mismatch = (
  value: unknown,
  goType: string,
  goKind: string | undefined,
  state: DecodeState,
): DecodeFailure => {
  const field = state.path.filter((step) => typeof step === 'string').join('.')
  const location = field === '' ? 'Go value' : `Go struct field ${state.struct}.${field}`
  const found =
    typeof value === 'number' && NUMBER_KINDS.includes(goKind ?? '') ? `number ${value}` : jsonType(value)
  return new DecodeFailure(
    `json: cannot unmarshal ${found} into ${location} of type ${goType}`,
    goKind === undefined ? undefined : converterMessage(value, goType, goKind),
  )
}
