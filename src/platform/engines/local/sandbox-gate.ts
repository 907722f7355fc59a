/**
 * The API server's listener for sandboxes of agents. It is in a network namespace of its own, which only this process
 * can enter, so that no other program can use the credentials of agents.
 */
import type { Socket } from 'node:net'
import {
  connectInside,
  createNetworkNamespace,
  LOOPBACK,
  listenInside,
  openRouteSocket,
} from '#machine/linux'
import type { ListeningCluster } from '#platform/kube'

const ADDRESS = '127.0.0.1'

export interface SandboxGate {
  connect(): Promise<Socket>
  close(): void
}

export const openSandboxGate = async (
  server: Pick<ListeningCluster, 'port' | 'serveSandboxesOn'>,
): Promise<SandboxGate> => {
  const namespace = createNetworkNamespace()
  try {
    const routes = openRouteSocket(namespace)
    try {
      routes.setUp(LOOPBACK)
    } finally {
      routes.close()
    }
    await server.serveSandboxesOn(listenInside(namespace, ADDRESS, server.port))
    return { connect: () => connectInside(namespace, ADDRESS, server.port), close: () => namespace.close() }
  } catch (error) {
    namespace.close()
    throw error
  }
}
