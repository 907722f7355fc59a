/** Reads `impact.yaml` of a system's folder: which journeys suffer with which service, as `npm run survey` measured it. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { readYaml } from '../kit/index.ts'
import type { Impact } from '../spec/index.ts'
import { failWith } from '../workload/index.ts'
import { readSystemFile } from './read-topology.ts'

const FILE = 'impact.yaml'
const JOURNEYS = z.array(z.string()).readonly()
const SCHEMA = z.record(
  z.string(),
  z.strictObject({ down: JOURNEYS, slow: JOURNEYS, starved: JOURNEYS, lossy: JOURNEYS }),
)

/** By service; undefined where it has not been measured yet. */
export const readImpact = (folder: string): Readonly<Record<string, Impact>> | undefined => {
  if (!existsSync(join(folder, FILE))) return undefined
  const reading = readYaml(SCHEMA, readSystemFile(folder, FILE), FILE)
  return 'mistakes' in reading ? failWith(reading.mistakes) : reading.value
}
