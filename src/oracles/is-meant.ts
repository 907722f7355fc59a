/** Whether a change of an object is one of what it is meant to be, and not only of its state. */
import type { Act } from './episode-view.ts'
import { isGoing, isSameIntent } from './intent.ts'

export const isMeant = ({ change, object, before }: Act): boolean =>
  change !== 'modified' ||
  (isGoing(object) && before !== undefined && !isGoing(before)) ||
  !isSameIntent(object, before)
