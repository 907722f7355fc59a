/** `kubectl logs`: the output of a container, past and to come. */
import type { ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { badRequest } from '../meta/index.ts'
import type { LogOptions, NodeDirectory } from '../ports/index.ts'
import type { Core } from '../resources/index.ts'
import { DecodeFailure, readGoTime } from '../schema/index.ts'
import { isTrue } from './api-call.ts'
import { checkStarted, chooseContainer, findPod, runtimeOf } from './pod-container.ts'

const wholeNumber = (query: URLSearchParams, field: string, least: number): number | undefined => {
  const text = query.get(field)
  if (text === null || text === '') return undefined
  const value = Number(text)
  if (!Number.isInteger(value) || value < least) {
    throw badRequest(
      `PodLogOptions "" is invalid: ${field}: Invalid value: ${text}: must be greater than or equal to ${least}`,
    )
  }
  return value
}

/** Old clients write `null` for no time at all. */
const readTime = (text: string | null): number | undefined => {
  if (text === null || text === '' || text === 'null') return undefined
  try {
    readGoTime(text, false)
  } catch (error) {
    throw error instanceof DecodeFailure ? badRequest(error.message) : error
  }
  return Date.parse(text.replace(',', '.'))
}

export const readLogOptions = (query: URLSearchParams, now: number): LogOptions => {
  const tailLines = wholeNumber(query, 'tailLines', 0)
  const limitBytes = wholeNumber(query, 'limitBytes', 1)
  const sinceSeconds = wholeNumber(query, 'sinceSeconds', 1)
  const sinceTime = readTime(query.get('sinceTime'))
  const since = sinceSeconds === undefined ? sinceTime : now - sinceSeconds * 1000
  return {
    previous: isTrue(query.get('previous')),
    follow: isTrue(query.get('follow')),
    timestamps: isTrue(query.get('timestamps')),
    ...(tailLines === undefined ? {} : { tailLines }),
    ...(limitBytes === undefined ? {} : { limitBytes }),
    ...(since === undefined ? {} : { sinceTime: since }),
  }
}

export const serveLog = async (
  core: Core,
  nodes: NodeDirectory,
  place: { namespace: string; name: string; query: URLSearchParams },
  response: ServerResponse,
): Promise<void> => {
  const pod = findPod(core, place.namespace, place.name)
  const container = chooseContainer(pod, place.query.get('container'), false)
  const runtime = runtimeOf(nodes, pod)
  const options = readLogOptions(place.query, core.clock.now())
  checkStarted(pod, container, options.previous)
  const log = await runtime.logs(pod, container, options)
  response.writeHead(200, { 'Cache-Control': 'no-cache, private', 'Content-Type': 'text/plain' })
  response.flushHeaders()
  // A client that hangs up ends the stream early, which is no fault of anybody's.
  await pipeline(log, response).catch(() => {})
}
