/** The list of programs for the network. */
import type { PodProgram } from '../pod-program.ts'
import { curl } from './curl.ts'
import { getent } from './getent.ts'
import { wget } from './wget.ts'

export const networkPrograms: Readonly<Record<string, PodProgram>> = { curl, getent, wget }
