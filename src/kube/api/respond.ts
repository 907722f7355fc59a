/** Writing answers to HTTP clients. */
import type { ServerResponse } from 'node:http'
import { stringify as toYaml } from 'yaml'
import { ApiError } from '../meta/index.ts'
import { ExpiredPage } from './list-objects.ts'

export interface Reply {
  code: number
  /** JSON text. */
  json: string
  warnings?: readonly string[]
  headers?: Readonly<Record<string, string>>
}

/** RFC 7234's warn-text: quoted, with what cannot stand in a header left out. */
const warningHeader = (text: string): string =>
  `299 - "${text.replace(/[\\"]/g, '\\$&').replace(/[^\x20-\x7e]/g, '')}"`

export interface Rendering {
  yaml: boolean
  pretty: boolean
}

export const respond = (response: ServerResponse, reply: Reply, { yaml, pretty }: Rendering): void => {
  if (response.destroyed || response.headersSent) return
  const text = yaml
    ? toYaml(JSON.parse(reply.json), { lineWidth: 0, version: '1.1' })
    : pretty
      ? JSON.stringify(JSON.parse(reply.json), undefined, 2)
      : reply.json
  const body = Buffer.from(text)
  response.writeHead(reply.code, {
    'Cache-Control': 'no-cache, private',
    'Content-Type': yaml ? 'application/yaml' : 'application/json',
    'Content-Length': body.length,
    ...(reply.warnings?.length ? { Warning: [...new Set(reply.warnings)].map(warningHeader) } : {}),
    ...reply.headers,
  })
  response.end(body)
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
  response.end(text)
}

/** Everything thrown on the way becomes a Status; what nobody foresaw, an internal error. */
export const toApiError = (error: unknown, onUnexpected: (error: unknown) => void): ApiError => {
  if (error instanceof ApiError) return error
  onUnexpected(error)
  const message = error instanceof Error ? error.message : String(error)
  return new ApiError(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] })
}

export const respondError = (response: ServerResponse, error: ApiError): void => {
  const status = error.toStatus()
  if (error instanceof ExpiredPage) status.metadata = { continue: error.continue }
  const retry = error.details?.retryAfterSeconds
  respond(
    response,
    {
      code: error.code,
      json: `${JSON.stringify(status)}\n`,
      ...(retry === undefined ? {} : { headers: { 'Retry-After': String(retry) } }),
    },
    { yaml: false, pretty: false },
  )
}
