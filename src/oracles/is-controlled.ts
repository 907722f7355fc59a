/** Whether a controller has made an object, and takes care of it. */
import { type ApiObject, isWorkOf } from '../spec/index.ts'

interface Owner {
  readonly kind: string
  readonly controller?: boolean
}

export const ownersOf = ({ metadata }: ApiObject): readonly Owner[] =>
  (metadata.ownerReferences ?? []) as readonly Owner[]

/** Who is named as its controller looks after it: what it does not want is taken away or let go. */
export const isControlled = (object: ApiObject): boolean =>
  ownersOf(object).some(({ kind, controller }) => controller === true && isWorkOf(object, kind))
