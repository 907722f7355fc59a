/** Reads a load file: how many users or arrivals, and when. */
import { dirname, resolve } from 'node:path'
import { readYaml } from '../kit/index.ts'
import type { LoadProfile } from '../spec/index.ts'
import { loadSchema } from './load-schema.ts'
import { failWith } from './mistakes.ts'

/** A trace is named relative to the file that names it. */
export const locateTrace = (load: LoadProfile, file: string): LoadProfile => {
  if (load.loop !== 'open' || load.arrivals.kind !== 'replay') return load
  return { ...load, arrivals: { ...load.arrivals, file: resolve(dirname(file), load.arrivals.file) } }
}

/** YAML or JSON; throws with all mistakes, each with file, line and path. */
export const parseLoad = (text: string, file: string): LoadProfile => {
  const reading = readYaml(loadSchema, text, file)
  return 'mistakes' in reading ? failWith(reading.mistakes) : locateTrace(reading.value, file)
}
