/** A cluster of the local engine with a separate folder, and pods that run scripts. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Container, Pod, PodSpec } from 'kubernetes-types/core/v1.d.ts'
import type { Clock } from '#kit'
import { defined } from '#kit'
import { createLocalEngine, type LocalCluster } from '#platform/engines/local'
import type { KubeApi, PodRef } from '#spec'
import { testImages } from './test-images.ts'

export interface TrialOptions {
  clock?: Clock
  seed?: string
}

/** Overrides the fields of a pod with one container, `main`, that sleeps. */
export interface TrialPod {
  container?: Partial<Container>
  spec?: Partial<PodSpec>
  labels?: Record<string, string>
  name?: string
}

export interface TrialCluster {
  readonly local: LocalCluster
  /** Creates a pod without waiting for it. */
  createPod(pod?: TrialPod): Promise<PodRef>
  /** Creates a pod; resolves when it runs. */
  startPod(pod?: TrialPod): Promise<PodRef>
  getPod(ref: PodRef): Promise<Pod>
  /** Resolves to the pod once `matches` returns true for it. */
  waitUntil(ref: PodRef, matches: (pod: Pod) => boolean, timeoutMs?: number): Promise<Pod>
  /** Resolves to both outputs of a shell script in a running pod, with any exit code. */
  sh(ref: PodRef, script: string, container?: string): Promise<string>
  /** Resolves to both outputs of a Python program in a running pod, with any exit code. */
  python(ref: PodRef, program: string): Promise<string>
  /** Runs a pod with a script until it ends; resolves to its output. */
  output(script: string, pod?: TrialPod): Promise<string>
  /** Creates a pod; resolves to the reason why its container does not start, such as `CreateContainerError: ...`. */
  refusal(pod: TrialPod): Promise<string>
  remove(...refs: readonly PodRef[]): Promise<void>
  close(): Promise<void>
}

const POLL_MS = 30
const TIMEOUT_MS = 20_000
/** The states of a container that will not start. */
const REFUSALS = /^(Create|Run)Container|^CrashLoop|^ImagePull|^InvalidImage/

const wait = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, POLL_MS))

const stateOf = (pod: Pod): string => {
  const [status] = pod.status?.containerStatuses ?? []
  const { waiting, terminated } = status?.state ?? {}
  const { reason = pod.status?.phase, message = '' } = waiting ?? terminated ?? {}
  return `${reason}: ${message}`
}

const PODS = { apiVersion: 'v1', plural: 'pods', namespace: 'default' }
const ACCOUNT = { apiVersion: 'v1', plural: 'serviceaccounts', namespace: 'default', name: 'default' }

/** Pods cannot be created before the default account exists. */
const waitForAccount = async (api: KubeApi): Promise<void> => {
  const hasAccount = (): Promise<boolean> =>
    api.get(ACCOUNT).then(
      () => true,
      () => false,
    )
  while (!(await hasAccount())) await wait()
}

const createPodCreator = (api: KubeApi): TrialCluster['createPod'] => {
  let count = 0
  return async ({ container = {}, spec = {}, labels = {}, name } = {}) => {
    count += 1
    const podName = name ?? `trial-${count}`
    await api.create(PODS, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: podName, labels },
      spec: {
        terminationGracePeriodSeconds: 0,
        restartPolicy: 'Never',
        containers: [{ name: 'main', image: 'busybox:1.36', command: ['sleep', 'infinity'], ...container }],
        ...spec,
      },
    })
    return { namespace: 'default', name: podName }
  }
}

type PodFunctions = Omit<TrialCluster, 'local' | 'close'>

const createPodFunctions = (api: KubeApi): PodFunctions => {
  const createPod = createPodCreator(api)
  const getPod: TrialCluster['getPod'] = async ({ name }) =>
    (await api.get({ ...PODS, name })) as unknown as Pod
  const waitUntil: TrialCluster['waitUntil'] = async (ref, matches, timeoutMs = TIMEOUT_MS) => {
    const deadline = Date.now() + timeoutMs
    for (;;) {
      const pod = await getPod(ref)
      if (matches(pod)) return pod
      if (Date.now() > deadline) throw new Error(`the pod ${ref.name} is still ${stateOf(pod)}`)
      await wait()
    }
  }
  const run = async (ref: PodRef, command: readonly string[], container?: string): Promise<string> => {
    const { stdout, stderr } = await api.exec(ref, command, container === undefined ? {} : { container })
    return stdout + stderr
  }
  return {
    createPod,
    getPod,
    waitUntil,
    async startPod(overrides) {
      const ref = await createPod(overrides)
      await waitUntil(ref, ({ status }) => status?.phase === 'Running')
      return ref
    },
    async remove(...refs) {
      for (const { name } of refs) await api.delete({ ...PODS, name }, { gracePeriodSeconds: 0 })
    },
    sh: (ref, script, container) => run(ref, ['sh', '-c', script], container),
    python: (ref, program) => run(ref, ['python3', '-c', program]),
    async output(script, overrides = {}) {
      const container = { command: ['sh', '-c', script], ...overrides.container }
      const ref = await createPod({ ...overrides, container })
      await waitUntil(ref, ({ status }) => ['Succeeded', 'Failed'].includes(status?.phase ?? ''))
      return api.logs(ref)
    },
    async refusal(overrides) {
      const ref = await createPod(overrides)
      const hasSettled = (pod: Pod): boolean => REFUSALS.test(stateOf(pod)) || pod.status?.phase === 'Running'
      return stateOf(await waitUntil(ref, hasSettled))
    },
  }
}

export const createTrialCluster = async ({
  clock,
  seed = 'trial',
}: TrialOptions = {}): Promise<TrialCluster> => {
  const state = mkdtempSync(join(tmpdir(), 'remedium-trial-'))
  const errors: unknown[] = []
  const engine = createLocalEngine({
    state,
    ...defined({ clock }),
    onError: (where, error) => errors.push(new Error(`in ${where}`, { cause: error })),
  })
  const local = await engine.provision(testImages, { seed })
  await waitForAccount(local.api)
  return {
    local,
    ...createPodFunctions(local.api),
    async close() {
      try {
        await local.close()
      } finally {
        rmSync(state, { recursive: true, force: true })
      }
      if (errors.length > 0) throw new AggregateError(errors, 'the cluster had internal errors')
    },
  }
}
