/** How the API server and the kubelet reach into running containers: logs, commands, probes, usage. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import type { Clock } from '../../../kit/index.ts'
import type { Stored } from '../../meta/index.ts'
import type { ContainerRuntime, PodNetwork } from '../../ports/index.ts'
import { attachTo } from './attach.ts'
import type { ContainerInstance, ContainerRegister } from './container-instance.ts'
import { measureDisk, type VolumeFolders } from './disk-usage.ts'
import { runExec } from './exec.ts'
import { runProbe } from './probe/run-probe.ts'
import { createUsageMeter } from './usage-meter.ts'

export interface ContainerAccessOptions {
  register: ContainerRegister
  network: PodNetwork
  clock: Clock
  /** What the OCI runtime keeps of containers: its `--root`. */
  runcRoot: string
  /** The OCI runtime; `runc` where absent. */
  program?: string
  marker: Readonly<Record<string, string>>
  volumeFolders(podUid: string): VolumeFolders
  /** Of the cluster: on its disk lies what pods write. */
  folder: string
}

export interface ContainerAccess
  extends Pick<ContainerRuntime, 'logs' | 'exec' | 'attach' | 'connect' | 'probe' | 'usage' | 'diskUsage'> {
  /** Ends what goes on in the background. */
  close(): void
}

export const createContainerAccess = (options: ContainerAccessOptions): ContainerAccess => {
  const { register, network, clock } = options
  const meter = createUsageMeter(register, clock)

  const runningOf = (pod: Stored<Pod>, name: string): ContainerInstance => {
    const instance = register.running(pod.metadata.uid, name)
    if (instance === undefined) throw new Error(`container not found ("${name}")`)
    return instance
  }

  return {
    async logs(pod, container, wanted) {
      const { uid, name } = pod.metadata
      const chosen = wanted.previous ? register.previous(uid, container) : register.latest(uid, container)
      if (chosen !== undefined) return chosen.log.read(wanted)
      throw new Error(
        wanted.previous
          ? `previous terminated container "${container}" in pod "${name}" not found`
          : `container not found ("${container}")`,
      )
    },
    exec: async (pod, container, wanted) => runExec(options, runningOf(pod, container), wanted),
    attach: async (pod, container, wanted) => attachTo(runningOf(pod, container), wanted),
    async connect(pod, port) {
      try {
        return await network.connectLocal(pod.metadata.uid, port)
      } catch (error) {
        // The words around a refusal are those of the room that forwards ports, which knows it by its code.
        const { code } = error as NodeJS.ErrnoException
        if (code !== 'ECONNREFUSED') throw error
        throw Object.assign(new Error(`dial tcp4 127.0.0.1:${port}: connect: connection refused`), { code })
      }
    },
    probe(pod, _container, containerId, probe, reply) {
      const instance = register.byId(containerId.replace(/^containerd:\/\//, ''))
      void runProbe({ oci: options, network, clock, pod, instance }, probe).then(
        (value) => clock.defer(() => reply({ ok: true, value })),
        (error: Error) => clock.defer(() => reply({ ok: false, error })),
      )
    },
    usage: (pod) => meter.usageOf(pod.metadata.uid),
    diskUsage(pod, reply) {
      const { uid } = pod.metadata
      void measureDisk(register.ofPod(uid), options.volumeFolders(uid), options.folder).then(
        (value) => clock.defer(() => reply({ ok: true, value })),
        (error: Error) => clock.defer(() => reply({ ok: false, error })),
      )
    },
    close: () => meter.close(),
  }
}
