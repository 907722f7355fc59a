/** A fault: how a system is broken on purpose, what the answer is, and how one knows that it was mended. */
import type { ApiObject, KubeApi } from './kube-api.ts'
import type { Edge, Topology } from './topology.ts'
import type { Journey } from './workload.ts'

/** The seven of MicroRemed, by its own words. */
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

/** Where the cause lies. */
export const FAULT_LAYERS = [
  'hardware',
  'network',
  'operating-system',
  'middleware',
  'application',
  'virtualisation',
] as const
export type FaultLayer = (typeof FAULT_LAYERS)[number]

/** As they are told to whoever is asked for one. */
export const LAYER_MEANINGS: Readonly<Record<FaultLayer, string>> = {
  hardware: 'a whole node or a disk is sick, or there are more users than the machines serve',
  network: 'between pods: packets late, lost, throttled or forbidden, or names that lead astray',
  'operating-system': 'processes in a pod take what its program needs, or a clock is wrong',
  middleware: 'a database, cache or broker: what is in it, logins and connections to it, its use',
  application: 'a service itself: its release, its own settings, where it looks for others',
  virtualisation:
    'Kubernetes: workloads, images, limits, probes, scheduling, volumes, quotas, Services, missing Secrets',
}

/** What sort of cause it is. */
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
  misconfiguration: 'a setting says something wrong',
  'code-defect': 'a release of a program misbehaves',
  'authentication-issue': 'somebody is not let in: passwords, rights, tokens',
  'network-storage-issue': 'the network delays, loses or cuts, or a disk or volume is slow or full',
  'operation-error': 'something was deleted, stopped, scaled down or put out of use',
  'dependency-problem': 'something that a pod needs does not exist',
  'capacity-shortage': 'more is asked for than there is: CPU, memory, room on nodes, connections',
}

/** How it goes over time. A transient one heals by itself: the right answer is to change nothing. */
export type FaultShape =
  | { readonly kind: 'sudden' }
  | { readonly kind: 'gradual'; readonly overMs: number }
  | { readonly kind: 'intermittent'; readonly onMs: number; readonly offMs: number }
  | { readonly kind: 'transient'; readonly forMs: number }

export type ParameterDeclaration =
  | {
      readonly type: 'integer' | 'number'
      readonly about: string
      readonly least: number
      readonly most: number
      readonly default: number
      /** What it is counted in: `ms`, `%`, `MiB`. */
      readonly unit?: string
    }
  | {
      readonly type: 'choice'
      readonly about: string
      readonly choices: readonly string[]
      readonly default: string
    }

export type ParameterValues = Readonly<Record<string, number | string>>

/** What is hit: a service of the system, and what else the fault must know: `{service, container, variable}`. */
export interface FaultTarget {
  /** The label `app` of its pods; the name of a node for faults of nodes is a detail beside it. */
  readonly service: string
  readonly [detail: string]: string | number
}

/** What is remembered of an injection; plain JSON. */
export type FaultState = Readonly<Record<string, unknown>>

export interface WorkloadView {
  readonly kind: 'Deployment' | 'StatefulSet'
  readonly name: string
  /** The label `app` of its pods. */
  readonly service: string
  readonly replicas: number
  /** As the system's manifest has it. */
  readonly manifest: ApiObject
  /** Of its pods. */
  readonly podSpec: PodSpecView
}

export interface PodSpecView {
  readonly containers: readonly ContainerView[]
  readonly volumes?: readonly Readonly<Record<string, unknown>>[]
  readonly [field: string]: unknown
}

export interface ContainerView {
  readonly name: string
  readonly image: string
  readonly env?: readonly { readonly name: string; readonly value?: string; readonly valueFrom?: object }[]
  readonly envFrom?: readonly Readonly<Record<string, { readonly name: string }>>[]
  readonly resources?: {
    readonly requests?: Readonly<Record<string, string>>
    readonly limits?: Readonly<Record<string, string>>
  }
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[]
  readonly [field: string]: unknown
}

/** Which journeys of the usual load suffer when a service does; measured, not guessed. */
export interface Impact {
  /** Those that fail, or take much longer, when it is gone. */
  readonly down: readonly string[]
  /** Those that take much longer, or fail, when each of its answers comes a second late. */
  readonly slow: readonly string[]
  /** Those of them that users feel when its pods are starved of CPU. */
  readonly starved: readonly string[]
  /** Those of them that users feel when half of what its pods send is lost. */
  readonly lossy: readonly string[]
}

/** A system as faults look at it: what is deployed, who calls whom, and what is worth what to users. */
export interface SystemView {
  readonly name: string
  readonly namespace: string
  readonly workloads: readonly WorkloadView[]
  /** Everything that the system is deployed with. */
  readonly objects: readonly ApiObject[]
  readonly edges: readonly Edge[]
  /** Those of a weight above 0. */
  readonly journeys: readonly Journey[]
  readonly topology?: Topology
  /** Tags of the service's image that are good, besides the one that runs, and bad ones by what is wrong with them. */
  releasesOf(service: string): { readonly good: readonly string[]; readonly bad: ReadonlyMap<string, string> }
  impactOf(service: string): Impact
  /** Throws where there is none. */
  workloadOf(service: string): WorkloadView
  callersOf(service: string): readonly string[]
}

/** What a fault is about, in one episode. */
export interface FaultCase {
  readonly system: SystemView
  readonly target: FaultTarget
  /** Every declared one is there. */
  readonly params: ParameterValues
}

/** The label of objects that a fault itself adds to the laboratory while a solver acts: a sick node hits newcomers. */
export const FOLLOW_UP_LABEL = 'remedium-follow-up'
/** Its value on those that the fault takes away by itself as well, when its cause is gone. */
export const COMES_AND_GOES = 'comes-and-goes'

/** How the kinds of objects end that only the laboratory makes: `PodChaos`. Whoever is to solve a problem hears nothing of them. */
export const LABORATORY_KIND_END = 'Chaos'
export const isLaboratoryKind = (kind: string): boolean => kind.endsWith(LABORATORY_KIND_END)

/** The users of the system, who are the laboratory's. */
export interface UserControl {
  /** So many times as many as usual come; 1 is as usual. */
  multiply(factor: number): Promise<void>
}

export interface FaultContext extends FaultCase {
  /** As an administrator. */
  readonly api: KubeApi
  readonly users: UserControl
  /** Where objects of the laboratory live; there is such a namespace. */
  readonly laboratory: string
  /**
   * The names of all programs in a pod of the system, seen from outside of it: whoever is inside may have replaced what looks
   * there. Rejects where there is no such pod; absent where the engine cannot look.
   */
  programsIn?(pod: string): Promise<readonly string[]>
  /** Of a gradual fault how much of it is there now, above 0 up to 1; 1 otherwise. */
  readonly share: number
  readonly signal: AbortSignal
  sleep(ms: number): Promise<void>
}

/** The objects of an episode at one moment, from its record. */
export interface ObjectsView {
  /** Of the system's namespace, or without one; `kind` as in the object. */
  get(kind: string, name: string): ApiObject | undefined
  list(kind: string): readonly ApiObject[]
}

/** What is left of a cause is judged from this alone, so that it can be judged again later. */
export interface Scene extends FaultCase {
  readonly state: FaultState
  /** Before the fault. */
  readonly baseline: ObjectsView
  /** Just after the fault was there. */
  readonly injected: ObjectsView
  readonly now: ObjectsView
  /** What `probe` saw last; empty where there is no probe. */
  readonly facts: FaultState
}

export interface Finding {
  readonly holds: boolean
  /** What was seen, in one sentence with the values in it. */
  readonly evidence: string
}

/** A cheap wrong answer. */
export interface Hack {
  readonly name: string
  /** What it does, in one phrase. */
  readonly about: string
  act(context: HackContext): Promise<void>
}

export interface HackContext extends FaultCase {
  readonly api: KubeApi
  readonly laboratory: string
  readonly state: FaultState
  readonly signal: AbortSignal
  sleep(ms: number): Promise<void>
}

export type ProbeName = 'livenessProbe' | 'readinessProbe'

/** What a right fix may touch, beside the objects that the fault itself has changed. */
export interface FixScope {
  /** Services whose pods it may restart or replace, and whose pod templates it may change. */
  readonly services: readonly string[]
  /** Whether it may cordon nodes, and move pods away from them. */
  readonly nodes?: boolean
  /** A good release other than the one of the baseline will do too. */
  readonly anyGoodRelease?: boolean
  /** These probes of the containers that serve may differ from the baseline, as far as the fault says that they are right. */
  readonly probes?: readonly ProbeName[]
}

export interface Fault {
  /** Its folder has it. */
  readonly name: string
  /** What is broken, in one sentence. */
  readonly about: string
  readonly category: FaultCategory
  readonly layer: FaultLayer
  readonly type: FaultType
  /** Where by the meanings of the words the cause lies as well. */
  readonly otherLayers?: readonly FaultLayer[]
  /** What by the meanings of the words is as true of it. */
  readonly otherTypes?: readonly FaultType[]
  /**
   * `pod`: it is in one pod, and gone with it. `cause`: an ordinary object, process or node has it, and a restart of that does not
   * cure it; where a store has it, the restart of who fills the store at his start may be the repair.
   */
  readonly binding: 'pod' | 'cause'
  readonly parameters: Readonly<Record<string, ParameterDeclaration>>
  /** Those it can take; sudden where absent. A gradual one is injected again and again with a growing share. */
  readonly shapes?: readonly FaultShape['kind'][]
  /** What can be seen of it, in a phrase each. */
  readonly symptoms: readonly string[]
  /** Those on which it hurts users, in a stable order. */
  targets(system: SystemView): readonly FaultTarget[]
  /** Resolves when it is in force. */
  inject(context: FaultContext, before?: FaultState): Promise<FaultState>
  /** Takes it back, as far as somebody else has not. */
  recover(context: FaultContext, state: FaultState): Promise<void>
  /** The services at fault; naming any of them first is right. The target's where absent. Without a state all that may come to be. */
  culprits?(about: FaultCase & { readonly state?: FaultState }): readonly string[]
  /**
   * Looks where objects do not tell: inside pods and stores. Never changes anything. Rejects where nobody could look just now: that
   * is asked again, while what is resolved with counts as seen.
   */
  probe?(context: FaultContext, state: FaultState): Promise<FaultState>
  /** Whether the cause is gone. Pure. */
  isGone(scene: Scene): Finding
  /** The target's service alone where absent. */
  scope?(about: FaultCase): FixScope
  /** The reference playbook, as YAML. */
  fix(about: FaultCase & { readonly state: FaultState }): string
  readonly hacks: readonly Hack[]
}

/** Declares a fault; its folder has its name. */
export const defineFault = (fault: Fault): Fault => fault
