/** Reads the topology of a system's folder: `topology.yaml`, and one file for each service in `services/`. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { RemediumError, type Topology } from '../spec/index.ts'
import { parseTopology } from './parse-topology.ts'
import type { SourceFile } from './topology-sources.ts'

const SERVICE_FILE = /^([a-z0-9-]+)\.yaml$/

/** The file of a system's folder, which errors name as it is called in there. */
export const readSystemFile = (folder: string, file: string): string => {
  try {
    return readFileSync(join(folder, file), 'utf8')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const what = code === 'ENOENT' ? 'is missing' : `cannot be read: ${message}`
    throw new RemediumError('bad-file', `${basename(folder)}/${file} ${what}`)
  }
}

const readServiceFiles = (folder: string): Record<string, SourceFile> => {
  const inside = join(folder, 'services')
  const names = existsSync(inside) ? readdirSync(inside).filter((name) => !name.startsWith('.')) : []
  return Object.fromEntries(
    names.sort().map((name) => {
      const file = `services/${name}`
      const service = SERVICE_FILE.exec(name)?.[1]
      if (service === undefined)
        throw new RemediumError(
          'bad-file',
          `${basename(folder)}/${file} must be called as its service is: "cart.yaml"`,
        )
      return [service, { file, text: readSystemFile(folder, file) }]
    }),
  )
}

/** Throws with all mistakes, each with file, line and path. */
export const readTopology = (folder: string): Topology =>
  parseTopology(readSystemFile(folder, 'topology.yaml'), 'topology.yaml', readServiceFiles(folder))
