/** Whose work the objects of a cluster can be. */

/** By kind, the owners whose controllers make it; of anything else an owner says nothing, because whoever makes an object can name one. */
const MAKERS: Readonly<Record<string, readonly string[]>> = {
  Pod: ['ReplicaSet', 'StatefulSet', 'DaemonSet', 'Job', 'ReplicationController'],
  ReplicaSet: ['Deployment'],
  Job: ['CronJob'],
  ControllerRevision: ['StatefulSet', 'DaemonSet'],
  EndpointSlice: ['Service', 'Endpoints'],
}

/** Whether the controller of such owners makes objects of this kind, and takes away or lets go what it does not want. */
export const isWorkOf = (kind: string, owner: string): boolean => MAKERS[kind]?.includes(owner) === true
