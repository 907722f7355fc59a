/** Resolves the pod, container and runtime of a request for logs or a stream. */
import type { ContainerStatus, Pod } from 'kubernetes-types/core/v1.d.ts'
import { pods } from '#platform/kube/kinds'
import { ApiError, badRequest, notFound, type Stored } from '#platform/kube/meta'
import type { ContainerRuntime, NodeDirectory } from '#platform/kube/ports'
import type { Core } from '#platform/kube/resources'

const containersOf = (pod: Stored<Pod>): { name: string }[] => [
  ...pod.spec.containers,
  ...(pod.spec.initContainers ?? []),
  ...(pod.spec.ephemeralContainers ?? []),
]

/** The status of a container, including init and ephemeral containers. */
const statusOf = ({ status }: Stored<Pod>, container: string): ContainerStatus | undefined =>
  [
    ...(status.containerStatuses ?? []),
    ...(status.initContainerStatuses ?? []),
    ...(status.ephemeralContainerStatuses ?? []),
  ].find(({ name }) => name === container)

export const findPod = (core: Core, namespace: string, name: string): Stored<Pod> => {
  const pod = core.store.get(pods.id, namespace, name) as Stored<Pod> | undefined
  if (pod === undefined) throw notFound(pods, name)
  return pod
}

/**
 * Returns the requested container, the one annotated as default, or the only one. If there are several, returns
 * the first one if `fallsBack` is true, and throws otherwise.
 */
export const chooseContainer = (pod: Stored<Pod>, requested: string | null, fallsBack: boolean): string => {
  const { name } = pod.metadata
  if (requested) {
    if (containersOf(pod).some((container) => container.name === requested)) return requested
    throw badRequest(`container ${requested} is not valid for pod ${name}`)
  }
  const annotated = pod.metadata.annotations?.['kubectl.kubernetes.io/default-container']
  if (annotated !== undefined && containersOf(pod).some((container) => container.name === annotated))
    return annotated
  const [first, second] = pod.spec.containers
  if (first === undefined) throw badRequest(`pod ${name} has no containers`)
  if (second === undefined || fallsBack) return first.name
  const names = pod.spec.containers.map((container) => container.name).join(' ')
  const init = (pod.spec.initContainers ?? []).map((container) => container.name).join(' ')
  const initHint = init === '' ? '' : ` or one of the init containers: [${init}]`
  throw badRequest(`a container name must be specified for pod ${name}, choose one of: [${names}]${initHint}`)
}

/** The runtime of the pod's node; throws BadRequest if the pod has no node or the node has no runtime. */
export const runtimeOf = (nodes: NodeDirectory, pod: Stored<Pod>): ContainerRuntime => {
  const node = pod.spec.nodeName
  if (node === undefined || node === '')
    throw badRequest(`pod ${pod.metadata.name} does not have a host assigned`)
  const runtime = nodes.runtimeOf(node)
  if (runtime === undefined) throw badRequest(`node ${node} does not answer`)
  return runtime
}

/** Throws the message of the kubelet if the container has no log yet. */
export const checkStarted = (pod: Stored<Pod>, container: string, previous: boolean): void => {
  const status = statusOf(pod, container)
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

/** Throws if the container is not running. */
export const checkRunning = (pod: Stored<Pod>, container: string): void => {
  const { name, namespace } = pod.metadata
  if (pod.status.phase === 'Succeeded' || pod.status.phase === 'Failed') {
    throw badRequest(`cannot exec into a container in a completed pod; current phase is ${pod.status.phase}`)
  }
  if (statusOf(pod, container)?.state?.running === undefined) {
    throw new ApiError(
      500,
      'InternalError',
      `Internal error occurred: unable to upgrade connection: container not found ("${container}")`,
      {
        causes: [{ message: `container ${container} of ${namespace}/${name} does not run` }],
      },
    )
  }
}
