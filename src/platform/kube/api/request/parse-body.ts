/** Parses a JSON, YAML or protobuf body; errors are worded as those of a real server. */
import { ApiError, badRequest } from '#platform/kube/meta'
import { decodeProtobuf } from '#platform/kube/schema'
import type { Body, PatchType } from './api-call.ts'
import { goJsonError } from './go-json-error.ts'
import { type ParsedYaml, parseYaml } from './parse-yaml.ts'

/** Far deeper than any real object, and shallow enough for recursive code. */
const MAX_DEPTH = 500

const mediaType = (contentType: string | undefined): string =>
  (contentType || 'application/json').split(';', 1)[0]!.trim().toLowerCase()

const unsupportedError = (accepted: string): ApiError =>
  new ApiError(
    415,
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${accepted}`,
  )

const OBJECT_TYPES = 'application/json, application/yaml, application/vnd.kubernetes.protobuf'
const PATCH_TYPES: Readonly<Record<string, PatchType>> = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
  'application/apply-patch+yaml': 'apply',
}

/** The patch type of a content type. */
export const patchTypeOf = (contentType: string | undefined): PatchType => {
  const type = mediaType(contentType)
  if (!Object.hasOwn(PATCH_TYPES, type)) throw unsupportedError(Object.keys(PATCH_TYPES).join(', '))
  return PATCH_TYPES[type]!
}

const SUMMARY_BYTES = 30

/** The start of a body, as error messages quote it. */
const summaryOf = (bytes: Buffer): string => {
  if (bytes.length === 0) return '<empty>'
  const text = bytes.subarray(0, SUMMARY_BYTES).toString(bytes[0] === 0x7b ? 'utf8' : 'hex')
  return bytes.length > SUMMARY_BYTES ? `${text} ...` : text
}

/** Whether values nest deeper than MAX_DEPTH. Iterates by level, since recursion could overflow the stack. */
const isTooDeep = (value: unknown): boolean => {
  let level: unknown[] = [value]
  for (let depth = 0; depth <= MAX_DEPTH; depth += 1) {
    const next: unknown[] = []
    for (const node of level) {
      if (typeof node !== 'object' || node === null) continue
      for (const member of Array.isArray(node) ? node : Object.values(node))
        if (typeof member === 'object' && member !== null) next.push(member)
    }
    if (next.length === 0) return false
    level = next
  }
  return true
}

/** Parses JSON; throws an Error with the message of Go's decoder. */
const parseJson = (text: string): unknown => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new Error(goJsonError(text))
  }
  if (isTooDeep(value)) throw new Error('exceeded max depth')
  return value
}

const parseShallowYaml = (text: string): ParsedYaml => {
  const parsed = parseYaml(text)
  if (isTooDeep(parsed.value)) throw new Error('yaml: exceeded max depth')
  return parsed
}

/** Runs a parser and turns its error into a BadRequest. */
const parseOrReject = <T>(parse: () => T, toMessage: (detail: string) => string): T => {
  try {
    return parse()
  } catch (error) {
    if (error instanceof ApiError) throw error
    throw badRequest(toMessage(error instanceof Error ? error.message : String(error)))
  }
}

/** Parses the body of a POST, PUT or DELETE. The default content type is JSON. */
export const parseObjectBody = (bytes: Buffer, contentType: string | undefined, kind: string): Body => {
  const text = bytes.toString()
  const summary = summaryOf(bytes)
  const unrecognized = (detail: string): string =>
    `the object provided is unrecognized (must be of type ${kind}): ${detail} (${summary})`
  switch (mediaType(contentType)) {
    case 'application/json': {
      const toMessage = (detail: string): string =>
        unrecognized(`couldn't get version/kind; json parse error: ${detail}`)
      return { value: parseOrReject(() => parseJson(text), toMessage), text, summary }
    }
    case 'application/yaml':
      return { ...parseOrReject(() => parseShallowYaml(text), unrecognized), summary }
    case 'application/vnd.kubernetes.protobuf':
      return { value: decodeProtobuf(bytes), summary }
    default:
      throw unsupportedError(OBJECT_TYPES)
  }
}

/** Parses the body of a PATCH. */
export const parsePatchBody = (bytes: Buffer, type: PatchType): Body => {
  const text = bytes.toString()
  if (type === 'apply') {
    const body = parseOrReject(
      () => parseShallowYaml(text),
      (detail) => `error decoding YAML: ${detail}`,
    )
    return { ...body, summary: summaryOf(bytes) }
  }
  const toMessage = (detail: string): string =>
    type === 'strategic' ? detail : `error decoding patch: ${detail}`
  return { value: parseOrReject(() => parseJson(text), toMessage), text, summary: summaryOf(bytes) }
}
