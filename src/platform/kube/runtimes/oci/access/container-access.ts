/** Gives the API server and the kubelet access to containers: logs, commands, probes, usage. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import { type Clock, lazily } from '#kit'
import { createCgroups } from '#machine/linux'
import { createUsageMeter, runProbe, type UsageMeter } from '#platform/kube/containers'
import type { Stored } from '#platform/kube/meta'
import type { ContainerRuntime, PodNetwork } from '#platform/kube/ports'
import type { ContainerInstance, ContainerRegister } from '../containers/container-instance.ts'
import { createProbeClient } from '../probe/create-probe-client.ts'
import { measureDisk, type VolumeFolders } from '../statistics/disk-usage.ts'
import { processAge } from '../statistics/process-age.ts'
import { attachTo } from './attach.ts'
import { runExec } from './exec.ts'

export interface ContainerAccessOptions {
  register: ContainerRegister
  network: PodNetwork
  clock: Clock
  /** The state folder of the OCI runtime program: its `--root`. */
  runcRoot: string
  /** The OCI runtime program; `runc` by default. */
  program?: string
  marker: Readonly<Record<string, string>>
  volumeFolders(podUid: string): VolumeFolders
  /** The folder of the cluster, on the disk that pods write to. */
  folder: string
}

export interface ContainerAccess
  extends Pick<ContainerRuntime, 'logs' | 'exec' | 'attach' | 'connect' | 'probe' | 'usage' | 'diskUsage'> {
  /** Stops background work. */
  close(): void
}

const cgroups = lazily(() => createCgroups())

const meterUsage = (register: ContainerRegister, clock: Clock): UsageMeter =>
  createUsageMeter<ContainerInstance>({
    clock,
    allRunning: register.allRunning,
    runningIn: (uid) => register.containersOf(uid).filter(({ pid }) => pid !== undefined),
    startedAt: ({ pid }) => clock.now() - (pid === undefined ? 0 : processAge(pid)),
    read: ({ cgroup }) => cgroups().usage(cgroup),
  })

export const createContainerAccess = (options: ContainerAccessOptions): ContainerAccess => {
  const { register, network, clock } = options
  const meter = meterUsage(register, clock)

  const runningOf = (pod: Stored<Pod>, name: string): ContainerInstance => {
    const instance = register.running(pod.metadata.uid, name)
    if (instance === undefined) throw new Error(`container not found ("${name}")`)
    return instance
  }

  return {
    async logs(pod, container, request) {
      const { uid, name } = pod.metadata
      const chosen = request.previous ? register.previous(uid, container) : register.latest(uid, container)
      if (chosen !== undefined) return chosen.log.read(request)
      throw new Error(
        request.previous
          ? `previous terminated container "${container}" in pod "${name}" not found`
          : `container not found ("${container}")`,
      )
    },
    exec: async (pod, container, request) => runExec(options, runningOf(pod, container), request),
    attach: async (pod, container, request) => attachTo(runningOf(pod, container), request),
    async connect(pod, port) {
      try {
        return await network.connectLocal(pod.metadata.uid, port)
      } catch (error) {
        // The port-forward room recognises a refusal by its code and completes the message.
        const { code } = error as NodeJS.ErrnoException
        if (code !== 'ECONNREFUSED') throw error
        throw Object.assign(new Error(`dial tcp4 127.0.0.1:${port}: connect: connection refused`), { code })
      }
    },
    probe(pod, _container, containerId, probe, reply) {
      const instance = register.byId(containerId.replace(/^containerd:\/\//, ''))
      const client = createProbeClient({
        oci: options,
        network,
        nodeName: pod.spec.nodeName ?? '',
        instance,
      })
      void runProbe({ client, clock, podIP: pod.status?.podIP ?? '' }, probe).then(
        (value) => clock.defer(() => reply({ ok: true, value })),
        (error: Error) => clock.defer(() => reply({ ok: false, error })),
      )
    },
    usage: (pod) => meter.usageOf(pod.metadata.uid),
    diskUsage(pod, reply) {
      const { uid } = pod.metadata
      void measureDisk(register.containersOf(uid), options.volumeFolders(uid), options.folder).then(
        (value) => clock.defer(() => reply({ ok: true, value })),
        (error: Error) => clock.defer(() => reply({ ok: false, error })),
      )
    },
    close: () => meter.close(),
  }
}
