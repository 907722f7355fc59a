/** A runbook: knows one sort of trouble, by what gives it away, and how it is mended. */
import type { FaultCategory, FaultLayer, FaultType } from '../../spec/index.ts'
import type { WorkloadView } from './observe/workloads.ts'
import type { World } from './observe/world.ts'

/** What is to be done, and whose pods are new afterwards. */
export interface Fix {
  /** In one sentence. */
  readonly plan: string
  /** YAML. */
  readonly playbook: string
  /** Services whose workloads must be settled again. */
  readonly services: readonly string[]
  /** Uids of pods that must be gone. */
  readonly replaces?: readonly string[]
}

/** A cause that would explain what is seen. */
export interface Hypothesis {
  readonly runbook: string
  /** In one sentence: `the last rollout of cartservice changed ...` */
  readonly claim: string
  /** The likeliest culprit first. */
  readonly services: readonly string[]
  readonly layer: FaultLayer
  readonly type: FaultType
  /** 0 to 1: how well it explains what is seen. */
  readonly score: number
  readonly evidence: readonly string[]
  /** Such trouble may pass by itself: worth a second look before anything is changed. */
  readonly mayPass: boolean
  readonly fix?: Fix
}

/** Where to look. */
export interface Focus {
  /** What a report names as the root cause, where it does; nothing elsewhere is then looked at. */
  readonly service?: string
  readonly category?: FaultCategory
}

export interface Runbook {
  readonly name: string
  /** What it is about, in a phrase. */
  readonly about: string
  /** The failure categories under which a report may file it. */
  readonly categories: readonly FaultCategory[]
  /** Everything that it finds; nothing where it does not apply. Only looks. */
  look(world: World, focus: Focus): Promise<readonly Hypothesis[]>
}

/** Declares a runbook; its file has its name. */
export const defineRunbook = (runbook: Runbook): Runbook => runbook

/** The workloads that come into question. */
export const candidates = async (world: World, { service }: Focus): Promise<readonly WorkloadView[]> => {
  if (service === undefined) return world.workloads()
  const named = await world.workloadOf(service)
  return named === undefined ? [] : [named]
}

export const isInFocus = ({ service }: Focus, candidate: string): boolean =>
  service === undefined || service === candidate
