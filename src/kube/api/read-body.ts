/** Request bodies: size, content type, and from bytes to a value. */
import type { IncomingMessage } from 'node:http'
import { parse as parseYaml } from 'yaml'
import { ApiError, badRequest } from '../meta/index.ts'
import { decodeProtobuf } from '../schema/index.ts'
import type { Body, PatchType } from './api-call.ts'
import { goJsonError } from './go-json-error.ts'

const LIMIT = 3 * 1024 * 1024

const tooLarge = (): ApiError =>
  new ApiError(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${LIMIT}`)

/** All bytes of the body; refuses early what announces itself as too long. */
export const readBytes = (request: IncomingMessage): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    if (Number(request.headers['content-length'] ?? 0) > LIMIT) {
      request.resume()
      reject(tooLarge())
      return
    }
    const chunks: Buffer[] = []
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= LIMIT) chunks.push(chunk)
      else reject(tooLarge())
    })
    request.on('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)))
    request.on('error', reject)
    request.on('close', () => reject(new ApiError(400, 'BadRequest', 'unexpected EOF')))
  })

const mediaType = (contentType: string | undefined): string =>
  (contentType ?? 'application/json').split(';', 1)[0]!.trim().toLowerCase()

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
  const type = PATCH_TYPES[mediaType(contentType ?? '')]
  if (type === undefined) throw unsupported(Object.keys(PATCH_TYPES).join(', '))
  return type
}

/** The beginning of a body, as messages quote it. */
const summary = (bytes: Buffer): string => {
  const limit = 30
  if (bytes.length === 0) return '<empty>'
  const text =
    bytes[0] === 0x7b ? bytes.subarray(0, limit).toString() : bytes.subarray(0, limit).toString('hex')
  return bytes.length > limit ? `${text} ...` : text
}

const parseJson = (bytes: Buffer, kind: string): Body => {
  const text = bytes.toString()
  try {
    return { value: JSON.parse(text), text }
  } catch {
    const why = `couldn't get version/kind; json parse error: ${goJsonError(text)}`
    throw badRequest(
      `the object provided is unrecognized (must be of type ${kind}): ${why} (${summary(bytes)})`,
    )
  }
}

const readYaml = (bytes: Buffer, problem: (why: string) => string): Body => {
  try {
    // Go's YAML reads the words of YAML 1.1 (yes, on, 0777) the old way, and so must we.
    return { value: parseYaml(bytes.toString(), { version: '1.1', maxAliasCount: 100 }) }
  } catch (error) {
    const why = error instanceof Error ? error.message.split('\n', 1)[0]! : String(error)
    throw badRequest(problem(why))
  }
}

/** The object in a POST, PUT or DELETE. A missing content type means JSON. */
export const parseObjectBody = (bytes: Buffer, contentType: string | undefined, kind: string): Body => {
  switch (mediaType(contentType)) {
    case 'application/json':
      return parseJson(bytes, kind)
    case 'application/yaml':
    case 'text/yaml':
    case 'application/x-yaml':
      return readYaml(
        bytes,
        (why) =>
          `the object provided is unrecognized (must be of type ${kind}): couldn't get version/kind; yaml: ${why} (${summary(bytes)})`,
      )
    case 'application/vnd.kubernetes.protobuf':
      return { value: decodeProtobuf(bytes) }
    default:
      throw unsupported(OBJECT_TYPES)
  }
}

/** The patch in a PATCH. */
export const parsePatchBody = (bytes: Buffer, type: PatchType): Body => {
  if (type === 'apply') return readYaml(bytes, (why) => `error decoding YAML: ${why}`)
  const text = bytes.toString()
  try {
    return { value: JSON.parse(text), text }
  } catch {
    throw badRequest(`error decoding patch: ${goJsonError(text)}`)
  }
}
