/** The state that all parts of a modelled network share. */
import type { Clock, Random } from '#kit'
import type { Endpoint } from './endpoint.ts'
import type { PolicyTable } from './policy-table.ts'
import type { ServiceTable } from './service-table.ts'

export interface NetworkState {
  readonly clock: Clock
  /** Draws the effects of faults on packets. */
  readonly random: Random
  /** Draws the endpoints of Services. */
  readonly choices: Random
  /** Incremented whenever a path between two addresses can have changed. */
  epoch: number
  /** By address: pods, nodes, the DNS and the users outside. */
  readonly endpoints: Map<string, Endpoint>
  /** The names of unreachable nodes, which reach only themselves. */
  readonly unreachableNodes: Set<string>
  readonly services: ServiceTable
  readonly policies: PolicyTable
}
