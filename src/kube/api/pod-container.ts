/** Which pod, container and runtime a request for logs or a stream means, and whether it can be served yet. */
import type { ContainerStatus, Pod } from 'kubernetes-types/core/v1.d.ts'
import { pods } from '../kinds/index.ts'
import { ApiError, badRequest, notFound, type Stored } from '../meta/index.ts'
import type { ContainerRuntime, NodeDirectory } from '../ports/index.ts'
import type { Core } from '../resources/index.ts'

const containersOf = (pod: Stored<Pod>): { name: string }[] => [
  ...pod.spec.containers,
  ...(pod.spec.initContainers ?? []),
  ...(pod.spec.ephemeralContainers ?? []),
]

/** What the kubelet says of a container, of whichever sort it is. */
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

/** Why a container has no log (yet), in the words of the kubelet. */
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

/** Why nothing can be run in a container, or joined to it. */
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
