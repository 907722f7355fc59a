/** Which pods somebody reached into: what was changed in there no object shows. */
import type { AuditEvent } from '../../../kube/index.ts'

const REACHING_IN = new Set(['exec', 'attach', 'ephemeralcontainers'])

export interface TouchedPods {
  note(event: AuditEvent): void
  has(namespace: string, name: string): boolean
  clear(): void
}

export const createTouchedPods = (): TouchedPods => {
  const touched = new Set<string>()
  return {
    note({ objectRef }) {
      if (objectRef.resource === 'pods' && REACHING_IN.has(objectRef.subresource ?? ''))
        touched.add(`${objectRef.namespace}/${objectRef.name}`)
    },
    has: (namespace, name) => touched.has(`${namespace}/${name}`),
    clear: () => touched.clear(),
  }
}
