/** The in-process, synchronous API client of controllers, the scheduler and the kubelet. */
import type { Namespace } from 'kubernetes-types/core/v1.d.ts'
import type { Kind } from '#platform/kube/kinds'
import type { Draft, KubeObject, Stored } from '#platform/kube/meta'

export type Propagation = 'Background' | 'Foreground' | 'Orphan'

export interface DeleteOptions {
  gracePeriodSeconds?: number
  propagation?: Propagation
  /** The deletion fails if these do not match. */
  preconditions?: { uid?: string; resourceVersion?: string }
  dryRun?: boolean
}

export type WatchEvent<T = any> =
  | { type: 'ADDED'; object: Stored<T>; old?: undefined }
  | { type: 'MODIFIED'; object: Stored<T>; old: Stored<T> }
  | { type: 'DELETED'; object: Stored<T>; old: Stored<T> }

/**
 * Reads return stored objects, which must never be changed: build a new one with spread. Writes throw ApiError.
 * All calls are synchronous and reads reflect every earlier write, so a reconcile needs no expectations.
 */
export interface Client {
  get<T>(kind: Kind<T>, namespace: string, name: string): Stored<T> | undefined
  /** Returns all objects, or those of one namespace, sorted by namespace and name. */
  list<T>(kind: Kind<T>, namespace?: string): readonly Stored<T>[]
  /**
   * Returns the objects whose controller reference has this uid. With an empty uid, returns the objects of
   * all namespaces that have no controller. Indexed: the cost is proportional to the result.
   */
  ownedBy<T>(kind: Kind<T>, ownerUid: string): readonly Stored<T>[]
  create<T>(kind: Kind<T>, draft: Draft<T>): Stored<T>
  /** Replaces the object; throws Conflict if `metadata.resourceVersion` is not the current one. */
  update<T>(kind: Kind<T>, object: Stored<T>): Stored<T>
  /** Replaces only `status`. Writes nothing if it equals the stored one. */
  updateStatus<T>(kind: Kind<T>, object: Stored<T>): Stored<T>
  /** Replaces only `spec.finalizers` of a Namespace; an empty list completes its deletion. */
  finalize(namespace: Stored<Namespace>): void
  delete<T>(kind: Kind<T>, namespace: string, name: string, options?: DeleteOptions): void
  /** Evicts a pod if its disruption budgets allow it. */
  evict(namespace: string, name: string, options?: DeleteOptions): void
  /** Binds a pod to a node, as the scheduler does. */
  bind(namespace: string, name: string, node: string): void
  /** Calls the listener inside the write that caused the event: it must only enqueue work. */
  watch<T>(kind: Kind<T>, listener: (event: WatchEvent<T>) => void): () => void
  /** Returns all served kinds, built-in and custom. */
  kinds(): readonly Kind[]
  /** Calls the listener when a kind is added or removed. */
  watchKinds(listener: () => void): () => void
  /** Returns the kind for `apiVersion` and `kind` of an owner reference or scale target, if it is served. */
  kindOf(apiVersion: string, kind: string): Kind | undefined
}

/** Records Event objects; repeated events increment the count, as in the real recorder. */
export interface EventRecorder {
  /** `fieldPath` names a part of the object: `spec.containers{web}`. */
  record(
    object: KubeObject | Stored<any>,
    type: 'Normal' | 'Warning',
    reason: string,
    message: string,
    fieldPath?: string,
  ): void
}
