/** Content negotiation: in which form a client wants its answer. */
import { ApiError } from '../meta/index.ts'

export type Form =
  | { as: 'object'; yaml: boolean }
  | { as: 'table'; apiVersion: string }
  | { as: 'metadata'; apiVersion: string }

interface MediaRange {
  type: string
  parameters: Record<string, string>
}

const parseAccept = (accept: string): MediaRange[] =>
  accept
    .split(',')
    .map((part) => {
      const [type = '', ...parameters] = part.split(';').map((piece) => piece.trim())
      return {
        type: type.toLowerCase(),
        parameters: Object.fromEntries(parameters.map((one) => one.split('=', 2))),
      }
    })
    .filter(({ type }) => type !== '')

const JSON_TYPES = new Set(['application/json', 'application/*', '*/*'])
const SUPPORTED = 'application/json, application/yaml, application/vnd.kubernetes.protobuf'

const formOf = ({ type, parameters }: MediaRange): Form | undefined => {
  if (type === 'application/yaml') return { as: 'object', yaml: true }
  if (!JSON_TYPES.has(type)) return undefined
  const { as, g, v } = parameters
  if (as === undefined) return { as: 'object', yaml: false }
  if (g !== 'meta.k8s.io' || (v !== 'v1' && v !== 'v1beta1')) return undefined
  if (as === 'Table') return { as: 'table', apiVersion: `meta.k8s.io/${v}` }
  if (as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList')
    return { as: 'metadata', apiVersion: `meta.k8s.io/${v}` }
  return undefined
}

const cache = new Map<string, Form>()

/** The first form in `accept` that we can give. Protobuf is never given: every client that asks for it takes JSON too. */
export const negotiate = (accept: string | undefined): Form => {
  if (accept === undefined || accept === '') return { as: 'object', yaml: false }
  const known = cache.get(accept)
  if (known !== undefined) return known
  for (const range of parseAccept(accept)) {
    const form = formOf(range)
    if (form === undefined) continue
    if (cache.size < 100) cache.set(accept, form)
    return form
  }
  throw new ApiError(406, 'NotAcceptable', `only the following media types are accepted: ${SUPPORTED}`)
}
