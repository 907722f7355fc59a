/** Gives the API server and the kubelet access to simulated containers: logs, commands, probes, usage. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import type { Clock } from '#kit'
import { measureDisk } from '#platform/engines/sim/hosts'
import type { SimNetwork } from '#platform/engines/sim/network'
import {
  type ContainerRuntime,
  type RunRegister,
  replyLater,
  runProbe,
  type Stored,
  type UsageMeter,
} from '#platform/kube/simulated'
import type { ProgramContainer } from '../containers/program-container.ts'
import { readLog } from '../logs/read-log.ts'
import type { ReadyVolume } from '../volumes/pod-volumes.ts'
import { runExec } from './run-command.ts'
import { createSimProbeClient } from './sim-probe-client.ts'

export interface ContainerAccessOptions {
  readonly clock: Clock
  readonly register: RunRegister<ProgramContainer>
  network(): SimNetwork
  readonly meter: UsageMeter
  volumesOf(uid: string): ReadonlyMap<string, ReadyVolume>
}

type ContainerAccess = Pick<
  ContainerRuntime,
  'logs' | 'exec' | 'attach' | 'connect' | 'probe' | 'usage' | 'diskUsage'
>

/** Resolves when the container has ended or the client has disconnected. No program reads the input. */
const attachTo = async (
  container: ProgramContainer,
  { stdout, stderr, signal }: Parameters<ContainerRuntime['attach']>[2],
): Promise<void> => {
  const disconnected = Promise.withResolvers<void>()
  const stop = container.onOutput((stream, text) => (stream === 'stderr' ? stderr : stdout)?.write(text))
  const onAbort = (): void => disconnected.resolve()
  if (signal.aborted) onAbort()
  else signal.addEventListener('abort', onAbort, { once: true })
  await Promise.race([container.ended, disconnected.promise])
  signal.removeEventListener('abort', onAbort)
  stop()
}

const selectVolumes = (
  volumes: ReadonlyMap<string, ReadyVolume>,
  kind: ReadyVolume['kind'],
): ReadonlyMap<string, ReadyVolume['volume']> =>
  new Map([...volumes].filter(([, ready]) => ready.kind === kind).map(([name, { volume }]) => [name, volume]))

export const createContainerAccess = (options: ContainerAccessOptions): ContainerAccess => {
  const { clock, register, network, meter, volumesOf } = options

  const runningOf = (pod: Stored<Pod>, name: string): ProgramContainer => {
    const container = register.latest(pod.metadata.uid, name)
    if (container?.isRunning !== true) throw new Error(`container not found ("${name}")`)
    return container
  }

  return {
    async logs(pod, container, request) {
      const { uid, name } = pod.metadata
      const chosen = request.previous ? register.previous(uid, container) : register.latest(uid, container)
      if (chosen !== undefined) return readLog(chosen.log, request, clock)
      throw new Error(
        request.previous
          ? `previous terminated container "${container}" in pod "${name}" not found`
          : `container not found ("${container}")`,
      )
    },
    exec: async (pod, container, request) => runExec(runningOf(pod, container), request),
    attach: async (pod, container, request) => attachTo(runningOf(pod, container), request),
    async connect(pod, port) {
      const connection = await network()
        .connectInside(pod.metadata.uid, port, 'loopback')
        .catch((error: NodeJS.ErrnoException) => {
          if (error.code !== 'ECONNREFUSED') throw error
          const refusal = `dial tcp4 127.0.0.1:${port}: connect: connection refused`
          throw Object.assign(new Error(refusal), { code: error.code })
        })
      connection.close()
      throw new Error('port-forward is not supported on a simulated cluster: its programs exchange no bytes')
    },
    probe(pod, _container, containerId, probe, reply) {
      const nodeName = pod.spec.nodeName ?? ''
      const client = createSimProbeClient({
        network: network(),
        nodeName,
        container: register.byId(containerId),
      })
      void runProbe({ client, clock, podIP: pod.status?.podIP ?? '' }, probe).then(
        (value) => clock.defer(() => reply({ ok: true, value })),
        (error: Error) => clock.defer(() => reply({ ok: false, error })),
      )
    },
    usage: (pod) => meter.usageOf(pod.metadata.uid),
    diskUsage: (pod, reply) =>
      replyLater(clock, 0, reply, () => {
        const { uid } = pod.metadata
        const volumes = volumesOf(uid)
        return measureDisk({
          emptyDirs: selectVolumes(volumes, 'emptyDir'),
          persistent: selectVolumes(volumes, 'persistent'),
          containers: new Map(
            register
              .containersOf(uid)
              .map(({ name, layer, log }) => [name, { layer, logBytes: log.sizeBytes() }]),
          ),
        })
      }),
  }
}
