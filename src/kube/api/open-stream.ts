/** exec, attach and port-forward: from the upgrade request to the runtime of the pod's node. */

import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import type { Clock } from '../../kit/index.ts'
import { badRequest, type Stored } from '../meta/index.ts'
import type { ContainerRuntime, NodeDirectory } from '../ports/index.ts'
import type { Core } from '../resources/index.ts'
import { servePortForward, serveRemoteCommand, type Upgrade } from '../streams/index.ts'
import { type ApiCall, isTrue } from './api-call.ts'
import type { OpenStream } from './api-service.ts'
import { checkRunning, chooseContainer, findPod, runtimeOf } from './pod-container.ts'

const commandStream = (
  runtime: ContainerRuntime,
  pod: Stored<Pod>,
  clock: Clock,
  { query, subresource }: ApiCall,
  upgrade: Upgrade,
): Promise<void> => {
  const container = chooseContainer(pod, query.get('container'), true)
  checkRunning(pod, container)
  const options = {
    stdin: isTrue(query.get('stdin')),
    stdout: isTrue(query.get('stdout')),
    stderr: isTrue(query.get('stderr')),
    tty: isTrue(query.get('tty')),
    command: query.getAll('command'),
    clock,
  }
  if (!options.stdin && !options.stdout && !options.stderr) {
    throw badRequest('you must specify at least 1 of stdin, stdout, stderr')
  }
  if (subresource === 'attach') {
    return serveRemoteCommand(upgrade, options, (streams) => runtime.attach(pod, container, streams))
  }
  const { command } = options
  if (command.length === 0) throw badRequest('you must specify a command for the container')
  return serveRemoteCommand(upgrade, options, (streams) =>
    runtime.exec(pod, container, { ...streams, command }),
  )
}

const forwardingStream = (
  runtime: ContainerRuntime,
  pod: Stored<Pod>,
  clock: Clock,
  upgrade: Upgrade,
): Promise<void> => {
  const sandbox = pod.metadata.uid
  const options = { clock, sandbox, networkNamespace: `/var/run/netns/${sandbox}` }
  return servePortForward(upgrade, options, (port) => runtime.connect(pod, port))
}

/** Throws ApiError while the request can still be refused; afterwards errors travel inside the connection. */
export const openStream = (
  core: Core,
  nodes: NodeDirectory,
  clock: Clock,
  call: ApiCall,
  upgrade: Upgrade,
): OpenStream<void> => {
  const pod = findPod(core, call.namespace, call.name)
  const runtime = runtimeOf(nodes, pod)
  const ended =
    call.subresource === 'portforward'
      ? forwardingStream(runtime, pod, clock, upgrade)
      : commandStream(runtime, pod, clock, call, upgrade)
  // The handshake is over by now; where the two speak no common protocol it has ended the connection.
  return { code: upgrade.socket.writableEnded ? 403 : 101, ended }
}
