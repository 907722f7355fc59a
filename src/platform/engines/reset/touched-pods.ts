/** Records which pods were accessed through a shell: changes inside a container appear in no object. */
import type { AuditEvent } from '#platform/kube/simulated'

const SHELL_SUBRESOURCES = new Set(['exec', 'attach', 'ephemeralcontainers'])
/** All ways to access programs in pods, including data stores. */
const ACCESS_SUBRESOURCES = new Set([...SHELL_SUBRESOURCES, 'portforward', 'proxy'])

export interface TouchedPods {
  record(event: AuditEvent): void
  /** Whether any client, including the engine, has run or attached to a program in the pod. */
  has(namespace: string, name: string): boolean
  /** Whether a client other than the engine has accessed any pod through the API. */
  wasAccessed(): boolean
  clear(): void
}

/** `ownUid` is the uid of the engine's user, for which no credentials exist. */
export const createTouchedPods = (ownUid: string): TouchedPods => {
  const touched = new Set<string>()
  let accessed = false
  return {
    record({ objectRef, user, impersonatedUser }) {
      const isOwn = user.uid === ownUid && impersonatedUser === undefined
      if (ACCESS_SUBRESOURCES.has(objectRef.subresource ?? '') && !isOwn) accessed = true
      if (objectRef.resource === 'pods' && SHELL_SUBRESOURCES.has(objectRef.subresource ?? ''))
        touched.add(`${objectRef.namespace}/${objectRef.name}`)
    },
    has: (namespace, name) => touched.has(`${namespace}/${name}`),
    wasAccessed: () => accessed,
    clear() {
      touched.clear()
      accessed = false
    },
  }
}
