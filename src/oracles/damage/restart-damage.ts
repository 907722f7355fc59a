/** Programs that were ended inside pods which go on: nobody but the fault may do that to a service outside of it. */
import type { ApiObject, Damage } from '../../spec/index.ts'
import type { EpisodeFacts } from '../episode-view.ts'
import { toObjectKey } from '../object-set.ts'
import type { Permissions } from '../permissions.ts'
import { appOf, freePods } from './free-pods.ts'

interface ContainerStatus {
  readonly name: string
  readonly restartCount?: number
  readonly lastState?: { readonly terminated?: { readonly exitCode?: number; readonly reason?: string } }
}

interface PodStatus {
  readonly conditions?: readonly { readonly type: string; readonly status: string }[]
  readonly containerStatuses?: readonly ContainerStatus[]
}

const statusOf = (pod: ApiObject | undefined): PodStatus => (pod?.status ?? {}) as PodStatus

const restartsOf = (pod: ApiObject | undefined): number =>
  (statusOf(pod).containerStatuses ?? []).reduce((sum, { restartCount = 0 }) => sum + restartCount, 0)

const isReady = (pod: ApiObject): boolean =>
  !(statusOf(pod).conditions ?? []).some(({ type, status }) => type === 'Ready' && status !== 'True')

/** Those who call a service that is hit, or call somebody who does: they may fail with it. */
const dependentsOf = ({ system, problem }: EpisodeFacts, { services }: Permissions): ReadonlySet<string> => {
  const hit = new Set([...services.keys(), ...(problem?.faults ?? []).map(({ target }) => target.service)])
  const found = new Set(hit)
  for (let size = 0; size < found.size; ) {
    size = found.size
    for (const { from, to } of system.edges) if (found.has(to)) found.add(from)
  }
  return new Set([...found].filter((service) => !hit.has(service)))
}

const SIGNALLED = 128
const UNKNOWN = 255

/** Whether the program gave up by itself, or the kubelet ended it because a probe said so. */
const isOwnEnd = (pod: ApiObject): boolean => {
  const { containers = [] } = (pod.spec ?? {}) as { containers?: Readonly<Record<string, unknown>>[] }
  if (containers.some((one) => one.livenessProbe !== undefined || one.startupProbe !== undefined)) return true
  return (statusOf(pod).containerStatuses ?? []).every(({ restartCount = 0, lastState }) => {
    const { exitCode, reason } = lastState?.terminated ?? {}
    if (restartCount === 0 || exitCode === undefined || reason === 'OOMKilled') return true
    return exitCode === UNKNOWN || (exitCode > 0 && exitCode < SIGNALLED)
  })
}

/**
 * A pod that was ill when the act began, or had been restarted by the fault, is the fault's. Who depends on the services of the
 * fault may end by himself while they fail or are restarted.
 */
export const restartDamage = (view: EpisodeFacts, permissions: Permissions): Damage[] => {
  const { baseline, injected } = view.objects
  const free = freePods(view, permissions)
  const dependents = dependentsOf(view, permissions)
  const found = new Map<string, Damage>()
  for (const { object: pod, before } of view.acts) {
    const key = toObjectKey(pod)
    const known = injected.get(key)
    if (pod.kind !== 'Pod' || known?.metadata.uid !== pod.metadata.uid || free(known!)) continue
    if (restartsOf(pod) <= restartsOf(before) || !isReady(known!)) continue
    if (restartsOf(known) > restartsOf(baseline.get(key))) continue
    if (dependents.has(appOf(known!) ?? '') && isOwnEnd(pod)) continue
    const name = `Pod/${pod.metadata.name}`
    found.set(name, { object: name, what: 'was restarted, although nothing was wrong with it' })
  }
  return [...found.values()]
}
