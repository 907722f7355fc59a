/** The load that the laboratory's users put on a system unless the problem says otherwise. */
import type { LoadProfile, System } from '#spec'

export const loadOf = ({ workload }: System): LoadProfile => workload!.brisk ?? workload!.load
