/** Chooses the pod that `exec` and `logs` use for a workload, and its container. */
import { defined } from '#kit'
import { type ApiObject, type ContainerView, containersOf, isReady, UnsupportedCommand, viewAs } from '#spec'
import { findObjects } from './find-objects.ts'
import type { Found } from './found.ts'
import type { KubectlCall } from './kubectl-call.ts'

const selectorOf = ({ object }: Found): string => {
  const { selector } = object.spec as { selector?: Record<string, any> }
  if (selector === undefined) throw new UnsupportedCommand(`kubectl with the pods of a ${object.kind}`)
  const labels: Record<string, string> =
    selector.matchLabels ?? (selector.matchExpressions === undefined ? selector : {})
  if (selector.matchExpressions !== undefined)
    throw new UnsupportedCommand('kubectl with a selector of expressions')
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',')
}

/** Running and ready pods come first, then the older ones. */
const byActivity = (a: ApiObject, b: ApiObject): number => {
  const rank = (pod: ApiObject): number =>
    (isReady(pod) ? 0 : 2) + (viewAs('Pod', pod).status?.phase === 'Running' ? 0 : 1)
  const created = (pod: ApiObject): string => String(pod.metadata.creationTimestamp)
  return rank(a) - rank(b) || (created(a) < created(b) ? -1 : Number(created(a) > created(b)))
}

/** The pods that a workload selects, the most active first. */
export const podsOf = async ({ program }: KubectlCall, found: Found): Promise<ApiObject[]> => {
  const { namespace } = found.object.metadata
  const { items } = await program.api.list(
    { apiVersion: 'v1', plural: 'pods', ...defined({ namespace }) },
    { labelSelector: selectorOf(found) },
  )
  return items.toSorted(byActivity)
}

/** `pod`, `pod/NAME` or `TYPE/NAME`. */
export const findTarget = async (call: KubectlCall, target: string): Promise<Found> => {
  const args = [target.includes('/') ? target : `pod/${target}`]
  const [found] = await findObjects({ ...call, flags: { ...call.flags, args } })
  return found!
}

export const initContainersOf = (pod: ApiObject): readonly ContainerView[] =>
  viewAs('Pod', pod).spec?.initContainers ?? []

const DEFAULT_CONTAINER = 'kubectl.kubernetes.io/default-container'

/** Returns the container of `-c`, or the first one. Prints its name if there are several. */
export const chooseContainer = (call: KubectlCall, pod: ApiObject): string => {
  const wanted = call.flags.text('container')
  const all = containersOf(pod)
  // The server checks the name.
  if (wanted !== undefined) return wanted
  const annotated = (pod.metadata.annotations as Record<string, string> | undefined)?.[DEFAULT_CONTAINER]
  if (annotated !== undefined && all.some(({ name }) => name === annotated)) return annotated
  const [first] = all
  if (all.length > 1)
    call.err(`Defaulted container "${first!.name}" out of: ${all.map(({ name }) => name).join(', ')}`)
  return first!.name
}
