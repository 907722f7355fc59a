/** A runtime in a folder of its own, and pods for it: what tests of real containers start with. */
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Container, Pod, PodSpec } from 'kubernetes-types/core/v1.d.ts'
import { createRealClock } from '../../../../kit/index.ts'
import { createCgroups, memoryFolderOf } from '../../../../linux/index.ts'
import type { Stored } from '../../../meta/index.ts'
import type { ContainerExit, PodVolumes, Reply, RunningContainer, Sandbox } from '../../../ports/index.ts'
import { everydayPrograms } from '../everyday-programs.ts'
import { createOciRuntime } from '../oci-runtime.ts'
import type { OciRuntime } from '../oci-runtime-options.ts'
import { createLoopbackNetwork, type LoopbackNetwork } from './loopback-network.ts'

/** A container that was asked for. */
export interface RunningTest {
  pod: Stored<Pod>
  sandbox: Sandbox
  started: RunningContainer
  exit: Promise<ContainerExit>
  logs(previous?: boolean): Promise<string>
}

export interface StartTest {
  spec?: Partial<PodSpec>
  volumes?: PodVolumes
  environment?: Record<string, string>
  attempt?: number
  /** Starts in the pod of this one. */
  beside?: RunningTest
}

export interface RuntimeBench {
  readonly runtime: OciRuntime
  readonly network: LoopbackNetwork
  readonly folder: string
  readonly cgroup: string
  start(container: Partial<Container>, options?: StartTest): Promise<RunningTest>
  /** Runs a line of shell (the image's program where empty) in a busybox to its end; gives what it wrote and its exit. */
  shell(
    script: string,
    container?: Partial<Container>,
    options?: StartTest,
  ): Promise<ContainerExit & { output: string }>
  /** All that is left in the folder of the cluster and its folder in memory. */
  files(): string[]
  close(): Promise<void>
}

export const replied = <T>(operation: (reply: Reply<T>) => void): Promise<T> =>
  new Promise((resolve, reject) => {
    operation((outcome) => (outcome.ok ? resolve(outcome.value) : reject(outcome.error)))
  })

const NO_VOLUMES: PodVolumes = { files: [], claims: [] }

export const createRuntimeBench = (): RuntimeBench => {
  const clock = createRealClock()
  const folder = mkdtempSync(join(tmpdir(), 'remedium-oci-'))
  const cgroup = `remedium/${basename(folder)}/node1`
  const network = createLoopbackNetwork(clock)
  const options = { clock, nodeName: 'node1', network, images: everydayPrograms, folder, cgroup }
  const runtime = createOciRuntime({ ...options, marker: { REMEDIUM_CLUSTER: folder } })
  let made = 0

  const podOf = (container: Container, spec: Partial<PodSpec>): Stored<Pod> => {
    made += 1
    const uid = `00000000-0000-4000-8000-${String(made).padStart(12, '0')}`
    return {
      metadata: { name: `pod-${made}`, namespace: 'default', uid },
      spec: { containers: [container], ...spec },
      status: { qosClass: 'BestEffort' },
    } as unknown as Stored<Pod>
  }

  const start: RuntimeBench['start'] = async (partial, wanted = {}) => {
    const { spec = {}, volumes = NO_VOLUMES, environment = {}, attempt = 0, beside } = wanted
    const container: Container = { name: 'main', image: 'busybox:1.36', ...partial }
    const pod = beside?.pod ?? podOf(container, spec)
    const sandbox =
      beside?.sandbox ?? (await replied<Sandbox>((reply) => runtime.createSandbox(pod, volumes, reply)))
    const { promise: exit, resolve: onExit } = Promise.withResolvers<ContainerExit>()
    const request = { pod, sandbox, container, attempt, environment, onExit }
    const started = await replied<RunningContainer>((reply) => runtime.startContainer(request, reply))
    const read = { follow: false, timestamps: false }
    return {
      pod,
      sandbox,
      started,
      exit,
      logs: async (previous = false) => text(await runtime.logs(pod, container.name, { ...read, previous })),
    }
  }

  return {
    runtime,
    network,
    folder,
    cgroup,
    start,
    async shell(script, container = {}, wanted = {}) {
      const test = await start(
        { ...(script === '' ? {} : { command: ['sh', '-c', script] }), ...container },
        wanted,
      )
      const exit = await test.exit
      return { ...exit, output: await test.logs() }
    },
    files: () =>
      [folder, memoryFolderOf(folder)].flatMap((path) =>
        existsSync(path)
          ? readdirSync(path, { recursive: true, withFileTypes: true }).map((one) =>
              join(one.parentPath, one.name),
            )
          : [],
      ),
    async close() {
      await runtime.close()
      createCgroups().remove(`remedium/${basename(folder)}`)
      rmSync(folder, { recursive: true, force: true })
      rmSync(memoryFolderOf(folder), { recursive: true, force: true })
    },
  }
}
