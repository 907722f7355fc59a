/** `kubectl logs`: the output of a container, past and to come. */
import type { ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import { pods } from '../kinds/index.ts'
import { badRequest, notFound, type Stored } from '../meta/index.ts'
import type { ContainerRuntime, LogOptions, NodeDirectory } from '../ports/index.ts'
import type { Core } from '../resources/index.ts'
import { isTrue } from './api-call.ts'

const containersOf = (pod: Stored<Pod>): { name: string }[] => [
  ...pod.spec.containers,
  ...(pod.spec.initContainers ?? []),
  ...(pod.spec.ephemeralContainers ?? []),
]

export const findPod = (core: Core, namespace: string, name: string): Stored<Pod> => {
  const pod = core.store.get(pods.id, namespace, name) as Stored<Pod> | undefined
  if (pod === undefined) throw notFound(pods, name)
  return pod
}

/** The container a request means: the one it names, the one marked as default, or the only one. */
export const chooseContainer = (pod: Stored<Pod>, asked: string | null, fallsBack: boolean): string => {
  const { name } = pod.metadata
  if (asked) {
    if (containersOf(pod).some((container) => container.name === asked)) return asked
    throw badRequest(`container ${asked} is not valid for pod ${name}`)
  }
  const marked = pod.metadata.annotations?.['kubectl.kubernetes.io/default-container']
  if (marked !== undefined && containersOf(pod).some((container) => container.name === marked)) return marked
  const [first, second] = pod.spec.containers
  if (first === undefined) throw badRequest(`pod ${name} has no containers`)
  if (second === undefined || fallsBack) return first.name
  const names = pod.spec.containers.map((container) => container.name).join(' ')
  const init = (pod.spec.initContainers ?? []).map((container) => container.name).join(' ')
  const inits = init === '' ? '' : ` or one of the init containers: [${init}]`
  throw badRequest(`a container name must be specified for pod ${name}, choose one of: [${names}]${inits}`)
}

/** The runtime of the node on which the pod is. */
export const runtimeOf = (nodes: NodeDirectory, pod: Stored<Pod>): ContainerRuntime => {
  const node = pod.spec.nodeName
  if (node === undefined || node === '')
    throw badRequest(`pod ${pod.metadata.name} does not have a host assigned`)
  const runtime = nodes.runtimeOf(node)
  if (runtime === undefined) throw badRequest(`node ${node} does not answer`)
  return runtime
}

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

export const readLogOptions = (query: URLSearchParams, now: number): LogOptions => {
  const tailLines = wholeNumber(query, 'tailLines', 0)
  const limitBytes = wholeNumber(query, 'limitBytes', 1)
  const sinceSeconds = wholeNumber(query, 'sinceSeconds', 1)
  const sinceTime = query.get('sinceTime')
  const since =
    sinceSeconds === undefined ? (sinceTime ? Date.parse(sinceTime) : undefined) : now - sinceSeconds * 1000
  return {
    previous: isTrue(query.get('previous')),
    follow: isTrue(query.get('follow')),
    timestamps: isTrue(query.get('timestamps')),
    ...(tailLines === undefined ? {} : { tailLines }),
    ...(limitBytes === undefined ? {} : { limitBytes }),
    ...(since === undefined || Number.isNaN(since) ? {} : { sinceTime: since }),
  }
}

/** Why a container has no log (yet), in the words of the kubelet. */
export const checkStarted = (pod: Stored<Pod>, container: string, previous: boolean): void => {
  const status = [
    ...(pod.status.containerStatuses ?? []),
    ...(pod.status.initContainerStatuses ?? []),
    ...(pod.status.ephemeralContainerStatuses ?? []),
  ].find((one) => one.name === container)
  const { name } = pod.metadata
  if (previous) {
    if (status?.lastState?.terminated === undefined)
      throw badRequest(`previous terminated container "${container}" in pod "${name}" not found`)
    return
  }
  if (status === undefined) throw badRequest(`container "${container}" in pod "${name}" is not available`)
  const waiting = status.state?.waiting
  if (waiting === undefined || status.lastState?.terminated !== undefined) return
  const reason = waiting.reason ?? 'ContainerCreating'
  const detail = ['ErrImagePull', 'ImagePullBackOff', 'ErrImageNeverPull', 'InvalidImageName'].includes(
    reason,
  )
    ? 'trying and failing to pull image'
    : reason
  throw badRequest(`container "${container}" in pod "${name}" is waiting to start: ${detail}`)
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
