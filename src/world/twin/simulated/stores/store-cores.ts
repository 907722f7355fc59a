/** The parts of the stores that need no sockets, loaded once, because programs under a virtual clock cannot wait for files. */
import { loadStoreCores } from '#world/twin/stores'

export const STORE_CORES = await loadStoreCores()
