/** A whole cluster whose containers run programs, under a virtual clock. */

import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { Container, Pod, PodSpec } from 'kubernetes-types/core/v1.d.ts'
import { onTestFinished } from 'vitest'
import { createRandom, createVirtualClock, runVirtually, sleep, type VirtualClock } from '#kit'
import { createNodeLoad } from '#platform/engines/sim/hosts'
import { createSimNetwork, type SimNetwork } from '#platform/engines/sim/network'
import { pods } from '#platform/kube/kinds'
import {
  type Client,
  createCluster,
  defaultNodes,
  fullImageName,
  type LogOptions,
  type Stored,
} from '#platform/kube/simulated'
import type { SimulatedProgram, Span } from '#spec'
import { createProgramRuntime } from '../create-program-runtime.ts'
import type { ProgramImage, ProgramImages } from '../program-runtime-options.ts'
import { createSimDisks, type SimDisks } from '../sim-disks.ts'
import { createSimPods, type SimContainer, type SimPods } from '../sim-pods.ts'
import { testPrograms } from './test-programs.ts'

export interface SimCluster {
  readonly clock: VirtualClock
  readonly client: Client
  readonly cluster: ReturnType<typeof createCluster>
  readonly network: SimNetwork
  readonly disks: SimDisks
  readonly pods: SimPods
  readonly spans: readonly { readonly pod: string; readonly span: Span }[]
  /** The errors with which programs rejected. */
  readonly errors: readonly unknown[]
  /** Runs the work while virtual time passes. */
  run<T>(work: () => Promise<T>): Promise<T>
  wait(seconds: number): Promise<void>
  /** Waits until the condition holds; rejects after `limit` seconds. */
  until(isDone: () => boolean, limit?: number): Promise<void>
  createPod(name: string, container: Partial<Container>, spec?: Partial<PodSpec>): void
  pod(name: string): Stored<Pod>
  isReady(name: string): boolean
  containerOf(name: string): SimContainer
  /** Runs a command in the first container of the pod. */
  exec(
    name: string,
    command: readonly string[],
    input?: string,
  ): Promise<{ code: number; out: string; error: string }>
  /** The text of the log of the first container. */
  log(name: string, options?: Partial<LogOptions>): Promise<string>
}

export interface SimClusterOptions {
  /** Looks up full names. */
  readonly catalogue: ProgramImages
  readonly everydayPrograms: Readonly<Record<string, SimulatedProgram>>
  readonly nodes: number
}

/** Internal errors fail the test. */
const boot = ({ catalogue, everydayPrograms, nodes: nodeCount }: SimClusterOptions) => {
  const clock = createVirtualClock()
  const random = createRandom('sim')
  const nodes = defaultNodes(nodeCount)
  const [disks, simPods] = [createSimDisks(), createSimPods()]
  const [spans, errors, failures]: [{ pod: string; span: Span }[], unknown[], unknown[]] = [[], [], []]
  const runtimes = nodes.map(({ name, podCIDR }) =>
    createProgramRuntime({
      clock,
      random,
      nodeName: name,
      podCIDR,
      memoryBytes: 16 * 2 ** 30,
      network: () => network,
      load: createNodeLoad(8),
      images: catalogue,
      everydayPrograms,
      disks,
      pods: simPods,
      onSpan: ({ name: pod }, span) => spans.push({ pod, span }),
      onProgramError: (_pod, error) => errors.push(error),
    }),
  )
  const cluster = createCluster({
    clock,
    random,
    nodes,
    sockets: false,
    runtimeFor: (_node, index) => runtimes[index]!,
    volumes: { removeDirectory: disks.remove },
    onError: (source, error) => failures.push(new Error(source, { cause: error })),
  })
  const { client } = cluster.resources
  const network = createSimNetwork({ clock, random, client, nodes })
  // The default service account is created.
  clock.advance(1000)
  onTestFinished(() => {
    cluster.stop()
    for (const runtime of runtimes) runtime.close()
    if (failures.length > 0) throw new AggregateError(failures, 'errors inside the cluster')
  })
  return { clock, client, cluster, network, disks, pods: simPods, spans, errors }
}

/** With two nodes and the test programs by default. */
export const createSimCluster = (
  images: Readonly<Record<string, ProgramImage>>,
  options: Partial<SimClusterOptions> = {},
): SimCluster => {
  const named = new Map(Object.entries(images).map(([name, image]) => [fullImageName(name), image]))
  const catalogue: ProgramImages = (name) => named.get(name)
  const booted = boot({ catalogue, everydayPrograms: testPrograms, nodes: 2, ...options })
  const { clock, client, cluster } = booted
  const pod: SimCluster['pod'] = (name) => client.get(pods, 'default', name)!
  const runtimeOf = (name: string) => cluster.nodes.runtimeOf(pod(name).spec.nodeName!)!
  const wait: SimCluster['wait'] = (seconds) => sleep(clock, seconds * 1000)

  return {
    ...booted,
    run: (work) => runVirtually(clock, work),
    wait,
    async until(isDone, limit = 120) {
      for (let passed = 0; !isDone(); passed += 0.1) {
        if (passed > limit) throw new Error(`not within ${limit} seconds: ${isDone}`)
        await wait(0.1)
      }
    },
    createPod(name, container, spec) {
      const containers = [{ name: 'main', image: 'app:1', ...container }]
      client.create(pods, {
        metadata: { name, namespace: 'default' },
        spec: { containers, ...spec },
      } as never)
    },
    pod,
    isReady: (name) =>
      pod(name).status.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true,
    containerOf: (name) => booted.pods.find(pod(name).metadata.uid)!.containers()[0]!,
    async exec(name, command, input) {
      const [stdout, stderr] = [new PassThrough(), new PassThrough()]
      const options = { command, tty: false, stdout, stderr, signal: new AbortController().signal }
      const stdin = input === undefined ? {} : { stdin: Readable.from([Buffer.from(input)]) }
      const { name: container } = pod(name).spec.containers[0]!
      const { exitCode: code } = await runtimeOf(name).exec(pod(name), container, { ...options, ...stdin })
      const [out, error] = [stdout, stderr].map((stream) => String(stream.read() ?? ''))
      return { code, out: out!, error: error! }
    },
    async log(name, options) {
      const request = { previous: false, follow: false, timestamps: false, ...options }
      const { name: container } = pod(name).spec.containers[0]!
      return text(await runtimeOf(name).logs(pod(name), container, request))
    },
  }
}
