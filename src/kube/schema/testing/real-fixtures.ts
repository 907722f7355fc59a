/** Reads what a real server published and real clients sent, for the tests of this room. */
import { readFileSync } from 'node:fs'
import type { OpenApiGroupVersion } from '../openapi-resource.ts'

const readLines = <T>(name: string): T[] =>
  readFileSync(new URL(`../fixtures/${name}.ndjson`, import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as T)

export const realObjects = (): { apiVersion: string; kind: string; metadata: { name: string } }[] =>
  readLines('objects')

/** Commands, and the base64 of the protobuf bodies that they sent. */
export const kubectlBodies = (): Map<string, string> => new Map(readLines<[string, string]>('kubectl-bodies'))

/** Without descriptions and kinds. */
export const realSchemas = (): Record<string, unknown> =>
  Object.fromEntries(readLines<[string, unknown]>('openapi-schemas'))

interface DiscoveredResource {
  name: string
  singularName: string
  namespaced: boolean
  group?: string
  version?: string
  kind: string
  verbs: string[]
}

/** Each path's methods as `operation id|action|group/version/kind|parameters`, and the parameters of all. */
type RealPaths = Record<string, Record<string, string>>

export const realGroupVersions = (): { groupVersion: OpenApiGroupVersion; paths: RealPaths }[] =>
  readLines<[string, { resources: DiscoveredResource[]; paths: RealPaths }]>('openapi-paths').map(
    ([id, { resources, paths }]) => {
      const [version = '', group = ''] = id.split('/').reverse()
      const subresourcesOf = (plural: string): DiscoveredResource[] =>
        resources.filter(({ name }) => name.startsWith(`${plural}/`))
      const groupVersion = {
        group,
        version,
        resources: resources
          .filter(({ name }) => !name.includes('/'))
          .map(({ name, singularName, kind, namespaced, verbs }) => ({
            plural: name,
            singular: singularName,
            kind,
            namespaced,
            verbs,
            subresources: subresourcesOf(name).map((sub) => ({
              name: sub.name.slice(name.length + 1),
              kind: { group: sub.group ?? group, version: sub.version ?? version, kind: sub.kind },
              verbs: sub.verbs,
            })),
          })),
      }
      return { groupVersion, paths }
    },
  )
