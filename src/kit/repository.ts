/** The root folder of this repository, for data outside `src`. */
import { join } from 'node:path'

export const REPOSITORY = join(import.meta.dirname, '..', '..')
