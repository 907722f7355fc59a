/** A network for tests: every pod has a namespace of its own, with nothing in it but its loopback. */

import type { Clock } from '../../../../kit/index.ts'
import {
  connectInside,
  createNetworkNamespace,
  type NetworkNamespace,
  runChecked,
} from '../../../../linux/index.ts'
import type { PodNetwork } from '../../../ports/index.ts'

export interface LoopbackNetwork extends PodNetwork {
  /** Of how many pods it holds the namespace. */
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
      throw new Error('there is no way from the node to a pod here')
    },
  }
}
