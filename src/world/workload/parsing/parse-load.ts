/** Parses a load file: the number of users or arrivals, and their timing. */
import { dirname, resolve } from 'node:path'
import { readYaml } from '#kit'
import type { LoadProfile } from '#spec'
import { failWith } from './fail-with.ts'
import { loadSchema } from './load-schema.ts'

/** Resolves the path of a trace relative to the folder of the file that names it. */
export const locateTrace = (load: LoadProfile, folder: string): LoadProfile => {
  if (load.loop !== 'open' || load.arrivals.kind !== 'replay') return load
  return { ...load, arrivals: { ...load.arrivals, file: resolve(folder, load.arrivals.file) } }
}

/** Accepts YAML and JSON. Throws an error that lists all mistakes, each with file, line and path. */
export const parseLoad = (text: string, file: string): LoadProfile => {
  const reading = readYaml(loadSchema, text, file)
  return 'mistakes' in reading ? failWith(reading.mistakes) : locateTrace(reading.value, dirname(file))
}
