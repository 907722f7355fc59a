/** The pods of one simulated node: creates and removes their volumes, addresses and networks. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import { createAddressPool, type PodVolumes, type Sandbox, type Stored } from '#platform/kube/simulated'
import type { NodePod } from './containers/node-pod.ts'
import type { ProgramContainer } from './containers/program-container.ts'
import type { ProgramRuntimeOptions } from './program-runtime-options.ts'
import type { SimPod } from './sim-pods.ts'
import { setUpVolumes } from './volumes/pod-volumes.ts'

export const createNodePods = (options: ProgramRuntimeOptions, newId: () => string) => {
  const { random, nodeName, podCIDR, network, disks, pods } = options
  const addresses = createAddressPool(podCIDR, random.fork(`addresses of ${nodeName}`))
  const nodePods = new Map<string, NodePod>()

  const remove = (uid: string): void => {
    const nodePod = nodePods.get(uid)
    if (nodePod === undefined) return
    pods.remove(uid)
    for (const container of [...nodePod.running]) container.kill()
    nodePod.sim.network.detach()
    nodePods.delete(uid)
    if (nodePod.pod.spec.hostNetwork !== true) addresses.release(nodePod.sandbox.ip)
  }

  const attach = (pod: Stored<Pod>): SimPod['network'] => {
    if (pod.spec.hostNetwork === true) return network().attachPod(pod, { ip: '', node: nodeName })
    const ip = addresses.allocate()
    try {
      return network().attachPod(pod, { ip, node: nodeName })
    } catch (error) {
      addresses.release(ip)
      throw error
    }
  }

  const create = (pod: Stored<Pod>, volumes: PodVolumes): Sandbox => {
    const { uid, name, namespace = 'default' } = pod.metadata
    // A restarted kubelet does not know the pods that its predecessor created.
    remove(uid)
    const ready = setUpVolumes({ disks, nodeName, pod, volumes })
    const model = attach(pod)
    const running = new Set<ProgramContainer>()
    const sim: SimPod = {
      uid,
      namespace,
      name: name!,
      node: nodeName,
      ip: model.ip,
      network: model,
      containers: () => [...running],
    }
    const sandbox = { id: newId(), ip: model.ip }
    nodePods.set(uid, { pod, sandbox, sim, volumes: ready, running })
    pods.add(sim)
    return sandbox
  }

  return {
    create,
    remove,
    find: (uid: string) => nodePods.get(uid),
    bySandbox: ({ id }: Sandbox) => [...nodePods.values()].find(({ sandbox }) => sandbox.id === id),
  }
}

export type NodePods = ReturnType<typeof createNodePods>
