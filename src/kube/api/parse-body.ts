/** From the bytes of a body to a value: JSON, YAML or protobuf, in the words of the real server where it is none. */
import { ApiError, badRequest } from '../meta/index.ts'
import { decodeProtobuf } from '../schema/index.ts'
import type { Body, PatchType } from './api-call.ts'
import { goJsonError } from './go-json-error.ts'
import { type ParsedYaml, parseYaml } from './parse-yaml.ts'

/** Far deeper than any real object, and shallow enough for everything that later walks it. */
const MAX_DEPTH = 500

const mediaType = (contentType: string | undefined): string =>
  (contentType || 'application/json').split(';', 1)[0]!.trim().toLowerCase()

const unsupported = (accepted: string): ApiError =>
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

/** The kind of patch that a content type announces. */
export const patchTypeOf = (contentType: string | undefined): PatchType => {
  const type = mediaType(contentType)
  if (!Object.hasOwn(PATCH_TYPES, type)) throw unsupported(Object.keys(PATCH_TYPES).join(', '))
  return PATCH_TYPES[type]!
}

const SUMMARY_LENGTH = 30

/** The beginning of a body, as messages quote it. */
const summaryOf = (bytes: Buffer): string => {
  if (bytes.length === 0) return '<empty>'
  const text = bytes.subarray(0, SUMMARY_LENGTH).toString(bytes[0] === 0x7b ? 'utf8' : 'hex')
  return bytes.length > SUMMARY_LENGTH ? `${text} ...` : text
}

/** Whether containers lie in containers beyond the limit. Level by level, as recursion would itself be too deep. */
const isTooDeep = (value: unknown): boolean => {
  let level: unknown[] = [value]
  for (let depth = 0; depth <= MAX_DEPTH; depth += 1) {
    const next: unknown[] = []
    for (const one of level) {
      if (typeof one !== 'object' || one === null) continue
      for (const member of Array.isArray(one) ? one : Object.values(one))
        if (typeof member === 'object' && member !== null) next.push(member)
    }
    if (next.length === 0) return false
    level = next
  }
  return true
}

/** Reads JSON; throws an Error in Go's words. */
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

/** Runs a parser and lets its complaint become a refusal. */
const parsed = <T>(parse: () => T, refusal: (why: string) => string): T => {
  try {
    return parse()
  } catch (error) {
    if (error instanceof ApiError) throw error
    throw badRequest(refusal(error instanceof Error ? error.message : String(error)))
  }
}

/** The object in a POST, PUT or DELETE. A missing content type means JSON. */
export const parseObjectBody = (bytes: Buffer, contentType: string | undefined, kind: string): Body => {
  const text = bytes.toString()
  const summary = summaryOf(bytes)
  const unrecognized = (why: string): string =>
    `the object provided is unrecognized (must be of type ${kind}): ${why} (${summary})`
  switch (mediaType(contentType)) {
    case 'application/json': {
      const refusal = (why: string): string =>
        unrecognized(`couldn't get version/kind; json parse error: ${why}`)
      return { value: parsed(() => parseJson(text), refusal), text, summary }
    }
    case 'application/yaml':
      return { ...parsed(() => parseShallowYaml(text), unrecognized), summary }
    case 'application/vnd.kubernetes.protobuf':
      return { value: decodeProtobuf(bytes), summary }
    default:
      throw unsupported(OBJECT_TYPES)
  }
}

/** The patch in a PATCH. */
export const parsePatchBody = (bytes: Buffer, type: PatchType): Body => {
  const text = bytes.toString()
  if (type === 'apply') {
    const body = parsed(
      () => parseShallowYaml(text),
      (why) => `error decoding YAML: ${why}`,
    )
    return { ...body, summary: summaryOf(bytes) }
  }
  const refusal = (why: string): string => (type === 'strategic' ? why : `error decoding patch: ${why}`)
  return { value: parsed(() => parseJson(text), refusal), text, summary: summaryOf(bytes) }
}
