/** Reads the topology of a system: `topology.yaml`, and one file for each service in `services/`. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { RemediumError, type Topology } from '#spec'
import { parseTopology } from './parse-topology.ts'
import type { SourceFile } from './topology-sources.ts'

const SERVICE_FILE = /^([a-z0-9-]+)\.yaml$/

/** The name of a file of a system's folder in messages: `shop/topology.yaml`. */
export const systemFileName = (folder: string, file: string): string => `${basename(folder)}/${file}`

/** Reads a file of a system's folder. */
export const readSystemFile = (folder: string, file: string): string => {
  try {
    return readFileSync(join(folder, file), 'utf8')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const problem = code === 'ENOENT' ? 'is missing' : `cannot be read: ${message}`
    throw new RemediumError('bad-file', `${systemFileName(folder, file)} ${problem}`)
  }
}

const readServiceFiles = (folder: string): Record<string, SourceFile> => {
  const serviceFolder = join(folder, 'services')
  const names = existsSync(serviceFolder)
    ? readdirSync(serviceFolder).filter((name) => !name.startsWith('.'))
    : []
  return Object.fromEntries(
    names.sort().map((name) => {
      const file = `services/${name}`
      const service = SERVICE_FILE.exec(name)?.[1]
      if (service === undefined)
        throw new RemediumError(
          'bad-file',
          `${systemFileName(folder, file)} must be named after its service: "cart.yaml"`,
        )
      return [service, { file: systemFileName(folder, file), text: readSystemFile(folder, file) }]
    }),
  )
}

/** Throws an error that lists all mistakes, each with file, line and path. */
export const readTopology = (folder: string): Topology =>
  parseTopology(
    readSystemFile(folder, 'topology.yaml'),
    systemFileName(folder, 'topology.yaml'),
    readServiceFiles(folder),
  )
