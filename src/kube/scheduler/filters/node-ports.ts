/** Keeps two pods from one port of a node. */
import { type Filter, resolvable } from '../filter.ts'
import type { HostPort } from '../pod-info.ts'

const ANY = '0.0.0.0'

const clash = (a: HostPort, b: HostPort): boolean =>
  a.port === b.port && a.protocol === b.protocol && (a.ip === b.ip || a.ip === ANY || b.ip === ANY)

export const nodePorts: Filter = {
  name: 'NodePorts',
  wakesOn: ['node', 'pod-removed'],
  prepare({ ports }) {
    if (ports.length === 0) return undefined
    return ({ pods }) => {
      for (const other of pods.values())
        if (other.ports.some((taken) => ports.some((wanted) => clash(taken, wanted))))
          return resolvable("node(s) didn't have free ports for the requested pod ports")
      return undefined
    }
  },
}
