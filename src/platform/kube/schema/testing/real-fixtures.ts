/** Reads recordings of a real server and real clients, for tests. */
import { readFileSync } from 'node:fs'
import type { OpenApiGroupVersion } from '../openapi/openapi-resource.ts'

const readLines = <T>(name: string): T[] =>
  readFileSync(new URL(`../fixtures/${name}.ndjson`, import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as T)

export const realObjects = (): { apiVersion: string; kind: string; metadata: { name: string } }[] =>
  readLines('objects')

/** Maps kubectl commands to the base64 of the protobuf body they sent. */
export const kubectlBodies = (): Map<string, string> => new Map(readLines<[string, string]>('kubectl-bodies'))

/** The schemas without descriptions and kinds. */
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

/** The methods of each path as `operation id|action|group/version/kind|parameters`, and `shared` parameters. */
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
