/** Finds calls that policies allowed before and deny now. */
import type { ObjectsView, SystemView } from '#spec'
import { liveEdges } from './live-edges.ts'
import { type Access, accessTo, accessToDns } from './network-access.ts'

export interface DeniedCall {
  readonly from: string
  /** A service, or `the DNS`. */
  readonly to: string
  /** `some`: calls are allowed only for some of the addresses that pods can have. */
  readonly access: Exclude<Access, 'all'>
}

/** Includes calls and DNS queries that no journey needs. */
export const findDeniedCalls = (
  system: SystemView,
  before: ObjectsView,
  now: ObjectsView,
): readonly DeniedCall[] => {
  const compareAccess = (
    from: string,
    to: string,
    accessIn: (objects: ObjectsView) => Access,
  ): readonly DeniedCall[] => {
    const access = accessIn(now)
    return access === 'all' || accessIn(before) !== 'all' ? [] : [{ from, to, access }]
  }
  return [
    ...liveEdges(system).flatMap(({ from, to }) =>
      compareAccess(from, to, (objects) => accessTo(objects, system, from, to)),
    ),
    ...system.workloads.flatMap(({ service }) =>
      compareAccess(service, 'the DNS', (objects) => accessToDns(objects, system, service)),
    ),
  ]
}
