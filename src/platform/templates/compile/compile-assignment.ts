/** Compiles the assignment of a value to a name, a member of a namespace, or a tuple of targets. */
import { iterate } from '../python/iterate.ts'
import { PythonError, valueError } from '../python/python-error.ts'
import { Namespace } from '../python/value.ts'
import type { Target } from '../syntax/node.ts'
import type { Frame } from './frame.ts'
import type { Scope } from './scope.ts'

type Assign = (frame: Frame, value: unknown) => void

export const compileAssignment = (target: Target, scope: Scope): Assign => {
  const slot = target.type === 'tuple' ? undefined : scope.slotOf(target.name)
  if (target.type === 'name')
    return ({ slots }, value) => {
      slots[slot!] = value
    }
  if (target.type === 'member')
    return ({ slots }, value) => {
      const owner = slots[slot!]
      if (!(owner instanceof Namespace))
        throw new PythonError('TemplateRuntimeError', 'cannot assign attribute on non-namespace object')
      owner.members.set(target.member, value)
    }
  const items = target.items.map((item) => compileAssignment(item, scope))
  return (frame, value) => {
    const values = iterate(value)
    if (values.length < items.length)
      throw valueError(`not enough values to unpack (expected ${items.length}, got ${values.length})`)
    if (values.length > items.length) throw valueError(`too many values to unpack (expected ${items.length})`)
    for (const [index, assign] of items.entries()) assign(frame, values[index])
  }
}
