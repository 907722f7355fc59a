/** Whether an object may be touched. */
import type { PlaybookPolicy } from '../playbook-policy.ts'
import { type Touch, touchText, UNKNOWN } from './touch.ts'

/** Why not, in one sentence; undefined where nothing speaks against it. */
export const vetTouch = (touch: Touch, namespace: string, policy: PlaybookPolicy): string | undefined => {
  const { action, kind, namespace: place } = touch
  const is = (kinds: readonly string[]): boolean =>
    kinds.some((each) => each.toLowerCase() === kind.toLowerCase())
  if (action === 'read') return undefined
  const verb = action === 'delete' ? 'deletes' : 'changes'
  if (action === 'delete' && is(policy.undeletable))
    return `it deletes ${touchText(touch)}, and ${kind}s are never deleted: repair what is in ${namespace} instead`
  if (is(policy.untouchable))
    return `it ${verb} ${touchText(touch)}, which belongs to the whole cluster: only objects of ${namespace} may be changed, and nodes cordoned or tainted`
  if (place !== undefined && place !== UNKNOWN && place !== namespace && kind !== 'Node')
    return `it ${verb} ${touchText(touch)}: only objects of the namespace ${namespace} may be changed`
  return undefined
}
