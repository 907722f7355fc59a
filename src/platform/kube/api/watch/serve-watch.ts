/** Serves a watch over HTTP: one line of JSON per event. */
import type { ServerResponse } from 'node:http'
import type { Clock, Timer } from '#kit'
import type { KubeObject } from '#platform/kube/meta'
import { frameJson, metadataJson, objectJson } from '../answer/encode.ts'
import type { Form } from '../answer/negotiate.ts'
import { objectTable, readInclude } from '../answer/table.ts'
import type { ApiService } from '../api-service.ts'
import type { ApiCall } from '../request/api-call.ts'

export interface WatchLimits {
  /** The watch is closed when the data that the client has not read yet exceeds this size. */
  backlogBytes: number
  /** The watch is closed if the client reads nothing for this long (real time). */
  stalledMs: number
}

export interface WatchServerOptions {
  form: Form
  limits: WatchLimits
  realClock: Clock
}

const createEncoder = (service: ApiService, call: ApiCall, form: Form): ((object: KubeObject) => string) => {
  if (form.as === 'metadata') return (object) => metadataJson(object, form.apiVersion)
  if (form.as !== 'table') return objectJson
  const include = readInclude(call.query)
  let first = true
  return (object) => {
    const options = { apiVersion: form.apiVersion, include, now: service.core.clock.now() }
    const text = objectTable(call.served, object, options, first)
    first = false
    return text
  }
}

/** Writes lines to a client, and closes the connection if the client does not read them. */
const createLineWriter = (
  response: ServerResponse,
  limits: WatchLimits,
  realClock: Clock,
  initial: string,
) => {
  // The initial events may exceed the backlog limit.
  const limit = limits.backlogBytes + Buffer.byteLength(initial)
  let stallTimer: Timer | undefined
  response.on('drain', () => {
    stallTimer?.cancel()
    stallTimer = undefined
  })
  response.on('close', () => stallTimer?.cancel())
  const write = (text: string): void => {
    if (response.destroyed || response.writableEnded) return
    if (!response.write(text)) stallTimer ??= realClock.after(limits.stalledMs, () => response.destroy())
    if (response.writableLength > limit) response.destroy()
  }
  if (initial !== '') write(initial)
  return write
}

export const serveWatch = (
  service: ApiService,
  call: ApiCall,
  response: ServerResponse,
  { form, limits, realClock }: WatchServerOptions,
): void => {
  const encode = createEncoder(service, call, form)
  const bufferedLines: string[] = []
  let write = (line: string): void => {
    bufferedLines.push(line)
  }
  let ended = false
  // Frames are buffered until the headers are written, so that invalid options can still be answered with an error.
  const stop = service.watchAdmitted(call, {
    frame: (frame) => write(frameJson(call.served, frame, encode)),
    end: () => {
      ended = true
      if (response.headersSent) response.end()
    },
  })
  response.on('close', stop)
  response.writeHead(200, { 'Cache-Control': 'no-cache, private', 'Content-Type': 'application/json' })
  response.flushHeaders()
  write = createLineWriter(response, limits, realClock, bufferedLines.join(''))
  if (ended) response.end()
}
