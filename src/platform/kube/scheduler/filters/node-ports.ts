/** Filters out nodes where a host port of the pod is taken. */
import { type Filter, resolvable } from '../filter.ts'
import type { HostPort } from '../pod-info.ts'

const ANY = '0.0.0.0'

const isConflict = (a: HostPort, b: HostPort): boolean =>
  a.port === b.port && a.protocol === b.protocol && (a.ip === b.ip || a.ip === ANY || b.ip === ANY)

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
