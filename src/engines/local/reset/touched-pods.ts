/** Which pods somebody reached into: what was changed in there no object shows. */
import type { AuditEvent } from '../../../kube/index.ts'

const REACHING_IN = new Set(['exec', 'attach', 'ephemeralcontainers'])
/** Ways to talk to what runs in pods, stores too. */
const REACHING = new Set([...REACHING_IN, 'portforward', 'proxy'])
/** Calls from inside this process. */
const OWN_AGENT = 'remedium'

export interface TouchedPods {
  note(event: AuditEvent): void
  has(namespace: string, name: string): boolean
  /** Whether anybody from outside has reached anything in the cluster by another way than its users do. */
  isReached(): boolean
  clear(): void
}

export const createTouchedPods = (): TouchedPods => {
  const touched = new Set<string>()
  let reached = false
  return {
    note({ objectRef, userAgent }) {
      if (REACHING.has(objectRef.subresource ?? '') && userAgent !== OWN_AGENT) reached = true
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
