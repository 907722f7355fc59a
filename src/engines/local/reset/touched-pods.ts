/** Which pods somebody reached into: what was changed in there no object shows. */
import type { AuditEvent } from '../../../kube/index.ts'

const REACHING_IN = new Set(['exec', 'attach', 'ephemeralcontainers'])
/** Ways to talk to what runs in pods, stores too. */
const REACHING = new Set([...REACHING_IN, 'portforward', 'proxy'])

export interface TouchedPods {
  note(event: AuditEvent): void
  has(namespace: string, name: string): boolean
  /** Whether anybody from outside has reached anything in the cluster by another way than its users do. */
  isReached(): boolean
  clear(): void
}

/** `ownUid` is that of the user by whom the engine itself calls, which no credentials stand for. */
export const createTouchedPods = (ownUid: string): TouchedPods => {
  const touched = new Set<string>()
  let reached = false
  return {
    note({ objectRef, user, impersonatedUser }) {
      const isOwn = user.uid === ownUid && impersonatedUser === undefined
      if (REACHING.has(objectRef.subresource ?? '') && !isOwn) reached = true
      if (objectRef.resource === 'pods' && REACHING_IN.has(objectRef.subresource ?? ''))
        touched.add(`${objectRef.namespace}/${objectRef.name}`)
    },
    has: (namespace, name) => touched.has(`${namespace}/${name}`),
    isReached: () => reached,
    clear() {
      touched.clear()
      reached = false
    },
  }
}
