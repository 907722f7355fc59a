/** A network for tests in which each pod has a namespace with only a loopback interface. */

import type { Clock } from '#kit'
import { connectInside, createNetworkNamespace, type NetworkNamespace, runChecked } from '#machine/linux'
import type { PodNetwork } from '#platform/kube/ports'

export interface LoopbackNetwork extends PodNetwork {
  /** The number of open namespaces. */
  readonly size: number
}

export const createLoopbackNetwork = (clock: Clock): LoopbackNetwork => {
  const namespaces = new Map<string, NetworkNamespace>()
  return {
    get size() {
      return namespaces.size
    },
    attachPod(pod, _nodeName, reply) {
      const namespace = createNetworkNamespace()
      namespaces.set(pod.metadata.uid, namespace)
      const value = {
        ip: '127.0.0.1',
        namespacePath: namespace.path,
        resolvConf: 'search default.svc.cluster.local\nnameserver 10.96.0.10\noptions ndots:5\n',
      }
      runChecked('ip', ['link', 'set', 'lo', 'up'], { namespace }).then(
        () => reply({ ok: true, value }),
        (error: Error) => reply({ ok: false, error }),
      )
    },
    detachPod(uid, reply) {
      namespaces.get(uid)?.close()
      namespaces.delete(uid)
      clock.defer(() => reply({ ok: true, value: undefined }))
    },
    connectLocal: (uid, port) => connectInside(namespaces.get(uid)!, '127.0.0.1', port),
    connectFromNode() {
      throw new Error('the loopback network has no connections from the node')
    },
  }
}
