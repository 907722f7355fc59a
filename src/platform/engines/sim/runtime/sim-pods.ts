/** The pods that run on a simulated cluster, for faults, telemetry and the engine. */
import type { ContainerResources } from '#platform/engines/sim/hosts'
import type { PodNetworkModel } from '#platform/engines/sim/network'
import type { ProgramProcess, ProgramSettings } from '#spec'

/** A process of a container, as the kernel of its node sees it. */
export interface SimProcess extends ProgramProcess {
  /** By the clock of the cluster. */
  readonly startedAt: number
  /** Whether exec or a probe started it. A process whose parent has ended belongs to the main process. */
  readonly isFromExec: boolean
  /** Whether it is outside the session of the main process. */
  readonly isStray: boolean
  readonly isStopped: boolean
  readonly settings: ProgramSettings
}

/** A complete line, or a part of a line that is longer than a log line can be. */
export interface SimLogLine {
  /** Milliseconds since the epoch by the clock of the cluster. Never decreases within a log. */
  readonly at: number
  readonly stream: 'stdout' | 'stderr'
  /** Without the line break. */
  readonly text: string
  /** Whether the line continues with the next entry of its stream. */
  readonly isPartial: boolean
}

/** One run of a container. A restart creates another one. */
export interface SimContainer {
  /** 64 hexadecimal digits, without `containerd://`. */
  readonly id: string
  readonly name: string
  /** The full name of its image. */
  readonly image: string
  readonly pod: SimPod
  readonly resources: ContainerResources
  /** By the clock of the cluster. */
  readonly startedAt: number
  readonly isRunning: boolean
  /** In the order of their start. Without those of faults, which `resources.stress.processes` lists. */
  processes(): readonly SimProcess[]
  /** Whether the image has a program at this absolute path. */
  hasProgram(path: string): boolean
  /** Whether the main process listens on the port. */
  isListening(port: number): boolean
  /** Kills the main process, and with it the container. */
  kill(): void
  /** Calls the listener at once for each line of the log so far, and then for each new line. Returns a function that stops it. */
  followLog(listener: (line: SimLogLine) => void): () => void
}

export interface SimPod {
  readonly uid: string
  readonly namespace: string
  readonly name: string
  /** The name of its node. */
  readonly node: string
  readonly ip: string
  readonly network: PodNetworkModel
  /** The running containers, in the order of their start. */
  containers(): readonly SimContainer[]
}

export interface SimPods {
  /** Returns undefined for a pod without a sandbox. */
  find(uid: string): SimPod | undefined
  all(): readonly SimPod[]
  /** Calls the listener before the program of a container runs. Returns a function that removes the listener. */
  onContainerStart(listener: (container: SimContainer) => void): () => void
  /** Calls the listener before the containers and the network of a pod are removed. */
  onRemoval(listener: (uid: string) => void): () => void
}

/** The side of the runtimes, which report what happens on their nodes. */
export interface SimPodRegistry extends SimPods {
  add(pod: SimPod): void
  /** Reports a container whose program starts now. */
  start(container: SimContainer): void
  /** Reports that the pod is being removed. */
  remove(uid: string): void
}

const createListeners = <T>() => {
  const listeners = new Set<(value: T) => void>()
  return {
    add(listener: (value: T) => void): () => void {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    notify(value: T): void {
      for (const listener of listeners) listener(value)
    },
  }
}

/** All nodes of a cluster share one registry. */
export const createSimPods = (): SimPodRegistry => {
  const pods = new Map<string, SimPod>()
  const starts = createListeners<SimContainer>()
  const removals = createListeners<string>()
  return {
    find: (uid) => pods.get(uid),
    all: () => [...pods.values()],
    onContainerStart: starts.add,
    onRemoval: removals.add,
    add: (pod) => void pods.set(pod.uid, pod),
    start: starts.notify,
    remove(uid) {
      if (!pods.has(uid)) return
      removals.notify(uid)
      pods.delete(uid)
    },
  }
}
