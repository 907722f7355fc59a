/** A fault: how to break a system, which answers are correct, and how to check that the cause is gone. */
import type { ApiObject, KubeApi } from './kube-api.ts'
import type { PodSpecView } from './kube-objects.ts'
import type { PodConnection } from './pod-connection.ts'
import type { PodRoute } from './pod-route.ts'
import type { Edge, Topology } from './topology.ts'
import type { Journey } from './workload.ts'

/** The seven failure types of MicroRemed. */
export const FAULT_CATEGORIES = [
  'cpu-stress',
  'memory-stress',
  'disk-io',
  'network-loss',
  'network-delay',
  'pod-fail',
  'pod-config-error',
] as const
export type FaultCategory = (typeof FAULT_CATEGORIES)[number]

/** The layer of the cause. */
export const FAULT_LAYERS = [
  'hardware',
  'network',
  'operating-system',
  'middleware',
  'application',
  'virtualisation',
] as const
export type FaultLayer = (typeof FAULT_LAYERS)[number]

/** Definitions that agents get when they are asked for a layer. */
export const LAYER_MEANINGS: Readonly<Record<FaultLayer, string>> = {
  hardware: 'a node or a disk is faulty, or users exceed the capacity',
  network:
    'packets between pods are delayed, lost, throttled or blocked, or DNS names resolve to wrong addresses',
  'operating-system': 'processes in a pod take resources from its program, or a clock is wrong',
  middleware: 'the data, logins, connections or usage of a database, cache or broker are wrong',
  application:
    'the release or the settings of a service are wrong, including the addresses of its dependencies',
  virtualisation:
    'a Kubernetes setting is wrong, or an object is missing (workloads, images, limits, probes, scheduling, volumes, quotas, Services, Secrets)',
}

/** The type of the cause. */
export const FAULT_TYPES = [
  'misconfiguration',
  'code-defect',
  'authentication-issue',
  'network-storage-issue',
  'operation-error',
  'dependency-problem',
  'capacity-shortage',
] as const
export type FaultType = (typeof FAULT_TYPES)[number]

export const TYPE_MEANINGS: Readonly<Record<FaultType, string>> = {
  misconfiguration: 'a setting has a wrong value',
  'code-defect': 'a release of a program is defective',
  'authentication-issue': 'access is denied (passwords, permissions, tokens)',
  'network-storage-issue': 'the network delays, loses or blocks traffic, or a disk or volume is slow or full',
  'operation-error': 'something was deleted, stopped, scaled down or taken out of service',
  'dependency-problem': 'something that a pod needs does not exist',
  'capacity-shortage': 'demand exceeds capacity (CPU, memory, room on nodes, connections)',
}

/**
 * The course of a fault over time. A transient fault vanishes without intervention, so the correct repair is to change
 * nothing.
 */
export type FaultShape =
  | { readonly kind: 'sudden' }
  | { readonly kind: 'gradual'; readonly overMs: number }
  | { readonly kind: 'intermittent'; readonly onMs: number; readonly offMs: number }
  | { readonly kind: 'transient'; readonly forMs: number }

export type ParameterDeclaration =
  | {
      readonly type: 'integer' | 'number'
      readonly about: string
      readonly min: number
      readonly max: number
      readonly default: number
      /** For example `ms`, `%` or `MiB`. */
      readonly unit?: string
    }
  | {
      readonly type: 'choice'
      readonly about: string
      readonly choices: readonly string[]
      readonly default: string
    }

export type ParameterValues = Readonly<Record<string, number | string>>

/** The target of a fault: a service, and further details such as `{service, container, variable}`. */
export interface FaultTarget {
  /** The label `app` of its pods. Faults of nodes name the node in another detail. */
  readonly service: string
  readonly [detail: string]: string | number
}

/** The state that an injection returns; plain JSON. */
export type FaultState = Readonly<Record<string, unknown>>

export interface WorkloadView {
  readonly kind: 'Deployment' | 'StatefulSet'
  readonly name: string
  /** The label `app` of its pods. */
  readonly service: string
  readonly replicas: number
  /** The workload as declared in the system's manifests. */
  readonly manifest: ApiObject
  /** The spec of its pods. */
  readonly podSpec: PodSpecView
}

/** The journeys of the default load that a degraded service affects; measured by `npm run survey`. */
export interface Impact {
  /** Affected if the service is down. */
  readonly down: readonly string[]
  /** Affected if each of its responses is delayed by a second. */
  readonly slow: readonly string[]
  /** Affected if its pods are starved of CPU. */
  readonly starved: readonly string[]
  /** Affected if half of the packets of its pods are lost. */
  readonly lossy: readonly string[]
}

/** A system as faults, problems and oracles use it: workloads, call graph, and the impact on users. */
export interface SystemView {
  readonly name: string
  readonly namespace: string
  readonly workloads: readonly WorkloadView[]
  /** All objects of the system's manifests. */
  readonly objects: readonly ApiObject[]
  readonly edges: readonly Edge[]
  /** The journeys with a weight above 0. */
  readonly journeys: readonly Journey[]
  readonly topology?: Topology
  /** Good image tags besides the deployed one, and bad ones with their defects. */
  releasesOf(service: string): { readonly good: readonly string[]; readonly bad: ReadonlyMap<string, string> }
  impactOf(service: string): Impact
  /** Throws if the service has no workload. */
  workloadOf(service: string): WorkloadView
  callersOf(service: string): readonly string[]
  /** The command that an image runs if the container names none; undefined if it is not known. */
  entrypointOf?(image: string): readonly string[] | undefined
}

/** A fault in one episode: its system, target and parameters. */
export interface FaultCase {
  readonly system: SystemView
  readonly target: FaultTarget
  /** With a value for every declared parameter. */
  readonly params: ParameterValues
}

/**
 * The label of objects that a fault adds to the laboratory while a solver works, for example for new pods on
 * a faulty node.
 */
export const FOLLOW_UP_LABEL = 'remedium-follow-up'
/** The value of `FOLLOW_UP_LABEL` on objects that the fault also removes once its cause is gone. */
export const REMOVED_WITH_CAUSE = 'comes-and-goes'

/** The suffix of kinds that only the laboratory creates, such as `PodChaos`. Solvers do not see them. */
export const LABORATORY_KIND_SUFFIX = 'Chaos'
export const isLaboratoryKind = (kind: string): boolean => kind.endsWith(LABORATORY_KIND_SUFFIX)

/** Controls the simulated users of the system. */
export interface UserControl {
  /** Multiplies the usual number of users. */
  multiply(factor: number): Promise<void>
}

export interface FaultContext extends FaultCase {
  /** Has administrator rights. */
  readonly api: KubeApi
  readonly users: UserControl
  /** The existing namespace for objects of the laboratory. */
  readonly laboratory: string
  /**
   * The names of all programs in a pod of the system, as seen from the host, because tools inside the pod may
   * have been replaced. Rejects if the pod is not running. Absent if the engine does not support it.
   */
  programsIn?(pod: string): Promise<readonly string[]>
  /**
   * Connects to a port of the pod with this uid, as `connectTo` of the engine does. Absent if the engine has
   * none.
   */
  connectTo?(uid: string, port: number, via: PodRoute): Promise<PodConnection>
  /** The share of a gradual fault that is in force: above 0, at most 1. 1 for other faults. */
  readonly share: number
  readonly signal: AbortSignal
  sleep(ms: number): Promise<void>
}

/** The objects at one moment of an episode, from its record. */
export interface ObjectsView {
  /** Looks in the system's namespace and among cluster-wide objects. */
  get(kind: string, name: string): ApiObject | undefined
  list(kind: string): readonly ApiObject[]
}

/** The complete input of the check for a cause, so that the check can be repeated later. */
export interface CauseSnapshot extends FaultCase {
  readonly state: FaultState
  /** The objects before the fault. */
  readonly baseline: ObjectsView
  /** The objects just after the injection. */
  readonly injected: ObjectsView
  readonly now: ObjectsView
  /** The result of the last `probe`; empty without a probe. */
  readonly facts: FaultState
  /** The version of the rules by which the record is judged; the current version by default. */
  readonly rules?: number
}

export interface Finding {
  readonly holds: boolean
  /** The observation, in one sentence with values. */
  readonly evidence: string
}

export interface CauseState extends Finding {
  /**
   * Whether the cause can still vanish without a further change, for example when an autoscaler adds pods.
   */
  readonly isPending?: boolean
}

/** A repair of a fault, right or wrong, that validation tries without an agent. */
export interface Repair {
  readonly name: string
  /** A phrase that describes the repair. */
  readonly about: string
  act(context: RepairContext): Promise<void>
}

/** A cheap wrong repair. */
export interface Hack extends Repair {
  /** Whether it acts after the reference repair, so that only the damage that it causes is wrong. */
  readonly afterRepair?: boolean
  /** Whether the system has something on which it can act; true by default. Pure: validation asks before it starts a cluster. */
  appliesTo?(setting: HackSetting): boolean
}

/** What a hack knows without a cluster. */
export type HackSetting = Pick<RepairContext, 'system' | 'target' | 'targets'>

export interface RepairContext extends FaultCase {
  readonly api: KubeApi
  readonly laboratory: string
  /** The services of all faults of the problem; only the target's by default. */
  readonly targets?: readonly string[]
  readonly state: FaultState
  readonly signal: AbortSignal
  /** The time of the episode in milliseconds since the epoch. */
  now(): number
  sleep(ms: number): Promise<void>
}

export type ProbeName = 'livenessProbe' | 'readinessProbe' | 'startupProbe'

/** The parts that a correct repair may change, besides the objects that the fault has changed. */
export interface FixScope {
  /** Services whose pods it may restart or replace, and whose pod templates it may change. */
  readonly services: readonly string[]
  /** Whether it may cordon nodes, and move pods away from them. */
  readonly nodes?: boolean
  /** Whether a good release other than that of the baseline is also correct. */
  readonly anyGoodRelease?: boolean
  /** Probes of serving containers that may differ from the baseline, if the fault accepts them. */
  readonly probes?: readonly ProbeName[]
}

/** The kind of user impact: failed requests, slow requests, or either of them. */
export type ImpactKind = 'failures' | 'slowness' | 'either'

export interface Fault {
  /** The name of its folder. */
  readonly name: string
  /** One sentence that says what is broken. */
  readonly about: string
  readonly category: FaultCategory
  readonly layer: FaultLayer
  readonly type: FaultType
  /** Other layers that are correct answers by their definitions. */
  readonly otherLayers?: readonly FaultLayer[]
  /** Other types that are correct answers by their definitions. */
  readonly otherTypes?: readonly FaultType[]
  /**
   * `pod`: the fault is in one pod and vanishes with it. `cause`: the fault is in an object, process or node,
   * and a restart of the affected pods does not repair it. If it is in the data of a store, restarting the
   * service that writes the data can be correct.
   */
  readonly binding: 'pod' | 'cause'
  readonly parameters: Readonly<Record<string, ParameterDeclaration>>
  /**
   * The supported shapes; `sudden` by default. A gradual fault is injected repeatedly with a growing share.
   */
  readonly shapes?: readonly FaultShape['kind'][]
  /** One phrase for each symptom. */
  readonly symptoms: readonly string[]
  /** The targets on which it affects users, in a stable order. */
  targets(system: SystemView): readonly FaultTarget[]
  /** Resolves when the fault is in force. */
  inject(context: FaultContext, before?: FaultState): Promise<FaultState>
  /** Reverts the parts of the injection that have not been repaired. */
  recover(context: FaultContext, state: FaultState): Promise<void>
  /**
   * The services at fault; the target's by default. An answer that names any of them first is correct.
   * Without a state, returns all possible ones.
   */
  culprits?(faultCase: FaultCase & { readonly state?: FaultState }): readonly string[]
  /**
   * Observes facts that objects do not show, inside pods and stores. Never changes anything. A probe that
   * rejects is repeated. A probe that never succeeds counts against the solver, unless it rejects with a
   * RemediumError.
   */
  probe?(context: FaultContext, state: FaultState): Promise<FaultState>
  /** Whether the cause is gone. A pure function. */
  isGone(snapshot: CauseSnapshot): CauseState
  /**
   * The user impact once the pods that the injection replaces are ready. Failures while they start are not an
   * effect of the fault and do not count as user impact. `never-ready`: the fault keeps the pods unready, so
   * all impact since the injection counts. Undefined, which is the default, means that this depends on the
   * target: impact counts once the pods are ready, or have been unready for longer than a start takes.
   */
  impactOnceReady?(faultCase: FaultCase): ImpactKind | 'never-ready' | undefined
  /**
   * Milliseconds for which users must be served before a verdict; 2000 by default. Longer if the fault's
   * effect varies.
   */
  readonly servedForMs?: number
  /**
   * The first version of the judging rules that applies `servedForMs`; by default the one that introduced the
   * field.
   */
  readonly servedForMsSince?: number
  /** The scope of a correct repair; only the target's service by default. */
  scope?(faultCase: FaultCase): FixScope
  /** The reference playbook, as YAML. */
  fix(faultCase: FaultCase & { readonly state: FaultState }): string
  readonly hacks: readonly Hack[]
}

/** Declares a fault; the folder has its name. */
export const defineFault = (fault: Fault): Fault => fault
