/** A runbook: diagnoses one kind of fault from its symptoms, and provides the repair. */
import type { FaultCategory, FaultLayer, FaultType } from '#spec'
import type { WorkloadView } from './observe/workloads.ts'
import type { World } from './observe/world.ts'

/** A repair, and the workloads that it affects. */
export interface Fix {
  /** In one sentence. */
  readonly plan: string
  /** YAML. */
  readonly playbook: string
  /** The services whose workloads must become ready after the repair. */
  readonly services: readonly string[]
  /** The uids of pods that the repair replaces. */
  readonly replaces?: readonly string[]
}

/** A possible cause of the observed symptoms. */
export interface Hypothesis {
  readonly runbook: string
  /** In one sentence: `The last rollout of cartservice changed ...` */
  readonly claim: string
  /** The most likely cause first. */
  readonly services: readonly string[]
  readonly layer: FaultLayer
  readonly type: FaultType
  /** How well it explains the symptoms: 0 to 1. */
  readonly score: number
  readonly evidence: readonly string[]
  /** Whether such a fault may pass without intervention. It is checked again before anything is changed. */
  readonly mayBeTransient: boolean
  readonly fix?: Fix
}

/** Restricts a diagnosis. */
export interface Focus {
  /** The root cause that the report names. Other services are not examined. */
  readonly service?: string
  readonly category?: FaultCategory
}

export interface Runbook {
  readonly name: string
  /** A short description. */
  readonly about: string
  /** The failure categories by which a report may describe the fault. */
  readonly categories: readonly FaultCategory[]
  /** Returns its hypotheses, without changing the system. */
  diagnose(world: World, focus: Focus): Promise<readonly Hypothesis[]>
}

/** Declares a runbook. Its file has the same name. */
export const defineRunbook = (runbook: Runbook): Runbook => runbook

/** Lists the workloads in the focus. */
export const listCandidates = async (world: World, { service }: Focus): Promise<readonly WorkloadView[]> => {
  if (service === undefined) return world.workloads()
  const workload = await world.workloadOf(service)
  return workload === undefined ? [] : [workload]
}

export const isInFocus = ({ service }: Focus, candidate: string): boolean =>
  service === undefined || service === candidate
