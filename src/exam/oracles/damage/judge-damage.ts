/** Judges whether anything outside the fault was broken or changed. */
import { type Damage, replicasOf } from '#spec'
import { addedWork } from '../cause/added-work.ts'
import type { CauseFinding } from '../cause/judge-cause.ts'
import { isSettled, readyPodsOf } from '../objects/readiness.ts'
import { actionEndedAt } from '../view/action-end.ts'
import { cachePerState } from '../view/cache-per-state.ts'
import type { EpisodeFacts } from '../view/episode-view.ts'
import { additionDamage, toAddition } from './addition-damage.ts'
import { callDamage } from './call-damage.ts'
import { containerDamage } from './container-damage.ts'
import { dataDamage, unansweredStores } from './data-damage.ts'
import { effectsOfFault } from './effects-of-fault.ts'
import { endpointDamage } from './endpoint-damage.ts'
import { laboratoryDamage } from './laboratory-damage.ts'
import { leftDebuggers } from './left-debuggers.ts'
import { leftProcesses } from './left-processes.ts'
import { needlessChanges } from './needless-changes.ts'
import { objectDamage } from './object-damage.ts'
import { ownershipDamage } from './ownership-damage.ts'
import { permissionsOf } from './permissions.ts'
import { podDamage } from './pod-damage.ts'
import { restartDamage } from './restart-damage.ts'
import { deletedWorkOfOthers, missingWorkloads, workloadDamage } from './workload-damage.ts'

export interface DamageReport {
  /** Damage that later events cannot undo. */
  readonly damage: readonly Damage[]
  /**
   * Jobs, pods, ephemeral containers and processes of the solver that still run, changes inside containers, and stores that do not answer;
   * they are damage if they remain.
   */
  readonly unfinished: readonly Damage[]
  /** Damage that may still recover. */
  readonly notRecovered: readonly Damage[]
  /** Whether workloads wait for pods that are not ready. */
  readonly areMissingPods: boolean
}

/** Workloads that were settled before the fault and are not now, except those that the fault broke. */
const missingPods = ({ objects, unsettled }: EpisodeFacts, brokenByFault: ReadonlySet<string>): Damage[] =>
  [...unsettled].flatMap((key) => {
    if (brokenByFault.has(key)) return []
    const [baseline, now] = [objects.baseline.get(key), objects.now.get(key)]
    if (baseline === undefined || now === undefined || !isSettled(baseline)) return []
    const desired = now.kind === 'DaemonSet' ? readyPodsOf(baseline) : replicasOf(now)
    const ready = readyPodsOf(now)
    const what =
      ready < desired
        ? `has ${ready} of ${desired} pods ready`
        : 'has pods that are not of its current template'
    return [{ object: `${now.kind}/${now.metadata.name}`, what }]
  })

const withoutDuplicates = (damage: readonly Damage[]): Damage[] => [
  ...new Map(damage.map((item) => [`${item.object} ${item.what}`, item])).values(),
]

/** The longest delay until the record contains the creation of an object. */
const WATCH_LAG_MS = 2000

const areWritesRecorded = (view: EpisodeFacts): boolean =>
  view.solverEnded !== undefined && view.at > actionEndedAt(view) + WATCH_LAG_MS

export interface DamageOptions {
  /** The time from which calls count. */
  readonly since: number
  readonly cause?: CauseFinding
}

/** The parts of a report that depend neither on the time nor on calls. */
interface StateDamage {
  /** Missing workloads, which count as damage once all writes of the solver are recorded. */
  readonly missing: readonly Damage[]
  readonly damage: readonly Damage[]
  readonly unfinished: readonly Damage[]
  readonly missingPods: readonly Damage[]
  /** Services whose failed calls are not damage. */
  readonly excluded: ReadonlySet<string>
}

const judgeState = (view: EpisodeFacts, cause: CauseFinding | undefined): StateDamage => {
  const permissions = permissionsOf(view)
  const faultEffects = effectsOfFault(view, cause)
  return {
    missing: [
      ...missingWorkloads(view, permissions),
      // The laboratory removes what a transient fault added.
      ...(permissions.isChangeless ? [] : deletedWorkOfOthers(view)),
    ],
    damage: [
      ...workloadDamage(view, permissions),
      ...podDamage(view, permissions),
      ...restartDamage(view, permissions),
      ...objectDamage(view, permissions),
      ...ownershipDamage(view, permissions),
      ...(permissions.isChangeless ? needlessChanges(view) : additionDamage(view, permissions)),
      ...laboratoryDamage(view),
      ...dataDamage(view),
    ],
    unfinished: [
      // If nothing had to be changed, `needlessChanges` already reports them.
      ...(permissions.isChangeless ? [] : addedWork(view).unfinished.map(toAddition)),
      ...leftProcesses(view, permissions),
      ...leftDebuggers(view, permissions),
      ...containerDamage(view, permissions),
      ...endpointDamage(view),
      ...unansweredStores(view, { isCauseGone: cause?.holds !== false, affected: faultEffects.services }),
    ],
    missingPods: missingPods(view, faultEffects.workloads),
    excluded: new Set([...permissions.services.keys(), ...faultEffects.services]),
  }
}

const statesByCause = cachePerState(() => new Map<CauseFinding | undefined, StateDamage>())

export const judgeDamage = (view: EpisodeFacts, { since, cause }: DamageOptions): DamageReport => {
  const states = statesByCause(view)
  const state = states.get(cause) ?? judgeState(view, cause)
  states.set(cause, state)
  const { missing, damage, unfinished, excluded } = state
  const isMissingPermanently = areWritesRecorded(view)
  return {
    damage: withoutDuplicates([...(isMissingPermanently ? missing : []), ...damage]),
    unfinished,
    areMissingPods: state.missingPods.length > 0,
    notRecovered: [
      ...(isMissingPermanently ? [] : missing),
      ...state.missingPods,
      ...callDamage(view, { since, excluded }),
    ],
  }
}

const MAX_REPORTED = 4

export const describeDamage = (damage: readonly Damage[]): string => {
  const shown = damage.slice(0, MAX_REPORTED).map(({ object, what }) => `${object} ${what}`)
  const more = damage.length - shown.length
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join('; ')
}
