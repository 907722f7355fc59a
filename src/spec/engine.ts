/** An engine: how a cluster with a system on it is had, brought back to its baseline and given back. */
import type { KubeApi } from './kube-api.ts'
import type { System } from './system.ts'
import type { SqlAnswer, TelemetryQuery } from './telemetry.ts'
import type { JourneyRecord, RequestRecord } from './workload.ts'

export interface ProvisionOptions {
  /** What users call the cluster; its id where absent. */
  readonly name?: string
  /** What names and identities are drawn from. */
  readonly seed?: string
  /** Three where absent. */
  readonly nodes?: number
  /** Of the API on the loopback address; any free one where absent. */
  readonly port?: number
  /** Where signals are kept, for those who want them after the cluster; with the cluster, and gone with it, where absent. */
  readonly telemetryFile?: string
  /** Gives up and leaves nothing. */
  readonly signal?: AbortSignal
  /** Told in words what is done just now. */
  onProgress?(line: string): void
}

/** A door that is open: where the host's users reach an entry point of the system. */
export interface OpenEntryPoint {
  readonly name: string
  readonly url: string
}

/** What is known of the system that runs, and where what its users lived goes. */
export interface ClusterTelemetry {
  readonly query: TelemetryQuery
  /** Read-only. With `since` as if nothing had been kept of earlier times, nor of the laboratory. */
  sql(
    text: string,
    parameters?: readonly (string | number | null)[],
    scope?: { readonly since: number },
  ): Promise<SqlAnswer>
  /** Alerts are raised of them too. */
  record(requests: readonly RequestRecord[], journeys: readonly JourneyRecord[]): void
  /** All alerts are over, and new ones are raised only of what comes from now on: the system has just been proven well. */
  renewAlerts(): void
  /** Resolves when all that came before can be asked for; rejects where some of it could not be written. */
  flush(): Promise<void>
  /** The SQLite file, which others may read meanwhile. */
  readonly file: string
}

/** What `reset` did; objects are named `Kind namespace/name`. */
export interface ResetReport {
  readonly deleted: readonly string[]
  readonly recreated: readonly string[]
  readonly updated: readonly string[]
  readonly milliseconds: number
}

export interface ResetOptions {
  /**
   * Leaves in volumes what the system's own users have written, which saves the stores a restart. Nothing else is left
   * there: where anybody may have come near them by another way, they go back all the same.
   */
  readonly keepData?: boolean
  /**
   * Workloads were changed only by those who are known not to use them against the stores: with `keepData` only what was
   * done to the stores themselves, or to pods from outside, counts as having come near them.
   */
  readonly isTrusted?: boolean
  /**
   * Pods that their controllers have made anew from the baseline's templates are as good as the first ones, as long as nothing
   * else has changed: nothing was wrong that a pod could have taken in at its start.
   */
  readonly keepNewPods?: boolean
}

/** Milliseconds of all cores since some time in the past. */
export interface CpuTimes {
  /** That there were to be had. */
  readonly allMs: number
  /** That nobody wanted. */
  readonly idleMs: number
  /** That the cluster used, and whoever keeps it. */
  readonly ownMs: number
}

/** The API in the hands of somebody with rights of his own. */
export interface ClusterAccess {
  readonly api: KubeApi
  /** The text of one. */
  readonly kubeconfig: string
}

export interface EngineCluster {
  readonly id: string
  readonly name: string
  /** As an administrator. */
  readonly api: KubeApi
  /** The text of one for the administrator. */
  readonly kubeconfig: string
  /** Of the API. */
  readonly server: string
  /** As whoever the bearer token stands for; commands that name no namespace act in this one. Throws where it is no good. */
  access(token: string, namespace: string): ClusterAccess
  readonly entryPoints: readonly OpenEntryPoint[]
  /** Of clusters with a system on them. */
  readonly telemetry?: ClusterTelemetry
  /** Of the machine that the cluster runs on, where that is one machine and can be known. */
  cpuTimes?(): CpuTimes
  /** The names of all programs in the pod with this uid, as the machine itself sees them; nothing where there is no such pod. */
  programsIn?(uid: string): readonly string[] | undefined
  /** Returns to how it was when it was provisioned, re-creating only what differs. */
  reset(options?: ResetOptions): Promise<ResetReport>
  /** Leaves nothing behind. */
  close(): Promise<void>
}

export interface Engine<Cluster extends EngineCluster = EngineCluster> {
  /** Resolves when every workload of the system is Ready. */
  provision(system?: System, options?: ProvisionOptions): Promise<Cluster>
}
