/** Reads the topology of a system's folder: `topology.yaml`, and one file for each service in `services/`. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { RemediumError, type Topology } from '../spec/index.ts'
import { parseTopology } from './parse-topology.ts'
import type { SourceFile } from './topology-sources.ts'

const SERVICE_FILE = /^([a-z0-9-]+)\.yaml$/

const readServiceFiles = (folder: string): Record<string, SourceFile> => {
  const files = existsSync(folder) ? readdirSync(folder).sort() : []
  return Object.fromEntries(
    files.flatMap((name) => {
      const service = SERVICE_FILE.exec(name)?.[1]
      return service === undefined
        ? []
        : [[service, { file: `services/${name}`, text: readFileSync(join(folder, name), 'utf8') }]]
    }),
  )
}

/** Throws with all mistakes, each with file, line and path. */
export const readTopology = (folder: string): Topology => {
  const file = join(folder, 'topology.yaml')
  if (!existsSync(file)) throw new RemediumError('bad-file', `${basename(folder)}/topology.yaml is missing`)
  return parseTopology(
    readFileSync(file, 'utf8'),
    'topology.yaml',
    readServiceFiles(join(folder, 'services')),
  )
}
