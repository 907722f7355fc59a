/** Serves the log of a container, as for `kubectl logs`. */
import type { ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { defined } from '#kit'
import { badRequest } from '#platform/kube/meta'
import type { LogOptions, NodeDirectory } from '#platform/kube/ports'
import type { Core } from '#platform/kube/resources'
import { DecodeFailure, readGoTime } from '#platform/kube/schema'
import { isTrue } from '../request/api-call.ts'
import { checkStarted, chooseContainer, findPod, runtimeOf } from './pod-container.ts'

const readWholeNumber = (query: URLSearchParams, field: string, min: number): number | undefined => {
  const text = query.get(field)
  if (text === null || text === '') return undefined
  const value = Number(text)
  if (!Number.isInteger(value) || value < min) {
    throw badRequest(
      `PodLogOptions "" is invalid: ${field}: Invalid value: ${text}: must be greater than or equal to ${min}`,
    )
  }
  return value
}

/** Old clients send `null` for an unset time. */
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
  const tailLines = readWholeNumber(query, 'tailLines', 0)
  const limitBytes = readWholeNumber(query, 'limitBytes', 1)
  const sinceSeconds = readWholeNumber(query, 'sinceSeconds', 1)
  const sinceTime = readTime(query.get('sinceTime'))
  const since = sinceSeconds === undefined ? sinceTime : now - sinceSeconds * 1000
  return {
    previous: isTrue(query.get('previous')),
    follow: isTrue(query.get('follow')),
    timestamps: isTrue(query.get('timestamps')),
    ...defined({ tailLines, limitBytes, sinceTime: since }),
  }
}

export const serveLog = async (
  core: Core,
  nodes: NodeDirectory,
  { namespace, name, query }: { namespace: string; name: string; query: URLSearchParams },
  response: ServerResponse,
): Promise<void> => {
  const pod = findPod(core, namespace, name)
  const container = chooseContainer(pod, query.get('container'), false)
  const runtime = runtimeOf(nodes, pod)
  const options = readLogOptions(query, core.clock.now())
  checkStarted(pod, container, options.previous)
  const log = await runtime.logs(pod, container, options)
  response.writeHead(200, { 'Cache-Control': 'no-cache, private', 'Content-Type': 'text/plain' })
  response.flushHeaders()
  // The pipeline fails if the client disconnects, which is not an error.
  await pipeline(log, response).catch(() => {})
}
