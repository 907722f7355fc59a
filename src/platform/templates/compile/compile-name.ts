/** Compiles the name of a variable. */
import { reprText } from '../python/repr.ts'
import { Undefined } from '../python/undefined.ts'
import { UnsupportedTemplate } from '../template-error.ts'
import { type Evaluate, MISSING } from './frame.ts'
import type { Scope } from './scope.ts'

export const compileName = (name: string, scope: Scope): Evaluate => {
  if (name === 'self' || name === 'super' || name === 'caller')
    return () => {
      throw new UnsupportedTemplate(`the name ${name}`)
    }
  const slot = scope.slotOf(name)
  if (slot === undefined) throw new Error(`the name ${name} was not analysed`)
  if (scope.isParameter(slot)) return (frame) => frame.slots[slot]
  return ({ slots }) => {
    const value = slots[slot]
    return value === MISSING || value === undefined
      ? new Undefined({ name, nameRepr: reprText(name) })
      : value
  }
}
