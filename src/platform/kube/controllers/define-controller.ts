/** The contract of a controller: what it watches, and how it reconciles one key. */
import type { Clock, Random } from '#kit'
import type { Kind } from '#platform/kube/kinds'
import type { Client, EventRecorder, WatchEvent } from '#platform/kube/ports'

export interface ControllerContext {
  client: Client
  clock: Clock
  random: Random
  events: EventRecorder
  /** Reconciles `key` again after `milliseconds`; the earliest of several requests wins. */
  requeue(key: string, milliseconds: number): void
}

/** Returns `namespace/name`, or only the name for cluster-scoped objects. */
export const keyOf = (object: { metadata: { namespace?: string; name: string } }): string =>
  object.metadata.namespace === undefined
    ? object.metadata.name
    : `${object.metadata.namespace}/${object.metadata.name}`

export const splitKey = (key: string): { namespace: string; name: string } => {
  const slash = key.indexOf('/')
  return slash < 0
    ? { namespace: '', name: key }
    : { namespace: key.slice(0, slash), name: key.slice(slash + 1) }
}

export interface Watch<T = any> {
  kind: Kind<T>
  /** Returns the keys to reconcile after this event. Runs inside the write, so it must be cheap. */
  keys(event: WatchEvent<T>, context: ControllerContext): readonly string[]
}

/** Declares a watch; the kind determines the type of the events. */
export const watching = <T>(
  kind: Kind<T>,
  keys: (event: WatchEvent<T>, context: ControllerContext) => readonly string[],
): Watch => ({ kind, keys })

export interface Controller {
  name: string
  /** The user it acts as; `system:serviceaccount:kube-system:<name>-controller` by default. */
  user?: string
  /** The field manager of its writes; `kube-controller-manager` by default. */
  manager?: string
  /** `source.component` of its events; `<name>-controller` by default. */
  component?: string
  watches: readonly Watch[]
  /** Moves the cluster towards the desired state of `key`. Synchronous; retried with back-off if it throws. */
  reconcile(key: string, context: ControllerContext): void
  /** Called once on start. The returned function is called on stop. */
  start?(context: ControllerContext): (() => void) | undefined
}

export const defineController = (controller: Controller): Controller => controller
