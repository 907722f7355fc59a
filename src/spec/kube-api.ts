/** The Kubernetes API as faults, oracles and agents use it: one port for all engines. */

/**
 * A ServiceAccount with this annotation, set to `true`, may not escalate its rights through objects that it may change. The embedded
 * Kubernetes enforces it; a real cluster ignores it.
 */
export const RESTRICTED_ACCOUNT = 'remedium.io/restricted'

/** Names a collection of objects: `{ apiVersion: 'apps/v1', plural: 'deployments' }`. */
export interface ResourceRef {
  apiVersion: string
  plural: string
  /** Omitted for cluster-wide resources, and for all namespaces at once. */
  namespace?: string
}

export interface ObjectRef extends ResourceRef {
  name: string
}

/** An object as the API returns it: plain JSON, never changed in place. */
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
  /** Starts after this version; if omitted, the watch begins with all existing objects. */
  resourceVersion?: string
}

export interface ObjectEvent {
  type: 'ADDED' | 'MODIFIED' | 'DELETED'
  object: ApiObject
}

export type PatchKind = 'json' | 'merge' | 'strategic' | 'apply'

export interface WriteOptions {
  dryRun?: boolean
  fieldManager?: string
  /** How to treat unknown and duplicate fields; a warning by default. */
  fieldValidation?: 'Strict' | 'Warn' | 'Ignore'
  /** For `apply` only: takes over fields of other managers. */
  force?: boolean
  /** For example `status`; the object itself by default. */
  subresource?: string
}

export interface DeleteOptions {
  gracePeriodSeconds?: number
  propagationPolicy?: 'Background' | 'Foreground' | 'Orphan'
  /** The request is rejected with a conflict if the object is another one. */
  preconditions?: { uid?: string; resourceVersion?: string }
  dryRun?: boolean
}

export interface LogOptions {
  container?: string
  previous?: boolean
  tailLines?: number
  sinceSeconds?: number
  timestamps?: boolean
}

export interface ExecOptions {
  container?: string
  stdin?: string
  /** Aborts the command; the promise rejects with the signal's reason. */
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

/** Every method rejects with the Status of the API if the request is refused. */
export interface KubeApi {
  get(ref: ObjectRef): Promise<ApiObject>
  list(ref: ResourceRef, options?: ListOptions): Promise<ObjectList>
  /**
   * Resolves when the watch is established, with the function that ends it. Events arrive in order, and never
   * synchronously within a call of this port. A watch has no time limit; `onEnd` is called if the server ends
   * it.
   */
  watch(
    ref: ResourceRef,
    options: WatchOptions,
    onEvent: (event: ObjectEvent) => void,
    onEnd: (error?: Error) => void,
  ): Promise<() => void>
  create(ref: ResourceRef, object: object, options?: WriteOptions): Promise<ApiObject>
  update(ref: ObjectRef, object: object, options?: WriteOptions): Promise<ApiObject>
  patch(ref: ObjectRef, kind: PatchKind, patch: unknown, options?: WriteOptions): Promise<ApiObject>
  delete(ref: ObjectRef, options?: DeleteOptions): Promise<void>
  scale(ref: ObjectRef, replicas: number): Promise<void>
  evict(pod: PodRef, options?: Pick<DeleteOptions, 'gracePeriodSeconds'>): Promise<void>
  logs(pod: PodRef, options?: LogOptions): Promise<string>
  exec(pod: PodRef, command: readonly string[], options?: ExecOptions): Promise<ExecOutcome>
}
