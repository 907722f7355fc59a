/** Vets an access to an object. */
import type { PlaybookPolicy } from '../playbook-policy.ts'
import { type Touch, touchText, UNKNOWN } from './touch.ts'

/** Returns the reason for a rejection, or undefined if the access is allowed. */
export const vetTouch = (touch: Touch, namespace: string, policy: PlaybookPolicy): string | undefined => {
  const { action, kind, namespace: targetNamespace } = touch
  const isKindIn = (kinds: readonly string[]): boolean =>
    kinds.some((each) => each.toLowerCase() === kind.toLowerCase())
  if (action === 'read') return undefined
  const verb = action === 'delete' ? 'deletes' : 'changes'
  if (action === 'delete' && isKindIn(policy.undeletable))
    return `it deletes ${touchText(touch)}, but a ${kind} must not be deleted: repair the objects in ${namespace} instead`
  if (isKindIn(policy.unchangeable))
    return `it ${verb} ${touchText(touch)}, but cluster-wide objects must not be changed: only objects of the namespace ${namespace} may be changed, and nodes may be cordoned, tainted, labelled and annotated`
  if (
    targetNamespace !== undefined &&
    targetNamespace !== UNKNOWN &&
    targetNamespace !== namespace &&
    kind !== 'Node'
  )
    return `it ${verb} ${touchText(touch)}, but only objects of the namespace ${namespace} may be changed`
  return undefined
}
