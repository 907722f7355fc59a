/** Chooses the pods that kubectl drain removes, and lists the reasons against the drain. */
import { type ApiObject, isFinishedPod, ownersOf, viewAs } from '#spec'

export interface DrainChoices {
  readonly force: boolean
  readonly ignoreDaemonSets: boolean
  readonly deleteEmptyDirData: boolean
}

export interface DrainPlan {
  readonly chosen: readonly ApiObject[]
  readonly warnings: readonly string[]
  readonly errors: readonly string[]
}

const MIRROR = 'kubernetes.io/config.mirror'
const UNMANAGED = 'Pods that declare no controller'

const controllerOf = (pod: ApiObject): string | undefined =>
  ownersOf(pod).find(({ controller }) => controller === true)?.kind

const hasEmptyDir = (pod: ApiObject): boolean =>
  viewAs('Pod', pod).spec?.volumes?.some((volume) => 'emptyDir' in volume) === true

const namesOf = (pods: readonly ApiObject[]): string =>
  pods.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).join(', ')

export const planDrain = (pods: readonly ApiObject[], choices: DrainChoices): DrainPlan => {
  const groups: Record<'daemon' | 'local' | 'unmanaged', ApiObject[]> = {
    daemon: [],
    local: [],
    unmanaged: [],
  }
  const chosen: ApiObject[] = []
  for (const pod of pods) {
    if (MIRROR in ((pod.metadata.annotations ?? {}) as object)) continue
    const controller = controllerOf(pod)
    if (controller === 'DaemonSet' && !isFinishedPod(pod)) {
      groups.daemon.push(pod)
      continue
    }
    if (!isFinishedPod(pod) && hasEmptyDir(pod)) groups.local.push(pod)
    if (!isFinishedPod(pod) && controller === undefined) groups.unmanaged.push(pod)
    chosen.push(pod)
  }
  const warnings: string[] = []
  const errors: string[] = []
  const judge = (group: readonly ApiObject[], isAllowed: boolean, warning: string, error: string): void => {
    if (group.length === 0) return
    if (isAllowed) warnings.push(`${warning}: ${namesOf(group)}`)
    else errors.push(`${error}: ${namesOf(group)}`)
  }
  judge(
    groups.daemon,
    choices.ignoreDaemonSets,
    'ignoring DaemonSet-managed Pods',
    'cannot delete DaemonSet-managed Pods (use --ignore-daemonsets to ignore)',
  )
  judge(
    groups.local,
    choices.deleteEmptyDirData,
    'deleting Pods with local storage',
    'cannot delete Pods with local storage (use --delete-emptydir-data to override)',
  )
  judge(
    groups.unmanaged,
    choices.force,
    `deleting ${UNMANAGED}`,
    // kubectl repeats the words.
    `cannot delete cannot delete ${UNMANAGED} (use --force to override)`,
  )
  return { chosen, warnings, errors }
}
