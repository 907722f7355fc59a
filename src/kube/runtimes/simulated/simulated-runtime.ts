/** A container runtime without processes: pods are models that live under the clock. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import type { Clock, Random } from '../../../kit/index.ts'
import type { Stored } from '../../meta/index.ts'
import {
  type ContainerRuntime,
  ContainerStartError,
  ImagePullError,
  type NodeImage,
  type ProbeAction,
  type ProbeResult,
  type Reply,
  type RunningContainer,
  type Usage,
} from '../../ports/index.ts'
import { createAddressPool } from './address-pool.ts'
import type { ImageModel } from './container-model.ts'
import { runExec } from './exec-session.ts'
import { fullImageName, imageIdOf } from './image-name.ts'
import { createLogStream } from './log-stream.ts'
import { createSimulatedContainer, type SimulatedContainer } from './simulated-container.ts'

export interface SimulatedRuntimeOptions {
  clock: Clock
  random: Random
  /** N of the pod addresses 10.244.N.0/24. */
  nodeIndex: number
  /** What a registry knows; every image exists and runs for ever where absent. */
  images?: (image: string) => ImageModel | undefined
}

const DEFAULT_IMAGE: ImageModel = {}
const DEFAULT_SIZE = 50_000_000
const DEFAULT_PULL_MS = 800
const DEFAULT_START_MS = 100
const SANDBOX_MS = 50
const USAGE_WINDOW_MS = 15_000

/** The instances of one container name: the present one, and the one before it. */
interface Instances {
  current: SimulatedContainer
  previous?: SimulatedContainer | undefined
}

const timeoutText = (probe: ProbeAction): string => {
  const { action, timeoutMs } = probe
  switch (action.type) {
    case 'exec':
      return `command timed out: "${action.command.join(' ')}" timed out after ${timeoutMs / 1000}s`
    case 'http':
      return `Get "${action.scheme.toLowerCase()}://${action.host}:${action.port}${action.path}": context deadline exceeded (Client.Timeout exceeded while awaiting headers)`
    case 'tcp':
      return `dial tcp ${action.host}:${action.port}: i/o timeout`
    case 'grpc':
      return `timeout: failed to connect service ":${action.port}" within ${timeoutMs / 1000}s: context deadline exceeded`
  }
}

export const createSimulatedRuntime = (options: SimulatedRuntimeOptions): ContainerRuntime => {
  const { clock, random, nodeIndex, images: catalogue = () => DEFAULT_IMAGE } = options
  const addresses = createAddressPool(`10.244.${nodeIndex}`)
  const present = new Map<string, NodeImage>()
  const pods = new Map<string, Map<string, Instances>>()
  const running = new Map<string, SimulatedContainer>()

  const newId = (): string => `${random.uuid()}${random.uuid()}`.replaceAll('-', '')

  const later = <T>(milliseconds: number, reply: Reply<T>, answer: () => Parameters<Reply<T>>[0]): void => {
    const run = (): void => reply(answer())
    if (milliseconds === 0) clock.defer(run)
    else clock.after(milliseconds, run)
  }

  const instancesOf = (pod: Stored<Pod>, container: string): Instances => {
    const instances = pods.get(pod.metadata.uid)?.get(container)
    if (instances === undefined)
      throw new Error(`container "${container}" in pod "${pod.metadata.name}" is not available`)
    return instances
  }

  const runningOf = (pod: Stored<Pod>, container: string): SimulatedContainer => {
    const { current } = instancesOf(pod, container)
    if (!current.isRunning) throw new Error(`container not found ("${container}")`)
    return current
  }

  const answerProbe = (container: SimulatedContainer, probe: ProbeAction): ProbeResult => {
    if ((container.model.probeMs ?? 0) > probe.timeoutMs) return { ok: false, output: timeoutText(probe) }
    return container.model.probe?.(probe, container.age()) ?? { ok: true, output: '' }
  }

  const remember = (image: string, { sizeBytes = DEFAULT_SIZE }: ImageModel): NodeImage => {
    const name = fullImageName(image)
    const entry = { names: [imageIdOf(image), name], sizeBytes }
    present.set(name, entry)
    return entry
  }

  return {
    name: 'containerd',
    version: '1.7.24',
    hasImage: (image) => present.has(fullImageName(image)) || catalogue(image)?.present === true,
    images: () => [...present.values()],

    pullImage(image, reply) {
      const model = catalogue(image)
      later(model?.pullMs ?? DEFAULT_PULL_MS, reply, () => {
        if (model !== undefined && model.pullError === undefined)
          return { ok: true, value: { imageId: imageIdOf(image), size: remember(image, model).sizeBytes } }
        const name = fullImageName(image)
        const message =
          model?.pullError ??
          `rpc error: code = NotFound desc = failed to pull and unpack image "${name}": failed to resolve reference "${name}": ${name}: not found`
        return { ok: false, error: new ImagePullError(message) }
      })
    },

    createSandbox(pod, _volumes, reply) {
      later(SANDBOX_MS, reply, () => {
        const ip = addresses.take()
        if (ip === undefined)
          return {
            ok: false,
            error: new Error(
              `plugin type="host-local" failed (add): no IP addresses available in range set: 10.244.${nodeIndex}.1-10.244.${nodeIndex}.254`,
            ),
          }
        pods.set(pod.metadata.uid, new Map())
        return { ok: true, value: { id: newId(), ip } }
      })
    },

    removeSandbox(sandbox, reply) {
      later(0, reply, () => {
        addresses.giveBack(sandbox.ip)
        return { ok: true, value: undefined }
      })
    },

    forgetPod: (uid) => {
      pods.delete(uid)
    },

    startContainer(start, reply) {
      const { pod, container } = start
      const image = container.image ?? ''
      let made: SimulatedContainer | undefined
      const program = catalogue(image)?.run?.(start, { exit: (exit) => made?.exit(exit) }) ?? {}
      const identity: RunningContainer = {
        id: `containerd://${newId()}`,
        image: fullImageName(image),
        imageId: imageIdOf(image),
      }
      later(program.startMs ?? DEFAULT_START_MS, reply, () => {
        if (program.startError !== undefined)
          return { ok: false, error: new ContainerStartError(program.startError, 'start', identity) }
        const current = createSimulatedContainer(start, program, identity, clock)
        made = current
        const mine = pods.get(pod.metadata.uid)
        mine?.set(container.name, { current, previous: mine.get(container.name)?.current })
        running.set(identity.id, current)
        current.onEnd(() => running.delete(identity.id))
        return { ok: true, value: identity }
      })
    },

    stopContainer: (id, graceMs) => running.get(id)?.stop(graceMs),

    probe(_pod, _container, containerId, probe, reply) {
      const target = running.get(containerId)
      later(Math.min(target?.model.probeMs ?? 0, probe.timeoutMs), reply, () => {
        if (target?.isRunning === true) return { ok: true, value: answerProbe(target, probe) }
        const error =
          'rpc error: code = Unknown desc = failed to exec in container: container is in CONTAINER_EXITED state'
        return { ok: false, error: new Error(error) }
      })
    },

    async logs(pod, container, logOptions) {
      const { current, previous } = instancesOf(pod, container)
      const chosen = logOptions.previous ? previous : current
      if (chosen === undefined)
        throw new Error(
          `previous terminated container "${container}" in pod "${pod.metadata.name}" not found`,
        )
      return createLogStream(chosen.log, logOptions, clock)
    },

    exec: async (pod, container, execOptions) => runExec(runningOf(pod, container).model, execOptions),

    async attach(pod, container, attachOptions) {
      const target = runningOf(pod, container)
      const log = { previous: false, follow: true, timestamps: false, sinceTime: clock.now() }
      const stream = createLogStream(target.log, log, clock)
      attachOptions.signal.addEventListener('abort', () => stream.destroy(), { once: true })
      try {
        for await (const chunk of stream) attachOptions.stdout?.write(chunk)
      } catch (error) {
        if (!attachOptions.signal.aborted) throw error
      }
    },

    async connect(pod, port) {
      for (const { current } of pods.get(pod.metadata.uid)?.values() ?? []) {
        const stream = current.isRunning ? current.model.connect?.(port) : undefined
        if (stream !== undefined) return stream
      }
      throw new Error(`dial tcp4 127.0.0.1:${port}: connect: connection refused`)
    },

    usage(pod) {
      const usage: Record<string, Usage> = {}
      for (const [name, { current }] of pods.get(pod.metadata.uid) ?? []) {
        if (!current.isRunning) continue
        const { cpu, memory } = current.model.usage?.(current.age()) ?? { cpu: 0.001, memory: 16 * 2 ** 20 }
        usage[name] = { cpu, memory, windowMs: USAGE_WINDOW_MS }
      }
      return usage
    },
  }
}
