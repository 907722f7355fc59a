/**
 * Records which pods were accessed through a shell, and who may have started programs: changes inside a container appear in no
 * object, and neither does what a pod did that is gone.
 */
import type { AuditEvent } from '#platform/kube/simulated'

const SHELL_SUBRESOURCES = new Set(['exec', 'attach', 'ephemeralcontainers'])
/** All ways to access programs in pods, including data stores. */
const ACCESS_SUBRESOURCES = new Set([...SHELL_SUBRESOURCES, 'portforward', 'proxy'])
/** Kinds whose objects decide which programs run, by API group: pods, objects that create pods, and the files and variables of pods. */
const PROGRAM_SOURCES: Readonly<Record<string, readonly string[]>> = {
  '': ['pods', 'podtemplates', 'replicationcontrollers', 'configmaps', 'secrets'],
  apps: ['deployments', 'statefulsets', 'daemonsets', 'replicasets', 'controllerrevisions'],
  batch: ['jobs', 'cronjobs'],
}
const WRITE_VERBS = new Set(['create', 'update', 'patch'])

/** Whether a call may have started a program that the baseline does not have. Scaling and evictions are subresources, and start none. */
const mayStartPrograms = ({ verb, objectRef, responseStatus: { code } }: AuditEvent): boolean => {
  const { apiGroup = '', resource, subresource } = objectRef
  const isRejected = code >= 400 && code < 500
  return (
    !isRejected &&
    WRITE_VERBS.has(verb) &&
    subresource === undefined &&
    (PROGRAM_SOURCES[apiGroup] ?? []).includes(resource)
  )
}

export interface TouchedPods {
  record(event: AuditEvent): void
  /** Whether any client, including the engine, has run or attached to a program in the pod. */
  has(namespace: string, name: string): boolean
  /** Whether a client other than the engine has accessed any pod through the API. */
  wasAccessed(): boolean
  /** Whether a client other than the engine may have started other programs than those of the baseline, also if they are gone. */
  mayHaveRunPrograms(): boolean
  clear(): void
}

/** `ownUid` is the uid of the engine's user, for which no credentials exist. */
export const createTouchedPods = (ownUid: string): TouchedPods => {
  const touched = new Set<string>()
  let accessed = false
  let mayHaveRunPrograms = false
  return {
    record(event) {
      const { objectRef, user, impersonatedUser } = event
      const isOwn = user.uid === ownUid && impersonatedUser === undefined
      if (!isOwn && mayStartPrograms(event)) mayHaveRunPrograms = true
      if (ACCESS_SUBRESOURCES.has(objectRef.subresource ?? '') && !isOwn) accessed = true
      if (objectRef.resource === 'pods' && SHELL_SUBRESOURCES.has(objectRef.subresource ?? ''))
        touched.add(`${objectRef.namespace}/${objectRef.name}`)
    },
    has: (namespace, name) => touched.has(`${namespace}/${name}`),
    wasAccessed: () => accessed,
    mayHaveRunPrograms: () => mayHaveRunPrograms,
    clear() {
      touched.clear()
      accessed = false
      mayHaveRunPrograms = false
    },
  }
}
