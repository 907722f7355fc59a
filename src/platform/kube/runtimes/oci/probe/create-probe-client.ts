/** The connections and commands of probes on this machine. */
import type { Socket } from 'node:net'
import type { ProbeClient } from '#platform/kube/containers'
import type { PodNetwork } from '#platform/kube/ports'
import { checkHealthOverSocket } from './check-health-over-socket.ts'
import { getOverSocket } from './get-over-socket.ts'
import { type ProbeCommandOptions, runProbeCommand } from './run-probe-command.ts'

export interface ProbeClientOptions extends ProbeCommandOptions {
  readonly network: PodNetwork
  /** The node of the pod. */
  readonly nodeName: string
}

export const createProbeClient = (options: ProbeClientOptions): ProbeClient<Socket> => ({
  async connect({ host, port }, signal) {
    const socket = await options.network.connectFromNode(options.nodeName, host, port, signal)
    socket.on('error', () => {})
    return socket
  },
  close: (socket) => void socket.destroy(),
  get: getOverSocket,
  checkHealth: checkHealthOverSocket,
  exec: (command, signal) => runProbeCommand(options, command, signal),
})
