/** The resources that a store and its clients use, so that they run in a process and in a simulated container. */
import type { ProgramResources } from '#spec'

export type StoreHost = Pick<ProgramResources, 'time' | 'files' | 'random' | 'memory'>
