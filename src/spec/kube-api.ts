/** The Kubernetes API as faults, oracles and agents see it: one port, whatever cluster is behind it. */

/**
 * A ServiceAccount with this annotation, `true`, may not use what it may change to reach beyond it. The embedded Kubernetes
 * sees to that; a real cluster knows nothing of it.
 */
export const RESTRICTED_ACCOUNT = 'remedium.io/restricted'

/** Names a collection of objects: `{ apiVersion: 'apps/v1', plural: 'deployments' }`. */
export interface ResourceRef {
  apiVersion: string
  plural: string
  /** Absent for resources of the cluster, and for all namespaces at once. */
  namespace?: string
}

export interface ObjectRef extends ResourceRef {
  name: string
}

/** An object as the API gives it: plain JSON, never to be changed in place. */
export interface ApiObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly [field: string]: unknown }
  readonly [field: string]: unknown
}

export interface ObjectList {
  readonly items: readonly ApiObject[]
  readonly resourceVersion: string
  readonly continue?: string
}

export interface ListOptions {
  labelSelector?: string
  fieldSelector?: string
  limit?: number
  continue?: string
}

export interface WatchOptions extends Pick<ListOptions, 'labelSelector' | 'fieldSelector'> {
  /** Only what comes after this version; without it, everything there is comes first. */
  resourceVersion?: string
}

export interface ObjectEvent {
  type: 'ADDED' | 'MODIFIED' | 'DELETED'
  object: ApiObject
}

export type PatchKind = 'json' | 'merge' | 'strategic' | 'apply'

export interface WriteChoices {
  dryRun?: boolean
  fieldManager?: string
  /** For apply: take fields over from other managers. */
  force?: boolean
  /** `status` and the like; the object itself where absent. */
  subresource?: string
}

export interface DeleteChoices {
  gracePeriodSeconds?: number
  propagationPolicy?: 'Background' | 'Foreground' | 'Orphan'
  dryRun?: boolean
}

export interface LogChoices {
  container?: string
  previous?: boolean
  tailLines?: number
  sinceSeconds?: number
  timestamps?: boolean
}

export interface ExecChoices {
  container?: string
  stdin?: string
  /** Ends the command; the promise is then rejected with the signal's reason. */
  signal?: AbortSignal
}

export interface ExecOutcome {
  exitCode: number
  stdout: string
  stderr: string
}

export interface PodRef {
  namespace: string
  name: string
}

/** Every method rejects with the API's own Status where the request is refused. */
export interface KubeApi {
  get(ref: ObjectRef): Promise<ApiObject>
  list(ref: ResourceRef, options?: ListOptions): Promise<ObjectList>
  /**
   * Resolves once the watch stands; the function ends it, and nothing is told after. Events come in order, one by
   * one, never inside a call of this port. It lasts for days; `onEnd` is told when the server ends it all the same.
   */
  watch(
    ref: ResourceRef,
    options: WatchOptions,
    onEvent: (event: ObjectEvent) => void,
    onEnd: (error?: Error) => void,
  ): Promise<() => void>
  create(ref: ResourceRef, object: object, choices?: WriteChoices): Promise<ApiObject>
  update(ref: ObjectRef, object: object, choices?: WriteChoices): Promise<ApiObject>
  patch(ref: ObjectRef, kind: PatchKind, patch: unknown, choices?: WriteChoices): Promise<ApiObject>
  delete(ref: ObjectRef, choices?: DeleteChoices): Promise<void>
  scale(ref: ObjectRef, replicas: number): Promise<void>
  evict(pod: PodRef): Promise<void>
  logs(pod: PodRef, choices?: LogChoices): Promise<string>
  exec(pod: PodRef, command: readonly string[], choices?: ExecChoices): Promise<ExecOutcome>
}
