/** The resources of a store that runs in this process. */
import { createProcessResources } from '#world/twin/process'
import type { StoreHost } from './store-host.ts'

export const processHost: StoreHost = createProcessResources()
