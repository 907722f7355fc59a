/** A watch over HTTP: one line of JSON an event, for as long as the client listens. */
import type { ServerResponse } from 'node:http'
import type { KubeObject } from '../meta/index.ts'
import type { ApiCall } from './api-call.ts'
import type { ApiService } from './api-service.ts'
import { frameJson, metadataJson, objectJson } from './encode.ts'
import type { Form } from './negotiate.ts'
import { objectTable, readInclude } from './table.ts'
import type { WatchFrame } from './watch-changes.ts'

/** A client that lets this much pile up has stopped reading: it is cut off, and may list again. */
const BACKLOG_LIMIT = 4 * 1024 * 1024

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

export const serveWatch = (
  service: ApiService,
  call: ApiCall,
  form: Form,
  response: ServerResponse,
): void => {
  const encode = encoderOf(service, call, form)
  let stop = (): void => {}
  const early: string[] = []
  let open = false
  const stopAndDestroy = (): void => {
    stop()
    response.destroy()
  }
  const send = (line: string): void => {
    if (!open) {
      early.push(line)
      return
    }
    if (response.destroyed) return
    response.write(line)
    if (response.writableLength > BACKLOG_LIMIT) stopAndDestroy()
  }
  let ended = false
  // Selectors and versions are checked before the first byte, so that a refusal is still a proper answer.
  stop = service.watch(call, {
    frame: (frame: WatchFrame) => send(frameJson(call.served, frame, encode)),
    end: () => {
      ended = true
      if (open) response.end()
    },
  })
  open = true
  response.on('close', () => stop())
  response.on('error', () => stop())
  response.writeHead(200, { 'Cache-Control': 'no-cache, private', 'Content-Type': 'application/json' })
  response.flushHeaders()
  if (early.length > 0) send(early.join(''))
  if (ended) response.end()
}
