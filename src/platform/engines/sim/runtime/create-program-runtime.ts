/** A container runtime whose containers run programs inside the engine, under a clock. */
import type { Random } from '#kit'
import {
  type ContainerRuntime,
  ContainerStartError,
  createImageStore,
  createRunRegister,
  createUsageMeter,
  fullImageName,
  imageIdOf,
  type RunningContainer,
  type RunRegister,
  replyLater,
  type StartContainer,
} from '#platform/kube/simulated'
import { createContainerAccess } from './access/container-access.ts'
import type { ProgramContainer } from './containers/program-container.ts'
import { startProgram } from './containers/start-program.ts'
import { createNodePods, type NodePods } from './create-node-pods.ts'
import type { ProgramImage, ProgramRuntimeOptions } from './program-runtime-options.ts'
import { refreshFiles } from './volumes/pod-volumes.ts'

export interface ProgramRuntime extends ContainerRuntime {
  /** Removes all images of the node except those with one of these full names. */
  retainImages(names: ReadonlySet<string>): void
  /** Stops background work. Containers keep running until their pods are removed. */
  close(): void
}

/** The times that the steps take on a local cluster. */
const PULL_MS = 5

const SANDBOX_MS = 50

const START_MS = 100

const createIds = (random: Random) => (): string => `${random.uuid()}${random.uuid()}`.replaceAll('-', '')

const meterUsage = (options: ProgramRuntimeOptions, register: RunRegister<ProgramContainer>) =>
  createUsageMeter<ProgramContainer>({
    clock: options.clock,
    allRunning: () => register.all().filter(({ isRunning }) => isRunning),
    runningIn: (uid) => register.containersOf(uid).filter(({ isRunning }) => isRunning),
    startedAt: ({ startedAt }) => startedAt,
    read: ({ resources }) => {
      const { cpuSeconds, memoryWorkingSet } = resources.read()
      return { cpuMs: cpuSeconds * 1000, memory: memoryWorkingSet }
    },
  })

interface StarterOptions {
  readonly runtime: ProgramRuntimeOptions
  readonly register: RunRegister<ProgramContainer>
  readonly nodePods: NodePods
  newId(): string
  imageOf(name: string): ProgramImage | undefined
}

/** Throws ContainerStartError. */
const startContainer = (
  { runtime, register, nodePods, newId, imageOf }: StarterOptions,
  start: StartContainer,
): RunningContainer => {
  const nodePod = nodePods.find(start.pod.metadata.uid)
  if (nodePod === undefined) throw new ContainerStartError('the pod has no sandbox', 'create')
  const name = start.container.image ?? ''
  const image = imageOf(name)
  if (image === undefined)
    throw new ContainerStartError(`image "${fullImageName(name)}": not found`, 'create')
  const identity = { id: `containerd://${newId()}`, image: fullImageName(name), imageId: imageIdOf(name) }
  startProgram({
    runtime,
    nodePod,
    image,
    start,
    identity,
    onStart: (container) => void register.add(container),
    onExit: (exit) => runtime.clock.defer(() => start.onExit(exit)),
  })
  return identity
}

export const createProgramRuntime = (options: ProgramRuntimeOptions): ProgramRuntime => {
  const { clock, random, nodeName, network } = options
  const newId = createIds(random.fork(`containers of ${nodeName}`))
  const images = createImageStore(options.images)
  const register = createRunRegister<ProgramContainer>()
  const nodePods = createNodePods(options, newId)
  const meter = meterUsage(options, register)
  const starter: StarterOptions = { runtime: options, register, nodePods, newId, imageOf: images.content }

  return {
    name: 'containerd',
    version: '1.7.24',
    hasImage: images.has,
    images: images.all,
    retainImages: images.retain,
    pullImage: (image, reply) => replyLater(clock, PULL_MS, reply, () => images.pull(image)),
    createSandbox: (pod, volumes, reply) =>
      replyLater(clock, SANDBOX_MS, reply, () => nodePods.create(pod, volumes)),
    refreshVolumes: (sandbox, files, reply) =>
      replyLater(clock, 0, reply, () => {
        const nodePod = nodePods.bySandbox(sandbox)
        if (nodePod !== undefined) refreshFiles(nodePod.volumes, files)
      }),
    removeSandbox: (sandbox, reply) =>
      replyLater(clock, 0, reply, () => {
        const nodePod = nodePods.bySandbox(sandbox)
        if (nodePod !== undefined) nodePods.remove(nodePod.sim.uid)
      }),
    forgetPod: register.forget,
    startContainer: (start, reply) =>
      replyLater(clock, START_MS, reply, () => startContainer(starter, start)),
    stopContainer: (id, graceMs) => register.byId(id)?.stop(graceMs),
    ...createContainerAccess({
      clock,
      register,
      network,
      meter,
      volumesOf: (uid) => nodePods.find(uid)?.volumes ?? new Map(),
    }),
    close: meter.close,
  }
}
