/** Filters out nodes where a host port of the pod is already in use. */
import { type Filter, resolvable } from '../filter.ts'
import type { HostPort } from '../pod-info.ts'

const ANY_IP = '0.0.0.0'

const isConflict = (a: HostPort, b: HostPort): boolean =>
  a.port === b.port && a.protocol === b.protocol && (a.ip === b.ip || a.ip === ANY_IP || b.ip === ANY_IP)

export const nodePorts: Filter = {
  name: 'NodePorts',
  retriesOn: ['node', 'pod-removed'],
  prepare({ ports }) {
    if (ports.length === 0) return undefined
    return ({ pods }) => {
      for (const existing of pods.values())
        if (existing.ports.some((taken) => ports.some((requested) => isConflict(taken, requested))))
          return resolvable("node(s) didn't have free ports for the requested pod ports")
      return undefined
    }
  },
}
