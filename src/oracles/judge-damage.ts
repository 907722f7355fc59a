/** Whether anything else was broken or touched. */
import type { Damage } from '../spec/index.ts'
import { addedWork } from './added-work.ts'
import { additionDamage, toAddition } from './damage/additions.ts'
import { callDamage } from './damage/call-damage.ts'
import { laboratoryDamage } from './damage/laboratory-damage.ts'
import { needlessChanges } from './damage/needless-changes.ts'
import { objectDamage } from './damage/object-damage.ts'
import { podDamage } from './damage/pod-damage.ts'
import { restartDamage } from './damage/restart-damage.ts'
import { workloadDamage } from './damage/workload-damage.ts'
import type { EpisodeFacts } from './episode-view.ts'
import { permissionsOf } from './permissions.ts'
import { isSettled, readyPodsOf, replicasOf } from './readiness.ts'

export interface DamageReport {
  /** What is done, and what nothing that comes can undo. */
  readonly damage: readonly Damage[]
  /** Jobs and pods of the act that go on: one that never ends is damage. */
  readonly unfinished: readonly Damage[]
  /** What is not yet as it was but may come to be. */
  readonly notYet: readonly Damage[]
}

/** Workloads that had all their pods before the fault and have not now. */
const missingPods = ({ objects, unsettled }: EpisodeFacts): Damage[] =>
  [...unsettled].flatMap((key) => {
    const [baseline, now] = [objects.baseline.get(key), objects.now.get(key)]
    if (baseline === undefined || now === undefined || !isSettled(baseline)) return []
    const wanted = now.kind === 'DaemonSet' ? readyPodsOf(baseline) : replicasOf(now)
    const what = `has ${readyPodsOf(now)} of ${wanted} pods ready, or not all are of its newest template`
    return [{ object: `${now.kind}/${now.metadata.name}`, what }]
  })

/** One entry for each thing that is wrong, the first that was said of it. */
const once = (damage: readonly Damage[]): Damage[] => [
  ...new Map(damage.map((one) => [`${one.object} ${one.what}`, one])).values(),
]

/** `since`: from when on calls count. */
export const judgeDamage = (view: EpisodeFacts, since: number): DamageReport => {
  const permissions = permissionsOf(view)
  return {
    damage: once([
      ...workloadDamage(view, permissions),
      ...podDamage(view, permissions),
      ...restartDamage(view, permissions),
      ...objectDamage(view, permissions),
      ...(permissions.nothing ? needlessChanges(view) : additionDamage(view, permissions)),
      ...laboratoryDamage(view),
    ]),
    // Where nothing had to be changed they are damage already.
    unfinished: permissions.nothing ? [] : addedWork(view).unfinished.map(toAddition),
    notYet: [...missingPods(view), ...callDamage(view, permissions, since)],
  }
}

const MOST_TOLD = 4

export const tellDamage = (damage: readonly Damage[]): string => {
  const told = damage.slice(0, MOST_TOLD).map(({ object, what }) => `${object} ${what}`)
  const more = damage.length - told.length
  return [...told, ...(more > 0 ? [`and ${more} more`] : [])].join('; ')
}
