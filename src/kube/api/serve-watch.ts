/** A watch over HTTP: one line of JSON an event, for as long as the client listens. */
import type { ServerResponse } from 'node:http'
import type { Clock, Timer } from '../../kit/index.ts'
import type { KubeObject } from '../meta/index.ts'
import type { ApiCall } from './api-call.ts'
import type { ApiService } from './api-service.ts'
import { frameJson, metadataJson, objectJson } from './encode.ts'
import type { Form } from './negotiate.ts'
import { objectTable, readInclude } from './table.ts'

export interface WatchLimits {
  /** A client that lets more bytes than this pile up has stopped reading: it is cut off, and may list again. */
  backlogBytes: number
  /** So is one that takes nothing for this many milliseconds of real time. */
  stalledMs: number
}

const encoderOf = (service: ApiService, call: ApiCall, form: Form): ((object: KubeObject) => string) => {
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

/** Writes lines to a client and gives up on one that does not take them. */
const lineWriter = (response: ServerResponse, limits: WatchLimits, realClock: Clock, first: string) => {
  // What was there from the beginning may be more than any backlog, and is no fault of the client's.
  const limit = limits.backlogBytes + Buffer.byteLength(first)
  let stalled: Timer | undefined
  response.on('drain', () => {
    stalled?.cancel()
    stalled = undefined
  })
  response.on('close', () => stalled?.cancel())
  const write = (text: string): void => {
    if (response.destroyed || response.writableEnded) return
    if (!response.write(text)) stalled ??= realClock.after(limits.stalledMs, () => response.destroy())
    if (response.writableLength > limit) response.destroy()
  }
  if (first !== '') write(first)
  return write
}

export const serveWatch = (
  service: ApiService,
  call: ApiCall,
  form: Form,
  response: ServerResponse,
  { limits, realClock }: { limits: WatchLimits; realClock: Clock },
): void => {
  const encode = encoderOf(service, call, form)
  const early: string[] = []
  let write = (line: string): void => {
    early.push(line)
  }
  let ended = false
  // Selectors and versions are checked before the first byte, so that a refusal is still a proper answer.
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
  write = lineWriter(response, limits, realClock, early.join(''))
  if (ended) response.end()
}
