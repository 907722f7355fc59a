/** exec, attach and port-forward: from the upgrade request to the runtime of the pod's node. */

import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import type { Clock } from '../../kit/index.ts'
import { ApiError, badRequest, type Stored } from '../meta/index.ts'
import type { NodeDirectory } from '../ports/index.ts'
import type { Core } from '../resources/index.ts'
import { servePortForward, serveRemoteCommand, type Upgrade } from '../streams/index.ts'
import { isTrue } from './api-call.ts'
import { chooseContainer, findPod, runtimeOf } from './serve-log.ts'

export interface UpgradePlace {
  namespace: string
  name: string
  subresource: string
  query: URLSearchParams
}

export const checkRunning = (pod: Stored<Pod>, container: string): void => {
  const { name, namespace } = pod.metadata
  if (pod.status.phase === 'Succeeded' || pod.status.phase === 'Failed') {
    throw badRequest(`cannot exec into a container in a completed pod; current phase is ${pod.status.phase}`)
  }
  const status = [...(pod.status.containerStatuses ?? []), ...(pod.status.initContainerStatuses ?? [])].find(
    (one) => one.name === container,
  )
  if (status?.state?.running === undefined) {
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

/** Throws ApiError while the request can still be refused; afterwards errors travel inside the connection. */
export const serveUpgrade = (
  core: Core,
  nodes: NodeDirectory,
  clock: Clock,
  place: UpgradePlace,
  upgrade: Upgrade,
): Promise<void> => {
  const pod = findPod(core, place.namespace, place.name)
  const runtime = runtimeOf(nodes, pod)
  if (place.subresource === 'portforward') {
    const sandbox = pod.metadata.uid
    const options = { clock, sandbox, networkNamespace: `/var/run/netns/${sandbox}` }
    return servePortForward(upgrade, options, (port) => runtime.connect(pod, port))
  }
  const container = chooseContainer(pod, place.query.get('container'), true)
  checkRunning(pod, container)
  const options = {
    stdin: isTrue(place.query.get('stdin')),
    stdout: isTrue(place.query.get('stdout')),
    stderr: isTrue(place.query.get('stderr')),
    tty: isTrue(place.query.get('tty')),
    command: place.query.getAll('command'),
    clock,
  }
  if (!options.stdin && !options.stdout && !options.stderr) {
    throw badRequest('you must specify at least 1 of stdin, stdout, stderr')
  }
  if (place.subresource === 'attach') {
    return serveRemoteCommand(upgrade, options, (streams) => runtime.attach(pod, container, streams))
  }
  const { command } = options
  if (command.length === 0) throw badRequest('you must specify a command for the container')
  return serveRemoteCommand(upgrade, options, (streams) =>
    runtime.exec(pod, container, { ...streams, command }),
  )
}
