/** Checks whether a controller created an object. */

/** The kinds of owners whose controllers create objects of a kind. Other owner references prove nothing: any client can write them. */
const CREATOR_KINDS: Readonly<Record<string, readonly string[]>> = {
  Pod: ['ReplicaSet', 'StatefulSet', 'DaemonSet', 'Job', 'ReplicationController'],
  ReplicaSet: ['Deployment'],
  Job: ['CronJob'],
  ControllerRevision: ['StatefulSet', 'DaemonSet'],
  EndpointSlice: ['Service', 'Endpoints'],
}

/** Whether objects of this kind have a controller that creates other objects for them. */
export const isCreatorKind = (kind: string): boolean =>
  Object.values(CREATOR_KINDS).some((kinds) => kinds.includes(kind))

/** The annotation that a controller writes on objects that it creates, but not on objects that it adopts. */
const CREATION_ANNOTATIONS: Readonly<Record<string, string>> = {
  ReplicaSet: 'deployment.kubernetes.io/revision',
  Job: 'batch.kubernetes.io/cronjob-scheduled-timestamp',
}

interface CreatedObject {
  readonly kind: string
  readonly metadata: { readonly name: string; readonly annotations?: unknown }
}

/**
 * Whether the controller of the owner created the object. Such a controller also deletes the object when it
 * is not needed.
 */
export const isCreatedByController = ({ kind, metadata }: CreatedObject, owner: string): boolean => {
  const annotation = CREATION_ANNOTATIONS[kind]
  const annotations = (metadata.annotations ?? {}) as Readonly<Record<string, string>>
  return (
    CREATOR_KINDS[kind]?.includes(owner) === true &&
    (annotation === undefined || annotations[annotation] !== undefined)
  )
}
