/** A container runtime without processes: containers are models driven by the clock. */
import type { Clock, Random } from '#kit'
import { createAddressPool } from '#platform/kube/connectivity'
import { CONTAINER_EXITED, replyLater, rpcError } from '#platform/kube/containers'
import { fullImageName, imageIdOf } from '#platform/kube/meta'
import { type ContainerRuntime, ContainerStartError } from '#platform/kube/ports'
import { answerProbe } from './answer-probe.ts'
import { createContainerAccess } from './container-access.ts'
import type { ImageModel } from './container-model.ts'
import { createContainerRegister } from './container-register.ts'
import { createImageStore } from './image-store.ts'
import { createSimulatedContainer, type SimulatedContainer } from './simulated-container.ts'

export interface SimulatedRuntimeOptions {
  clock: Clock
  random: Random
  /** The N in the range of the pod addresses, 10.244.N.0/24. */
  nodeIndex: number
  /** The registry; by default every image exists and runs indefinitely. */
  images?: (image: string) => ImageModel | undefined
}

const DEFAULT_IMAGE: ImageModel = {}
const DEFAULT_PULL_MS = 800
const DEFAULT_START_MS = 100
const SANDBOX_MS = 50

export const createSimulatedRuntime = (options: SimulatedRuntimeOptions): ContainerRuntime => {
  const { clock, random, nodeIndex, images: catalogue = () => DEFAULT_IMAGE } = options
  const addresses = createAddressPool(`10.244.${nodeIndex}.0/24`)
  const images = createImageStore(catalogue)
  const containers = createContainerRegister()

  const newId = (): string => `${random.uuid()}${random.uuid()}`.replaceAll('-', '')

  return {
    name: 'containerd',
    version: '1.7.24',
    hasImage: images.has,
    images: images.all,

    pullImage(image, reply) {
      const model = catalogue(image)
      replyLater(clock, model?.pullMs ?? DEFAULT_PULL_MS, reply, () => images.pull(image, model))
    },

    createSandbox(pod, _volumes, reply) {
      replyLater(clock, SANDBOX_MS, reply, () => {
        const ip = addresses.allocate()
        containers.openPod(pod.metadata.uid)
        return { id: newId(), ip }
      })
    },

    // Simulated volumes have no files.
    refreshVolumes: (_sandbox, _files, reply) => replyLater(clock, 0, reply, () => undefined),
    removeSandbox: (sandbox, reply) => replyLater(clock, 0, reply, () => addresses.release(sandbox.ip)),
    forgetPod: containers.forgetPod,

    startContainer(start, reply) {
      const { pod, container } = start
      const image = container.image ?? ''
      let created: SimulatedContainer | undefined
      const program = catalogue(image)?.run?.(start, { exit: (exit) => created?.exit(exit) }) ?? {}
      const identity = {
        id: `containerd://${newId()}`,
        image: fullImageName(image),
        imageId: imageIdOf(image),
      }
      replyLater(clock, program.startMs ?? DEFAULT_START_MS, reply, () => {
        if (program.startError !== undefined)
          throw new ContainerStartError(program.startError, 'start', identity)
        created = createSimulatedContainer(start, program, identity, clock)
        containers.add(pod.metadata.uid, container.name, created)
        return identity
      })
    },

    stopContainer: (id, graceMs) => containers.byId(id)?.stop(graceMs),

    probe(_pod, _container, containerId, probe, reply) {
      const target = containers.byId(containerId)
      replyLater(clock, Math.min(target?.model.probeMs ?? 0, probe.timeoutMs), reply, () => {
        if (target?.isRunning !== true) throw rpcError(CONTAINER_EXITED)
        return answerProbe(target, probe)
      })
    },

    diskUsage: (_pod, reply) => replyLater(clock, 0, reply, () => ({ volumes: {}, containers: {} })),

    ...createContainerAccess(containers, clock),
  }
}
