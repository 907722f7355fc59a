/** A cluster of the local engine with a folder of its own, and pods in which scripts are tried out. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Container, Pod, PodSpec } from 'kubernetes-types/core/v1.d.ts'
import { createLocalEngine, type LocalCluster } from '../../src/engines/local/index.ts'
import type { Clock } from '../../src/kit/index.ts'
import type { PodRef } from '../../src/spec/index.ts'
import { testImages } from './test-images.ts'

export interface TrialOptions {
  clock?: Clock
  seed?: string
}

/** What is special about a pod; its one container `main` sleeps where nothing else is said. */
export interface TrialPod {
  container?: Partial<Container>
  spec?: Partial<PodSpec>
  labels?: Record<string, string>
  name?: string
}

export interface TrialCluster {
  readonly local: LocalCluster
  /** Makes a pod and gives back at once. */
  make(pod?: TrialPod): Promise<PodRef>
  /** Makes a pod; resolves when it runs. */
  start(pod?: TrialPod): Promise<PodRef>
  pod(ref: PodRef): Promise<Pod>
  /** The pod, once `is` is true of it. */
  until(ref: PodRef, is: (pod: Pod) => boolean, limitMs?: number): Promise<Pod>
  /** Both outputs of a shell script in a running pod, however it ends. */
  sh(ref: PodRef, script: string, container?: string): Promise<string>
  /** Both outputs of a Python program in a running pod, however it ends. */
  python(ref: PodRef, program: string): Promise<string>
  /** Runs a pod with a script to its end and gives what it wrote. */
  output(script: string, pod?: TrialPod): Promise<string>
  /** Why the container of such a pod is not started: `CreateContainerError: ...`. */
  refusal(pod: TrialPod): Promise<string>
  remove(...refs: readonly PodRef[]): Promise<void>
  close(): Promise<void>
}

const POLL_MS = 30
const LIMIT_MS = 20_000
/** In these states a container waits for nothing that could come. */
const REFUSALS = /^(Create|Run)Container|^CrashLoop|^ImagePull|^InvalidImage/

const wait = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, POLL_MS))

const stateOf = (pod: Pod): string => {
  const [status] = pod.status?.containerStatuses ?? []
  const { waiting, terminated } = status?.state ?? {}
  const { reason = pod.status?.phase, message = '' } = waiting ?? terminated ?? {}
  return `${reason}: ${message}`
}

export const createTrialCluster = async ({
  clock,
  seed = 'trial',
}: TrialOptions = {}): Promise<TrialCluster> => {
  const state = mkdtempSync(join(tmpdir(), 'remedium-trial-'))
  const errors: unknown[] = []
  const engine = createLocalEngine({
    state,
    ...(clock === undefined ? {} : { clock }),
    onError: (where, error) => errors.push(new Error(`in ${where}`, { cause: error })),
  })
  const local = await engine.provision(testImages, { seed })
  const { api } = local
  const pods = { apiVersion: 'v1', plural: 'pods', namespace: 'default' }
  let made = 0
  const account = { apiVersion: 'v1', plural: 'serviceaccounts', namespace: 'default', name: 'default' }
  const hasAccount = (): Promise<boolean> =>
    api.get(account).then(
      () => true,
      () => false,
    )
  while (!(await hasAccount())) await wait()

  const make: TrialCluster['make'] = async ({ container = {}, spec = {}, labels = {}, name } = {}) => {
    made += 1
    const chosen = name ?? `trial-${made}`
    await api.create(pods, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: chosen, labels },
      spec: {
        terminationGracePeriodSeconds: 0,
        restartPolicy: 'Never',
        containers: [{ name: 'main', image: 'busybox:1.36', command: ['sleep', 'infinity'], ...container }],
        ...spec,
      },
    })
    return { namespace: 'default', name: chosen }
  }
  const pod: TrialCluster['pod'] = async ({ name }) => (await api.get({ ...pods, name })) as unknown as Pod
  const until: TrialCluster['until'] = async (ref, is, limitMs = LIMIT_MS) => {
    const limit = Date.now() + limitMs
    for (;;) {
      const now = await pod(ref)
      if (is(now)) return now
      if (Date.now() > limit) throw new Error(`the pod ${ref.name} stays ${stateOf(now)}`)
      await wait()
    }
  }
  const start: TrialCluster['start'] = async (wanted) => {
    const ref = await make(wanted)
    await until(ref, ({ status }) => status?.phase === 'Running')
    return ref
  }
  const run = async (ref: PodRef, command: readonly string[], container?: string): Promise<string> => {
    const { stdout, stderr } = await api.exec(ref, command, container === undefined ? {} : { container })
    return stdout + stderr
  }
  const remove: TrialCluster['remove'] = async (...refs) => {
    for (const { name } of refs) await api.delete({ ...pods, name }, { gracePeriodSeconds: 0 })
  }

  return {
    local,
    make,
    start,
    pod,
    until,
    remove,
    sh: (ref, script, container) => run(ref, ['sh', '-c', script], container),
    python: (ref, program) => run(ref, ['python3', '-c', program]),
    async output(script, wanted = {}) {
      const container = { command: ['sh', '-c', script], ...wanted.container }
      const ref = await make({ ...wanted, container })
      await until(ref, ({ status }) => ['Succeeded', 'Failed'].includes(status?.phase ?? ''))
      return api.logs(ref)
    },
    async refusal(wanted) {
      const ref = await make(wanted)
      const isRefused = (one: Pod): boolean => REFUSALS.test(stateOf(one)) || one.status?.phase === 'Running'
      return stateOf(await until(ref, isRefused))
    },
    async close() {
      try {
        await local.close()
      } finally {
        rmSync(state, { recursive: true, force: true })
      }
      if (errors.length > 0) throw new AggregateError(errors, 'Something went wrong inside the cluster.')
    },
  }
}
