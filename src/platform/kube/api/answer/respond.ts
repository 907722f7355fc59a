/** Writes responses to HTTP clients. */
import type { ServerResponse } from 'node:http'
import { yamlLibrary } from '#kit'
import { ApiError } from '#platform/kube/meta'
import { ExpiredPage } from '../objects/continue-token.ts'

export interface Reply {
  code: number
  /** JSON text. */
  json: string
  warnings?: readonly string[]
  headers?: Readonly<Record<string, string>>
}

/** A Warning header of RFC 7234; characters that are not allowed in headers are removed. */
const warningHeader = (text: string): string =>
  `299 - "${text.replace(/[^\x20-\x7e]/g, '').replace(/[\\"]/g, '\\$&')}"`

/** The limit of a real server; further warnings are dropped. */
const MAX_WARNINGS_CHARACTERS = 4096

/** The values of the Warning header. */
export const warningHeaders = (warnings: readonly string[]): string[] => {
  const headers: string[] = []
  let size = 0
  for (const text of new Set(warnings)) {
    const header = warningHeader(text)
    size += header.length
    if (size > MAX_WARNINGS_CHARACTERS) break
    headers.push(header)
  }
  return headers
}

export interface Rendering {
  yaml: boolean
  pretty: boolean
}

export const PLAIN: Rendering = { yaml: false, pretty: false }

/** Renders JSON text as YAML or indented JSON. */
export const renderJson = (json: string, { yaml, pretty }: Rendering): string => {
  if (yaml)
    return yamlLibrary().stringify(JSON.parse(json), {
      lineWidth: 0,
      version: '1.1',
      aliasDuplicateObjects: false,
    })
  return pretty ? JSON.stringify(JSON.parse(json), undefined, 2) : json
}

/** A connection is closed if the client reads nothing for this long. */
const STALL_TIMEOUT_MS = 60_000

/** Ends a response. The connection is closed if the client then stops reading. */
export const finish = (response: ServerResponse, body: Buffer | string): void => {
  response.end(body)
  if (response.writableLength > 0) response.setTimeout(STALL_TIMEOUT_MS)
}

/** The headers of a response, except its length. */
export const replyHeaders = (
  { warnings, headers }: Pick<Reply, 'warnings' | 'headers'>,
  { yaml }: Rendering,
): Record<string, string | string[]> => ({
  'Cache-Control': 'no-cache, private',
  'Content-Type': yaml ? 'application/yaml' : 'application/json',
  ...(warnings?.length ? { Warning: warningHeaders(warnings) } : {}),
  ...headers,
})

export const respond = (response: ServerResponse, reply: Reply, rendering: Rendering = PLAIN): void => {
  if (response.destroyed || response.headersSent) return
  const body = Buffer.from(renderJson(reply.json, rendering))
  response.writeHead(reply.code, { 'Content-Length': body.length, ...replyHeaders(reply, rendering) })
  finish(response, body)
}

export const respondText = (
  response: ServerResponse,
  code: number,
  text: string,
  type = 'text/plain; charset=utf-8',
): void => {
  if (response.destroyed || response.headersSent) return
  response.writeHead(code, {
    'Cache-Control': 'no-cache, private',
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(text),
    'X-Content-Type-Options': 'nosniff',
  })
  finish(response, text)
}

/** Turns any thrown value into an ApiError; unexpected errors are reported and become InternalError. */
export const toApiError = (error: unknown, onUnexpected: (error: unknown) => void): ApiError => {
  if (error instanceof ApiError) return error
  onUnexpected(error)
  const message = error instanceof Error ? error.message : String(error)
  return new ApiError(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] })
}

export const respondError = (
  response: ServerResponse,
  error: ApiError,
  headers: Readonly<Record<string, string>> = {},
  rendering: Rendering = PLAIN,
): void => {
  const status = error.toStatus()
  if (error instanceof ExpiredPage) status.metadata = { continue: error.continue }
  const retry = error.details?.retryAfterSeconds
  const json = `${JSON.stringify(status)}\n`
  const retryAfter = retry === undefined ? {} : { 'Retry-After': String(retry) }
  respond(response, { code: error.code, json, headers: { ...retryAfter, ...headers } }, rendering)
}
