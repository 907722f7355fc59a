/** Creates an OCI runtime in a temporary folder, and pods for it. */
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Container, Pod, PodSpec } from 'kubernetes-types/core/v1.d.ts'
import { createRealClock } from '#kit'
import { createCgroups, memoryFolderOf } from '#machine/linux'
import type { Stored } from '#platform/kube/meta'
import type { ContainerExit, PodVolumes, Reply, RunningContainer, Sandbox } from '#platform/kube/ports'
import { wellKnownImages } from '../images/well-known-images.ts'
import { createOciRuntime } from '../oci-runtime.ts'
import type { OciRuntime } from '../oci-runtime-options.ts'
import { createLoopbackNetwork, type LoopbackNetwork } from './loopback-network.ts'

/** A started container. */
export interface TestContainer {
  pod: Stored<Pod>
  sandbox: Sandbox
  started: RunningContainer
  exit: Promise<ContainerExit>
  logs(previous?: boolean): Promise<string>
}

export interface StartOptions {
  spec?: Partial<PodSpec>
  volumes?: PodVolumes
  environment?: Record<string, string>
  attempt?: number
  /** Starts the container in the pod of this container. */
  inPodOf?: TestContainer
}

export interface RuntimeFixture {
  readonly runtime: OciRuntime
  readonly network: LoopbackNetwork
  readonly folder: string
  readonly cgroup: string
  start(container: Partial<Container>, options?: StartOptions): Promise<TestContainer>
  /** Runs a shell script in busybox and returns its output and exit; an empty script runs the image's program. */
  shell(
    script: string,
    container?: Partial<Container>,
    options?: StartOptions,
  ): Promise<ContainerExit & { output: string }>
  /** All files in the folder of the cluster and its folder in memory. */
  files(): string[]
  close(): Promise<void>
}

/** Converts an operation with a reply callback to a promise. */
export const awaitReply = <T>(operation: (reply: Reply<T>) => void): Promise<T> =>
  new Promise((resolve, reject) => {
    operation((outcome) => (outcome.ok ? resolve(outcome.value) : reject(outcome.error)))
  })

const NO_VOLUMES: PodVolumes = { files: [], claims: [] }

export const createRuntimeFixture = (): RuntimeFixture => {
  const clock = createRealClock()
  const folder = mkdtempSync(join(tmpdir(), 'remedium-oci-'))
  const cgroup = `remedium/${basename(folder)}/node1`
  const network = createLoopbackNetwork(clock)
  const options = { clock, nodeName: 'node1', network, images: wellKnownImages, folder, cgroup }
  const runtime = createOciRuntime({ ...options, marker: { REMEDIUM_CLUSTER: folder } })
  let created = 0

  const podOf = (container: Container, spec: Partial<PodSpec>): Stored<Pod> => {
    created += 1
    const uid = `00000000-0000-4000-8000-${String(created).padStart(12, '0')}`
    return {
      metadata: { name: `pod-${created}`, namespace: 'default', uid },
      spec: { containers: [container], ...spec },
      status: { qosClass: 'BestEffort' },
    } as unknown as Stored<Pod>
  }

  const start: RuntimeFixture['start'] = async (partial, options = {}) => {
    const { spec = {}, volumes = NO_VOLUMES, environment = {}, attempt = 0, inPodOf } = options
    const container: Container = { name: 'main', image: 'busybox:1.36', ...partial }
    const pod = inPodOf?.pod ?? podOf(container, spec)
    const sandbox =
      inPodOf?.sandbox ?? (await awaitReply<Sandbox>((reply) => runtime.createSandbox(pod, volumes, reply)))
    const { promise: exit, resolve: onExit } = Promise.withResolvers<ContainerExit>()
    const request = { pod, sandbox, container, attempt, environment, onExit }
    const started = await awaitReply<RunningContainer>((reply) => runtime.startContainer(request, reply))
    const logOptions = { follow: false, timestamps: false }
    return {
      pod,
      sandbox,
      started,
      exit,
      logs: async (previous = false) =>
        text(await runtime.logs(pod, container.name, { ...logOptions, previous })),
    }
  }

  return {
    runtime,
    network,
    folder,
    cgroup,
    start,
    async shell(script, container = {}, options = {}) {
      const running = await start(
        { ...(script === '' ? {} : { command: ['sh', '-c', script] }), ...container },
        options,
      )
      const exit = await running.exit
      return { ...exit, output: await running.logs() }
    },
    files: () =>
      [folder, memoryFolderOf(folder)].flatMap((path) =>
        existsSync(path)
          ? readdirSync(path, { recursive: true, withFileTypes: true }).map((entry) =>
              join(entry.parentPath, entry.name),
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
