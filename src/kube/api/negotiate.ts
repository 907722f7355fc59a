/** Content negotiation: in which form a client wants its answer. */
import { ApiError } from '../meta/index.ts'

export type Form =
  | { as: 'object'; yaml: boolean }
  | { as: 'table'; apiVersion: string }
  | { as: 'metadata'; apiVersion: string }

interface MediaRange {
  type: string
  parameters: Record<string, string | undefined>
}

const weightOf = ({ parameters, type }: MediaRange): number => {
  const quality = Number(parameters.q ?? 1)
  // Of equal wishes the vaguer one comes last.
  return (Number.isFinite(quality) ? quality : 1) - (type.includes('*') ? 1e-6 : 0)
}

/** The wishes of a client, dearest first. */
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
    .sort((a, b) => weightOf(b) - weightOf(a))

const JSON_TYPES = new Set(['application/json', 'application/*', '*/*', '*'])
const SUPPORTED = 'application/json, application/yaml'

const formOf = ({ type, parameters }: MediaRange, stream: boolean): Form | undefined => {
  if (type === 'application/yaml') return stream ? undefined : { as: 'object', yaml: true }
  if (!JSON_TYPES.has(type)) return undefined
  const { as, g, v } = parameters
  if (as === undefined) return { as: 'object', yaml: false }
  if (g !== 'meta.k8s.io' || (v !== 'v1' && v !== 'v1beta1')) return undefined
  if (as === 'Table') return { as: 'table', apiVersion: `meta.k8s.io/${v}` }
  if (as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList')
    return { as: 'metadata', apiVersion: `meta.k8s.io/${v}` }
  return undefined
}

const KEPT = 100
const [objects, streams] = [new Map<string, Form>(), new Map<string, Form>()]

/**
 * The dearest form in `accept` that we can give. Protobuf is never given: every client that asks for it takes JSON
 * too. A stream of events cannot be YAML.
 */
export const negotiate = (accept: string | undefined, stream = false): Form => {
  if (accept === undefined || accept === '') return { as: 'object', yaml: false }
  const cache = stream ? streams : objects
  const known = cache.get(accept)
  if (known !== undefined) return known
  for (const range of parseAccept(accept)) {
    const form = formOf(range, stream)
    if (form === undefined) continue
    if (cache.size < KEPT) cache.set(accept, form)
    return form
  }
  throw new ApiError(406, 'NotAcceptable', `only the following media types are accepted: ${SUPPORTED}`)
}

/** For answers that have but one shape, errors among them: whoever wants what cannot be given gets JSON. */
export const wantsYaml = (accept: string | undefined): boolean => {
  try {
    const form = negotiate(accept)
    return form.as === 'object' && form.yaml
  } catch {
    return false
  }
}
