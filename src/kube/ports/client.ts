/** How controllers, the scheduler and the kubelet reach the API: in process, at once, under their own name. */
import type { Namespace } from 'kubernetes-types/core/v1.d.ts'
import type { Kind } from '../kinds/index.ts'
import type { Draft, KubeObject, Stored } from '../meta/index.ts'

export type Propagation = 'Background' | 'Foreground' | 'Orphan'

export interface DeleteOptions {
  gracePeriodSeconds?: number
  propagation?: Propagation
  /** Refuse when these do not match. */
  preconditions?: { uid?: string; resourceVersion?: string }
  dryRun?: boolean
}

export type WatchEvent<T = any> =
  | { type: 'ADDED'; object: Stored<T>; old?: undefined }
  | { type: 'MODIFIED'; object: Stored<T>; old: Stored<T> }
  | { type: 'DELETED'; object: Stored<T>; old: Stored<T> }

/**
 * Reads give stored objects, which must never be changed: build a new one with spread. Writes throw ApiError.
 * Everything is synchronous and every read sees every earlier write, so a reconcile needs no expectations.
 */
export interface Client {
  get<T>(kind: Kind<T>, namespace: string, name: string): Stored<T> | undefined
  /** All objects, or those of one namespace, sorted by namespace and name. */
  list<T>(kind: Kind<T>, namespace?: string): readonly Stored<T>[]
  /**
   * Those whose controller owner reference has this uid; with an empty uid, those of all namespaces that nobody
   * controls. Indexed: costs only what it returns.
   */
  ownedBy<T>(kind: Kind<T>, ownerUid: string): readonly Stored<T>[]
  create<T>(kind: Kind<T>, draft: Draft<T>): Stored<T>
  /** The whole object; refused with Conflict when `metadata.resourceVersion` is not the current one. */
  update<T>(kind: Kind<T>, object: Stored<T>): Stored<T>
  /** Only `status` is taken from `object`. Nothing is written when it equals the stored one. */
  updateStatus<T>(kind: Kind<T>, object: Stored<T>): Stored<T>
  /** Only `spec.finalizers` of a Namespace is taken: an empty list lets it go. */
  finalize(namespace: Stored<Namespace>): void
  delete<T>(kind: Kind<T>, namespace: string, name: string, options?: DeleteOptions): void
  /** Evicts a pod through its disruption budgets. */
  evict(namespace: string, name: string, options?: DeleteOptions): void
  /** Binds a pod to a node, as the scheduler does. */
  bind(namespace: string, name: string, node: string): void
  /** Calls back inside the write that caused the event: only take notes there, work later. */
  watch<T>(kind: Kind<T>, listener: (event: WatchEvent<T>) => void): () => void
  /** Every kind now served, built-in and custom. */
  kinds(): readonly Kind[]
  /** Calls back when a kind begins or ends to be served. */
  watchKinds(listener: () => void): () => void
  /** The kind served for `apiVersion` and `kind`, if any: owner references and scale targets name them so. */
  kindOf(apiVersion: string, kind: string): Kind | undefined
}

/** What Event objects are made from; repeated ones are counted, as the real recorder does. */
export interface EventRecorder {
  /** `fieldPath` names a part of the object: `spec.containers{web}`. */
  record(
    about: KubeObject | Stored<any>,
    type: 'Normal' | 'Warning',
    reason: string,
    message: string,
    fieldPath?: string,
  ): void
}
