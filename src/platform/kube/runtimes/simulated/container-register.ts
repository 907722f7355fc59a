/** The simulated containers of a node, by pod and name and by id. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import type { Stored } from '#platform/kube/meta'
import type { SimulatedContainer } from './simulated-container.ts'

/** The current and the previous instance of one container. */
interface Instances {
  current: SimulatedContainer
  previous?: SimulatedContainer | undefined
}

export interface ContainerRegister {
  openPod(uid: string): void
  forgetPod(uid: string): void
  add(uid: string, name: string, container: SimulatedContainer): void
  /** The running containers of the pod, by name. */
  runningIn(uid: string): [name: string, container: SimulatedContainer][]
  /** The running container with this id. */
  byId(id: string): SimulatedContainer | undefined
  /** Throws if the pod has no such container. */
  instancesOf(pod: Stored<Pod>, name: string): Instances
  /** Throws if the container is not running. */
  runningOf(pod: Stored<Pod>, name: string): SimulatedContainer
}

export const createContainerRegister = (): ContainerRegister => {
  const pods = new Map<string, Map<string, Instances>>()
  const running = new Map<string, SimulatedContainer>()

  const instancesOf = (pod: Stored<Pod>, name: string): Instances => {
    const instances = pods.get(pod.metadata.uid)?.get(name)
    if (instances === undefined)
      throw new Error(`container "${name}" in pod "${pod.metadata.name}" is not available`)
    return instances
  }

  return {
    openPod: (uid) => {
      pods.set(uid, new Map())
    },
    forgetPod: (uid) => {
      pods.delete(uid)
    },
    add(uid, name, current) {
      const { id } = current.identity
      const containers = pods.get(uid)
      containers?.set(name, { current, previous: containers.get(name)?.current })
      running.set(id, current)
      current.onEnd(() => running.delete(id))
    },
    runningIn: (uid) =>
      [...(pods.get(uid) ?? [])]
        .filter(([, { current }]) => current.isRunning)
        .map(([name, { current }]) => [name, current]),
    byId: (id) => running.get(id),
    instancesOf,
    runningOf(pod, name) {
      const { current } = instancesOf(pod, name)
      if (!current.isRunning) throw new Error(`container not found ("${name}")`)
      return current
    },
  }
}
