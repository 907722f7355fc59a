/** Whose work the objects of a cluster can be. */

/** By kind, the owners whose controllers make it; of anything else an owner says nothing, because whoever makes an object can name one. */
const MAKERS: Readonly<Record<string, readonly string[]>> = {
  Pod: ['ReplicaSet', 'StatefulSet', 'DaemonSet', 'Job', 'ReplicationController'],
  ReplicaSet: ['Deployment'],
  Job: ['CronJob'],
  ControllerRevision: ['StatefulSet', 'DaemonSet'],
  EndpointSlice: ['Service', 'Endpoints'],
}

/** What controllers write on all that they make of a kind, and not on what people have made and they have adopted. */
const SIGNATURES: Readonly<Record<string, string>> = {
  ReplicaSet: 'deployment.kubernetes.io/revision',
  Job: 'batch.kubernetes.io/cronjob-scheduled-timestamp',
}

interface Made {
  readonly kind: string
  readonly metadata: { readonly name: string; readonly annotations?: unknown }
}

/** Whether the controller of such owners has made the object, and takes it away or lets it go when it does not want it. */
export const isWorkOf = ({ kind, metadata }: Made, owner: string): boolean => {
  const signature = SIGNATURES[kind]
  const annotations = (metadata.annotations ?? {}) as Readonly<Record<string, string>>
  return (
    MAKERS[kind]?.includes(owner) === true &&
    (signature === undefined || annotations[signature] !== undefined)
  )
}
