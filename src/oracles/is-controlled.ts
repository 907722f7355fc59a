/** Whether a controller has made an object, and takes care of it. */
import type { ApiObject } from '../spec/index.ts'

/** By kind, whose work it can be; of anything else an owner says nothing, because whoever makes an object can name one. */
const MAKERS: Readonly<Record<string, readonly string[]>> = {
  Pod: ['ReplicaSet', 'StatefulSet', 'DaemonSet', 'Job', 'ReplicationController'],
  ReplicaSet: ['Deployment'],
  Job: ['CronJob'],
}

interface Owner {
  readonly kind: string
  readonly controller?: boolean
}

export const ownersOf = ({ metadata }: ApiObject): readonly Owner[] =>
  (metadata.ownerReferences ?? []) as readonly Owner[]

/** Who is named as its controller looks after it: what it does not want is taken away or let go. */
export const isControlled = (object: ApiObject): boolean =>
  ownersOf(object).some(
    ({ kind, controller }) => controller === true && MAKERS[object.kind]?.includes(kind) === true,
  )
