/** The modelled containers of a node: by pod and name, with the instance before each, and by identity. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import type { Stored } from '../../meta/index.ts'
import type { SimulatedContainer } from './simulated-container.ts'

/** The instances of one container name: the present one, and the one before it. */
interface Instances {
  current: SimulatedContainer
  previous?: SimulatedContainer | undefined
}

export interface ContainerRegister {
  openPod(uid: string): void
  forgetPod(uid: string): void
  add(uid: string, name: string, container: SimulatedContainer): void
  /** Those of the pod that run, by name. */
  runningIn(uid: string): [name: string, container: SimulatedContainer][]
  /** The container with this identity, while it runs. */
  byId(id: string): SimulatedContainer | undefined
  /** Throws where the pod has no such container. */
  instancesOf(pod: Stored<Pod>, name: string): Instances
  /** Throws where it does not run. */
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
      const mine = pods.get(uid)
      mine?.set(name, { current, previous: mine.get(name)?.current })
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
