/** An engine: provisions clusters that run a system, resets them to their baseline, and closes them. */
import type { Socket } from 'node:net'
import type { RunEngineCommand, RunEnginePlaybook } from './engine-programs.ts'
import type { KubeApi } from './kube-api.ts'
import type { PodConnection } from './pod-connection.ts'
import type { PodRoute } from './pod-route.ts'
import type { ProgramConnection } from './program-host.ts'
import type { System, SystemImage } from './system.ts'
import type { SqlAnswer, TelemetryQuery } from './telemetry.ts'
import type { JourneyRecord, RequestRecord } from './workload.ts'

/** The engines on which problems can run. */
export const ENGINE_NAMES = ['local', 'sim'] as const
export type EngineName = (typeof ENGINE_NAMES)[number]
export const DEFAULT_ENGINE: EngineName = 'local'

export interface ProvisionOptions {
  /** The name of the cluster for users; its id by default. */
  readonly name?: string
  /** The seed of generated names and identities. */
  readonly seed?: string
  /** Three by default. */
  readonly nodes?: number
  /** The port of the API on the loopback address; a free one by default. */
  readonly port?: number
  /** The telemetry file, which is then kept when the cluster is closed; by default it is deleted. */
  readonly telemetryFile?: string
  /** Aborts the provisioning, which then leaves nothing behind. */
  readonly signal?: AbortSignal
  /** Receives descriptions of progress. */
  onProgress?(line: string): void
}

/** The time of a simulated cluster, as `VirtualClock` of the shelf `kit`. It passes only while work runs, or as real time does. */
export interface EngineClock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Runs `task` once, `milliseconds` from now. */
  after(milliseconds: number, task: () => void): { cancel(): void }
  /** Runs `task` after the current task has ended. Deferred tasks run in the order of the calls. */
  defer(task: () => void): void
  /** Resolves with the result of `work`. Until then, time passes as fast as the processor allows. Calls can overlap. */
  run<T>(work: () => Promise<T>): Promise<T>
  /** Time stands still until `work`, which waits for the operating system or another process, has settled. */
  hold<T>(work: Promise<T>): Promise<T>
  /** From now on, time passes as real time does, until the returned function is called. */
  followRealTime(): () => void
}

/** The address at which users on the host reach an entry point of the system. */
export interface OpenEntryPoint {
  readonly name: string
  readonly url: string
}

/** The telemetry of a cluster: queries, and records of its users. */
export interface ClusterTelemetry {
  readonly query: TelemetryQuery
  /** Runs a read-only query. With `since`, earlier signals and those of the laboratory are hidden. */
  sql(
    text: string,
    parameters?: readonly (string | number | null)[],
    scope?: { readonly since: number },
  ): Promise<SqlAnswer>
  /** Adds records of users, which can raise alerts. */
  record(requests: readonly RequestRecord[], journeys: readonly JourneyRecord[]): void
  /**
   * Clears all alerts; only later signals raise new ones. For use after failures that are no longer relevant.
   */
  renewAlerts(): void
  /** Resolves when all earlier signals can be queried; rejects if some could not be written. */
  flush(): Promise<void>
  /** The SQLite file, which other processes can read; absent if the telemetry is in memory. */
  readonly file?: string
}

/** The result of `reset`; objects are named `Kind namespace/name`. */
export interface ResetReport {
  readonly deleted: readonly string[]
  readonly recreated: readonly string[]
  readonly updated: readonly string[]
  readonly milliseconds: number
}

export interface ResetOptions {
  /**
   * Keeps the data that users have written to volumes, so that stores need not be restarted. Volumes that may
   * have been changed in another way are restored nevertheless.
   */
  readonly keepData?: boolean
  /**
   * Set if only solvers of the laboratory had access. They do not attack stores through other workloads or pods: with
   * `keepData`, only changes to the stores themselves, or to pods from outside, count as possible changes to
   * volumes.
   */
  readonly isTrusted?: boolean
  /**
   * Keeps pods that controllers recreated from the baseline's templates, if nothing else has changed: such a
   * pod cannot have read a wrong configuration at its start.
   */
  readonly keepNewPods?: boolean
}

/** CPU times of all cores in milliseconds, since an arbitrary time. */
export interface CpuTimes {
  /** Total time, including idle time. */
  readonly allMs: number
  readonly idleMs: number
  /** Time used by the cluster, its engine and the programs of the solver. */
  readonly clusterMs: number
}

/** A request that changes an object or enters a pod, accepted or rejected. */
export interface ApiWrite {
  readonly verb: string
  /** `deployments/cart`, `pods/cart-1/exec` */
  readonly object: string
  readonly namespace?: string
  /** The HTTP status. */
  readonly code: number
  /** The user agent of the client. */
  readonly client: string
}

export interface ServiceAccountName {
  readonly namespace: string
  readonly name: string
}

/** Access to the API with the rights of one account. */
export interface ClusterAccess {
  readonly api: KubeApi
  /**
   * The text of a kubeconfig. For a restricted account, it works only on connections of `connectSandbox`. Empty if the cluster has no
   * sockets.
   */
  readonly kubeconfig: string
  /**
   * Calls `listener` for every write of the account on any connection, until the returned function is called.
   */
  followWrites?(listener: (write: ApiWrite) => void): () => void
}

/** A process in a pod, as the host sees it. */
export interface PodProcess {
  /** The id of its container. A restarted container has another one. */
  readonly container: string
  /** The name of its container. */
  readonly containerName: string
  /** The host reuses the id of a process that has ended, but not at the same time. 0 if the engine models no id. */
  readonly id: number
  /** The name of its program. */
  readonly name: string
  /** Milliseconds since its start. */
  readonly ageMs: number
  /** Whether a client or a probe started it with exec, so that it does not descend from the main process. */
  readonly isFromExec: boolean
  /**
   * Whether it is outside the session of the main process. No process can enter another session, so this also holds for a process from
   * exec whose parent has ended, which descends from the main process from then on.
   */
  readonly isStray: boolean
  /** Whether the engine started it for a fault that is active. */
  readonly isFromEngine: boolean
}

/** The settings of a process that other processes of its container can change. */
export interface ProcessSettings {
  readonly id: number
  /** The name of its program. */
  readonly name: string
  /** Whether a signal stopped it. */
  readonly isStopped: boolean
  readonly nice: number
  /** The number of the scheduling policy and the real-time priority, such as `0:0`. Older records lack it. */
  readonly scheduling?: string
  readonly oomScoreAdj: number
  /** The cores on which it may run, such as `0-3`. */
  readonly cpus: string
  /** By name: the soft and the hard limit, where -1 means unlimited. Limits that are unlimited are omitted. */
  readonly limits: Readonly<Record<string, readonly [soft: number, hard: number]>>
}

export interface FileState {
  readonly inode: number
  readonly size: number
  /** Less than the size if the file has holes. */
  readonly allocatedBytes: number
  readonly mode: number
  /** The user and the group. */
  readonly owner?: string
  /** Grows with each change: milliseconds since the epoch, or the number of changes on a simulated cluster. */
  readonly modifiedAt: number
  /** Whether a process of the container has it open. */
  readonly isOpen: boolean
}

/** A running container, as the host sees it. */
export interface ContainerInspection {
  /** A restarted container has another one. */
  readonly id: string
  readonly name: string
  /** Its main process and the descendants of that. Empty if the engine does not model settings of processes. */
  readonly processes: readonly ProcessSettings[]
  /**
   * The paths, in order, of all files that are not empty, in writable volumes and in the writable layer. Absent if there are too many,
   * or if a fault affects their file system.
   */
  readonly files?: readonly string[]
  /** In the order of `files`. Absent if the engine does not model it. */
  readonly fileStates?: readonly FileState[]
  /** Whether there are too many files. */
  readonly hasTooManyFiles?: boolean
  /** The paths, in order, of files of the image that were deleted. */
  readonly deletedFiles: readonly string[]
  /** The paths, in order, of files and folders of the image with other content, mode or owner. */
  readonly changedFiles?: readonly string[]
  /** The paths, in order, of files that its processes have open and that were deleted or replaced. */
  readonly unlinkedFiles?: readonly string[]
  /** By path: mode and owner of the folders in writable volumes and in the writable layer. */
  readonly folders?: Readonly<Record<string, string>>
  /**
   * By path: mode, owner and a fingerprint of the content of single files that are mounted, such as the kubelet's `/etc/hosts`. Absent
   * if the engine does not model them, or if they could not be read.
   */
  readonly mountedFiles?: Readonly<Record<string, string>>
  /** The space that the files use. */
  readonly usedBytes: number
}

export interface EngineCluster {
  readonly id: string
  readonly name: string
  /** The time of the cluster and of everything that uses it, if it is simulated; by default that of the machine. */
  readonly clock?: EngineClock
  /** Has administrator rights. */
  readonly api: KubeApi
  /** The text of the administrator's kubeconfig. */
  readonly kubeconfig: string
  /** The address of the API. */
  readonly server: string
  /** Access with a bearer token; `namespace` is the default of commands. Throws if the token is invalid. */
  access(token: string, namespace: string): ClusterAccess
  /** Access as a service account, within this process. Present if the cluster has no sockets, and therefore does not use tokens. */
  accessAs?(account: ServiceAccountName): ClusterAccess
  /** Connects to the API as sandboxes of agents do. Restricted accounts are rejected on all other connections. */
  connectSandbox(): Promise<Socket>
  readonly entryPoints: readonly OpenEntryPoint[]
  /**
   * Connects a user to an entry point of a simulated cluster. Messages carry `HttpRequestContent` and `HttpResponseContent`. Absent
   * if users connect to the URLs of the entry points; otherwise each entry point has a URL with a separate origin, which is only a
   * name.
   */
  connectUser?(entryPoint: string): Promise<ProgramConnection>
  /** Present if the cluster runs a system. */
  readonly telemetry?: ClusterTelemetry
  /**
   * CPU times of the machine that the cluster runs on; absent if they are unknown or there are several
   * machines.
   */
  cpuTimes?(): CpuTimes
  /** The names of all programs in the pod with this uid, as the host sees them; undefined if there is no such pod. */
  programsIn?(uid: string): readonly string[] | undefined
  /** All processes in the pod with this uid that have not ended; undefined if there is no such pod. */
  processesIn?(uid: string): readonly PodProcess[] | undefined
  /** The running containers of the pod with this uid; undefined if there is no such pod. */
  containersIn?(uid: string): readonly ContainerInspection[] | undefined
  /**
   * Connects to a port of the pod with this uid, from inside its network. Rejects if the program that listens
   * is not the main program of a container, because clients can start other programs in a pod.
   * Rejects with a RemediumError if the engine itself failed.
   */
  connectTo?(uid: string, port: number, via: PodRoute): Promise<PodConnection>
  /** Runs playbooks. By default, Ansible on this machine runs them, and reaches the cluster through its API server. */
  readonly runPlaybook?: RunEnginePlaybook
  /** Runs shell commands of agents. If this and `runPlaybook` are absent, a sandbox on this machine runs them. */
  readonly runShell?: RunEngineCommand
  /**
   * Replaces the images of the system for containers that start later. Nodes drop images that no pod refers
   * to.
   */
  setImages?(images: readonly SystemImage[]): void
  /** Returns to the state after provisioning; recreates only objects that differ. */
  reset(options?: ResetOptions): Promise<ResetReport>
  /** Stops the cluster and removes all its processes and temporary files. */
  close(): Promise<void>
}

/** Runs work on a cluster. If the cluster is simulated, its time passes until the work has ended. */
export const inTimeOf = <T>({ clock }: Pick<EngineCluster, 'clock'>, work: () => Promise<T>): Promise<T> =>
  clock === undefined ? work() : clock.run(work)

export interface Engine<Cluster extends EngineCluster = EngineCluster> {
  /** Resolves when every workload of the system is ready. */
  provision(system?: System, options?: ProvisionOptions): Promise<Cluster>
}
