/** Reads a system's `impact.yaml`: the journeys that each service affects, measured by `npm run survey`. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { readYaml } from '#kit'
import type { Impact } from '#spec'
import { failWith } from '#world/workload'
import { readSystemFile, systemFileName } from './read-topology.ts'

const FILE = 'impact.yaml'
const JOURNEYS = z.array(z.string()).readonly()
const SCHEMA = z.record(
  z.string(),
  z.strictObject({ down: JOURNEYS, slow: JOURNEYS, starved: JOURNEYS, lossy: JOURNEYS }),
)

/** Returns the impact of each service; undefined if it has not been measured. */
export const readImpact = (folder: string): Readonly<Record<string, Impact>> | undefined => {
  if (!existsSync(join(folder, FILE))) return undefined
  const reading = readYaml(SCHEMA, readSystemFile(folder, FILE), systemFileName(folder, FILE))
  return 'mistakes' in reading ? failWith(reading.mistakes) : reading.value
}
