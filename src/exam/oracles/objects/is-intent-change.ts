/** Checks whether a change of an object changes its intent, and not only its status. */
import { isTerminating } from '#spec'
import type { ObjectChange } from '../view/episode-view.ts'
import { isSameIntent } from './intent.ts'

export const isIntentChange = ({ change, object, before }: ObjectChange): boolean =>
  change !== 'modified' ||
  (isTerminating(object) && before !== undefined && !isTerminating(before)) ||
  !isSameIntent(object, before)
