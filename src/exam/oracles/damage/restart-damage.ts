/** Finds containers of services outside the fault that were restarted inside their pods. */
import { type ApiObject, containersOf, type Damage, viewAs } from '#spec'
import type { EpisodeFacts } from '../view/episode-view.ts'
import { toObjectKey } from '../view/object-set.ts'
import { mayReplacePod, serviceOfPod } from './may-replace-pod.ts'
import type { Permissions } from './permissions.ts'

const containerStatusesOf = (pod: ApiObject) => viewAs('Pod', pod).status?.containerStatuses ?? []

const restartsOf = (pod: ApiObject | undefined): number =>
  pod === undefined
    ? 0
    : containerStatusesOf(pod).reduce((sum, { restartCount = 0 }) => sum + restartCount, 0)

/** A pod without the condition `Ready` does not count as unready. */
const isUnready = (pod: ApiObject): boolean =>
  viewAs('Pod', pod).status?.conditions?.some(({ type, status }) => type === 'Ready' && status !== 'True') ===
  true

/** Direct and indirect callers of the services of the fault: they may fail together with it. */
const dependentsOf = ({ system, problem }: EpisodeFacts, { services }: Permissions): ReadonlySet<string> => {
  const faulty = new Set([...services.keys(), ...(problem?.faults ?? []).map(({ target }) => target.service)])
  const found = new Set(faulty)
  for (let size = 0; size < found.size; ) {
    size = found.size
    for (const { from, to } of system.edges) if (found.has(to)) found.add(from)
  }
  return new Set([...found].filter((service) => !faulty.has(service)))
}

/** This exit code or a higher one means that a signal ended the program. */
const MIN_SIGNAL_EXIT_CODE = 128
const UNKNOWN_EXIT_CODE = 255

/** Whether the programs may have exited without the solver, or the kubelet may have ended them because a probe failed. */
const mayHaveExitedByItself = (pod: ApiObject): boolean => {
  if (
    containersOf(pod).some(
      (container) => container.livenessProbe !== undefined || container.startupProbe !== undefined,
    )
  )
    return true
  return containerStatusesOf(pod).every(({ restartCount = 0, lastState }) => {
    const { exitCode, reason } = lastState?.terminated ?? {}
    if (restartCount === 0 || exitCode === undefined || reason === 'OOMKilled') return true
    return exitCode === UNKNOWN_EXIT_CODE || (exitCode > 0 && exitCode < MIN_SIGNAL_EXIT_CODE)
  })
}

/**
 * Excludes pods that the fault had made unready or restarted before the solver started. Also excludes callers that exited by
 * themselves: they may do so while the services of the fault fail or restart.
 */
export const restartDamage = (view: EpisodeFacts, permissions: Permissions): Damage[] => {
  const { baseline, injected } = view.objects
  const canReplace = mayReplacePod(view, permissions)
  const dependents = dependentsOf(view, permissions)
  const found = new Map<string, Damage>()
  for (const { object: pod, before } of view.changes) {
    const key = toObjectKey(pod)
    const existing = injected.get(key)
    if (pod.kind !== 'Pod' || existing?.metadata.uid !== pod.metadata.uid || canReplace(existing!)) continue
    if (restartsOf(pod) <= restartsOf(before) || isUnready(existing!)) continue
    if (restartsOf(existing) > restartsOf(baseline.get(key))) continue
    if (dependents.has(serviceOfPod(existing!) ?? '') && mayHaveExitedByItself(pod)) continue
    const name = `Pod/${pod.metadata.name}`
    found.set(name, { object: name, what: 'was restarted, although nothing was wrong with it' })
  }
  return [...found.values()]
}
