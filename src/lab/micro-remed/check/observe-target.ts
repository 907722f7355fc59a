/** Observes the pods of a target as MicroRemed's check does: readiness, metrics, pings and a disk write. */
import type { CheckContext } from '#exam/episode'
import {
  type ApiObject,
  type ContainerView,
  containersOf,
  type ExecOutcome,
  isTerminating,
  type KubeApi,
  quantityValue,
  viewAs,
} from '#spec'
import type { CheckedContainer, CheckedPod } from './micro-remed-status.ts'

export interface CheckTarget {
  readonly api: KubeApi
  readonly namespace: string
  /** The value of the label `app` of its pods. */
  readonly service: string
  readonly time: Pick<CheckContext['time'], 'after'>
}

/** The probe that the rules of a type need, in addition to pods and metrics. */
export type Probe = 'ping' | 'write' | 'none'

const PING_TIMEOUT_MS = 30_000
const WRITE_TIMEOUT_MS = 2000
const SIDECAR = 'sidecar-busybox'
const TEST_FILE = '/var/log/mysql/micro-remed-check.tmp'

interface PodMetricsView {
  readonly containers?: readonly { readonly name: string; readonly usage: Record<string, string> }[]
}

/** A pod without the condition `Ready` counts as ready, as in MicroRemed. */
const isReadyPod = (pod: ApiObject): boolean => {
  const { status } = viewAs('Pod', pod)
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')
  return (
    !isTerminating(pod) && status?.phase === 'Running' && (ready === undefined || ready.status === 'True')
  )
}

const toContainer = (
  { name, resources }: ContainerView,
  metrics: PodMetricsView | undefined,
): CheckedContainer => {
  const used = metrics?.containers?.find((container) => container.name === name)?.usage
  return {
    name,
    limits: { cpu: quantityValue(resources?.limits?.cpu), memory: quantityValue(resources?.limits?.memory) },
    usage: used && { cpu: quantityValue(used.cpu) ?? 0, memory: quantityValue(used.memory) ?? 0 },
  }
}

/** Reads the summary that `ping` prints. */
export const parsePing = (output: string): CheckedPod['ping'] => {
  const loss = /([\d.]+)% packet loss/.exec(output)?.[1]
  if (loss === undefined) return undefined
  const average = /min\/avg\/max\S* = [\d.]+\/([\d.]+)\//.exec(output)?.[1]
  return { lossPercent: Number(loss), averageMs: average === undefined ? undefined : Number(average) }
}

/** Reads the summary that `dd` prints. */
export const parseWrite = (output: string): number | undefined => {
  const seconds = /copied, ([\d.e+-]+) s/.exec(output)?.[1]
  return seconds === undefined ? undefined : Number(seconds)
}

/** Runs a program in one container; undefined if it cannot be run or does not end in time. */
const runInContainer = async (
  { api, namespace, time }: CheckTarget,
  pod: ApiObject,
  container: string,
  { command, timeoutMs }: { readonly command: readonly string[]; readonly timeoutMs: number },
): Promise<{ readonly outcome: ExecOutcome | undefined; readonly isOverdue: boolean }> => {
  const timeout = new AbortController()
  const timer = time.after(timeoutMs, () => timeout.abort(new Error('the program takes too long')))
  const { signal } = timeout
  const { name } = pod.metadata
  const outcome = await api.exec({ namespace, name }, command, { container, signal }).catch(() => undefined)
  timer.cancel()
  return { outcome, isOverdue: signal.aborted }
}

/** Runs a program in the first container, or else in the sidecar; undefined if neither runs it, or if it does not end in time. */
const runInPod = async (
  target: CheckTarget,
  pod: ApiObject,
  command: readonly string[],
  timeoutMs: number,
): Promise<string | undefined> => {
  const names = containersOf(pod).map(({ name }) => name)
  for (const container of [names[0], names.includes(SIDECAR) ? SIDECAR : undefined]) {
    if (container === undefined) continue
    const { outcome, isOverdue } = await runInContainer(target, pod, container, { command, timeoutMs })
    // 126 and 127: the container has no such program.
    if (outcome !== undefined && ![126, 127].includes(outcome.exitCode))
      return `${outcome.stdout}\n${outcome.stderr}`
    if (isOverdue) return undefined
  }
  return undefined
}

/** Pings the node of the pod: clusters have no access to the Internet, where MicroRemed's target is. */
const pingNode = async (target: CheckTarget, pod: ApiObject): Promise<CheckedPod['ping']> => {
  const { status } = viewAs('Pod', pod)
  if (status?.hostIP === undefined) return undefined
  const output = await runInPod(target, pod, ['ping', '-c', '3', '-W', '2', status.hostIP], PING_TIMEOUT_MS)
  return parsePing(output ?? '')
}

const measureWrite = async (target: CheckTarget, pod: ApiObject): Promise<number | undefined> => {
  const command = ['dd', 'if=/dev/zero', `of=${TEST_FILE}`, 'bs=1M', 'count=10', 'oflag=direct']
  const output = await runInPod(target, pod, command, WRITE_TIMEOUT_MS)
  await runInPod(target, pod, ['rm', '-f', TEST_FILE], WRITE_TIMEOUT_MS)
  return parseWrite(output ?? '')
}

/** Rejects if the API does not answer. Without metrics, containers have no usage. */
export const observeTarget = async (target: CheckTarget, probe: Probe): Promise<CheckedPod[]> => {
  const { api, namespace, service } = target
  const options = { labelSelector: `app=${service}` }
  const { items: pods } = await api.list({ apiVersion: 'v1', plural: 'pods', namespace }, options)
  const { items } = await api.list(
    { apiVersion: 'metrics.k8s.io/v1beta1', plural: 'pods', namespace },
    options,
  )
  const metrics = new Map(items.map((item) => [item.metadata.name, item as unknown as PodMetricsView]))
  return Promise.all(
    pods.map(async (pod) => ({
      name: pod.metadata.name,
      isReady: isReadyPod(pod),
      containers: containersOf(pod).map((container) =>
        toContainer(container, metrics.get(pod.metadata.name)),
      ),
      ...(probe === 'ping' ? { ping: await pingNode(target, pod) } : {}),
      ...(probe === 'write' ? { writeSeconds: await measureWrite(target, pod) } : {}),
    })),
  )
}
