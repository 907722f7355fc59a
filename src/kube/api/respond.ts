/** Writing answers to HTTP clients. */
import type { ServerResponse } from 'node:http'
import { yamlLibrary } from '../../kit/index.ts'
import { ApiError } from '../meta/index.ts'
import { ExpiredPage } from './continue-token.ts'

export interface Reply {
  code: number
  /** JSON text. */
  json: string
  warnings?: readonly string[]
  headers?: Readonly<Record<string, string>>
}

/** RFC 7234's warn-text: quoted, with what cannot stand in a header left out. */
const warningHeader = (text: string): string =>
  `299 - "${text.replace(/[^\x20-\x7e]/g, '').replace(/[\\"]/g, '\\$&')}"`

/** As many as a real server sends; the rest would only bloat the headers. */
const WARNINGS_SIZE = 4096

/** The values of the Warning header. */
export const warningHeaders = (warnings: readonly string[]): string[] => {
  const headers: string[] = []
  let size = 0
  for (const text of new Set(warnings)) {
    const header = warningHeader(text)
    size += header.length
    if (size > WARNINGS_SIZE) break
    headers.push(header)
  }
  return headers
}

export interface Rendering {
  yaml: boolean
  pretty: boolean
}

export const PLAIN: Rendering = { yaml: false, pretty: false }

/** JSON text in the form that was asked for. */
export const rendered = (json: string, { yaml, pretty }: Rendering): string => {
  if (yaml)
    return yamlLibrary().stringify(JSON.parse(json), {
      lineWidth: 0,
      version: '1.1',
      aliasDuplicateObjects: false,
    })
  return pretty ? JSON.stringify(JSON.parse(json), undefined, 2) : json
}

/** A client that does not take its answer within this time, in milliseconds, is gone. */
const STALLED = 60_000

/** Sends the rest of an answer, and waits for a client that is slow to take it, but not for ever. */
export const finish = (response: ServerResponse, body: Buffer | string): void => {
  response.end(body)
  if (response.writableLength > 0) response.setTimeout(STALLED)
}

/** Of an answer whose length is not known yet. */
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
  const body = Buffer.from(rendered(reply.json, rendering))
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

/** Everything thrown on the way becomes a Status; what nobody foresaw, an internal error. */
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
