/** Content negotiation by the Accept header. */
import { ApiError } from '#platform/kube/meta'

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
  // Wildcards sort after specific types of the same quality.
  return (Number.isFinite(quality) ? quality : 1) - (type.includes('*') ? 1e-6 : 0)
}

/** The media ranges of an Accept header, most preferred first. */
const parseAccept = (accept: string): MediaRange[] =>
  accept
    .split(',')
    .map((part) => {
      const [type = '', ...parameters] = part.split(';').map((piece) => piece.trim())
      return {
        type: type.toLowerCase(),
        parameters: Object.fromEntries(parameters.map((parameter) => parameter.split('=', 2))),
      }
    })
    .filter(({ type }) => type !== '')
    .sort((a, b) => weightOf(b) - weightOf(a))

const JSON_TYPES = new Set(['application/json', 'application/*', '*/*', '*'])
const SUPPORTED_TYPES = 'application/json, application/yaml'

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

const MAX_CACHED = 100
const [objectForms, streamForms] = [new Map<string, Form>(), new Map<string, Form>()]

/**
 * Returns the most preferred supported form; throws NotAcceptable if there is none. Protobuf is not supported: every
 * client that requests it accepts JSON too. Watches cannot be YAML.
 */
export const negotiate = (accept: string | undefined, stream = false): Form => {
  if (accept === undefined || accept === '') return { as: 'object', yaml: false }
  const cache = stream ? streamForms : objectForms
  const cached = cache.get(accept)
  if (cached !== undefined) return cached
  for (const range of parseAccept(accept)) {
    const form = formOf(range, stream)
    if (form === undefined) continue
    if (cache.size < MAX_CACHED) cache.set(accept, form)
    return form
  }
  const message = `only the following media types are accepted: ${SUPPORTED_TYPES}`
  throw new ApiError(406, 'NotAcceptable', message)
}

/** Whether to send YAML if the answer can only be JSON or YAML, such as an error. */
export const wantsYaml = (accept: string | undefined): boolean => {
  try {
    const form = negotiate(accept)
    return form.as === 'object' && form.yaml
  } catch {
    return false
  }
}
