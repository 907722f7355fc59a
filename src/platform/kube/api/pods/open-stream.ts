/** Opens exec, attach and port-forward streams to the runtime of the pod's node. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import type { Clock } from '#kit'
import { badRequest, type Stored } from '#platform/kube/meta'
import type { ContainerRuntime, NodeDirectory } from '#platform/kube/ports'
import type { Core } from '#platform/kube/resources'
import { servePortForward, serveRemoteCommand, type Upgrade } from '#platform/kube/streams'
import type { OpenStream } from '../api-service.ts'
import { type ApiCall, isTrue } from '../request/api-call.ts'
import { checkRunning, chooseContainer, findPod, runtimeOf } from './pod-container.ts'

export interface StreamEnvironment {
  core: Core
  nodes: NodeDirectory
  /** Real time. */
  clock: Clock
}

interface PodTarget {
  runtime: ContainerRuntime
  pod: Stored<Pod>
  clock: Clock
}

const openCommand = (
  { runtime, pod, clock }: PodTarget,
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

const openForwarding = ({ runtime, pod, clock }: PodTarget, upgrade: Upgrade): Promise<void> => {
  const sandbox = pod.metadata.uid
  const options = { clock, sandbox, networkNamespace: `/var/run/netns/${sandbox}` }
  return servePortForward(upgrade, options, (port) => runtime.connect(pod, port))
}

/** Throws ApiError before the handshake; later errors are sent inside the connection. */
export const openStream = (
  { core, nodes, clock }: StreamEnvironment,
  call: ApiCall,
  upgrade: Upgrade,
): OpenStream<void> => {
  const pod = findPod(core, call.namespace, call.name)
  const target = { runtime: runtimeOf(nodes, pod), pod, clock }
  const ended =
    call.subresource === 'portforward' ? openForwarding(target, upgrade) : openCommand(target, call, upgrade)
  // The handshake is complete here; without a common protocol it has ended the connection.
  return { code: upgrade.socket.writableEnded ? 403 : 101, ended }
}
