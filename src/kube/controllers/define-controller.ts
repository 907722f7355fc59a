/** The frame every controller is set in: what it watches, and what it does about one key. */
import type { Clock, Random } from '../../kit/index.ts'
import type { Kind } from '../kinds/index.ts'
import type { Client, EventRecorder, WatchEvent } from '../ports/index.ts'

export interface ControllerContext {
  client: Client
  clock: Clock
  random: Random
  events: EventRecorder
  /** Reconcile `key` again, `milliseconds` from now (the earliest of several wins). */
  requeue(key: string, milliseconds: number): void
}

/** `namespace/name`, or only the name for objects of the cluster. */
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
  /** The keys to reconcile after this event. Called inside the write: no work here. */
  keys(event: WatchEvent<T>, context: ControllerContext): readonly string[]
}

/** Declares a watch with its type. */
export const watching = <T>(
  kind: Kind<T>,
  keys: (event: WatchEvent<T>, context: ControllerContext) => readonly string[],
): Watch => ({ kind, keys })

export interface Controller {
  name: string
  /** The user it acts as; `system:serviceaccount:kube-system:<name>-controller` where absent. */
  user?: string
  /** The field manager of its writes; `kube-controller-manager` where absent. */
  manager?: string
  /** `source.component` of its events; `<name>-controller` where absent. */
  component?: string
  watches: readonly Watch[]
  /** Brings the world closer to what `key` wants. Synchronous. A throw means: again, after a back-off. */
  reconcile(key: string, context: ControllerContext): void
  /** Called once at the start, for those with more to do than to watch; what it gives is called at the end. */
  start?(context: ControllerContext): (() => void) | undefined
}

export const defineController = (controller: Controller): Controller => controller
