/**
 * Finds ephemeral containers that the solver added to pods outside the fault and that still run. No client can remove them, so a
 * finished one is no damage.
 */
import { type ApiObject, type Damage, isTerminating, viewAs } from '#spec'
import type { EpisodeFacts } from '../view/episode-view.ts'
import { mayReplacePod } from './may-replace-pod.ts'
import type { Permissions } from './permissions.ts'
import { firstSeen } from './pod-damage.ts'

const debuggersOf = (pod: ApiObject): string[] =>
  (viewAs('Pod', pod).spec?.ephemeralContainers ?? []).map(({ name }) => name)

const isFinished = (pod: ApiObject, debuggerName: string): boolean =>
  (viewAs('Pod', pod).status?.ephemeralContainerStatuses ?? []).some(
    ({ name, state }) => name === debuggerName && state?.terminated !== undefined,
  )

/** They are damage if they never end. In a pod that may be replaced, they end with the pod. */
export const leftDebuggers = (view: EpisodeFacts, permissions: Permissions): Damage[] => {
  const canReplace = mayReplacePod(view, permissions)
  return [...view.objects.now.values()].flatMap((pod) => {
    const original = pod.kind === 'Pod' && !isTerminating(pod) ? firstSeen(view, pod) : undefined
    if (original === undefined || canReplace(original)) return []
    const known = debuggersOf(original)
    const running = debuggersOf(pod).filter((name) => !known.includes(name) && !isFinished(pod, name))
    if (running.length === 0) return []
    const what = `was left with a running ephemeral container: ${running.join(', ')}`
    return [{ object: `Pod/${pod.metadata.name}`, what }]
  })
}
