/** Reads the recordings of a real Kubernetes 1.32.4: objects, tables, events and managed fields. */
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

export interface RecordedObject {
  apiVersion: string
  kind: string
  metadata: {
    name: string
    namespace?: string
    creationTimestamp: string
    annotations?: Record<string, string>
    [field: string]: unknown
  }
  [field: string]: any
}

export interface RecordedTable {
  plural: string
  columns: { name: string; type: string; format: string; description: string; priority: number }[]
  rows: { cells: unknown[]; object: RecordedObject }[]
}

const KIND_FIXTURES = join(import.meta.dirname, '..', '..', 'src', 'platform', 'kube', 'kinds', 'fixtures')
const E2E_FIXTURES = join(import.meta.dirname, '..', 'fixtures')

export const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'

export const readRecorded = (file: string): string => readFileSync(join(E2E_FIXTURES, file), 'utf8')

export const listRecorded = (folder: string): string[] => readdirSync(join(E2E_FIXTURES, folder)).sort()

/** Tables with their objects, one for each kind. */
export const recordedTables = (): RecordedTable[] =>
  [KIND_FIXTURES, join(KIND_FIXTURES, 'workloads')]
    .flatMap((folder) => readdirSync(folder, { withFileTypes: true }))
    .filter((entry) => entry.isFile() && entry.name.endsWith('.json'))
    .map(({ parentPath, name }) => ({
      plural: basename(name, '.json').replace('.table', ''),
      ...JSON.parse(readFileSync(join(parentPath, name), 'utf8')),
    }))
    .sort((a, b) => (a.plural < b.plural ? -1 : 1))

/** `/apis/apps/v1/namespaces/default/deployments` */
export const collectionPath = (plural: string, { apiVersion, metadata }: RecordedObject): string => {
  const root = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`
  return metadata.namespace === undefined
    ? `${root}/${plural}`
    : `${root}/namespaces/${metadata.namespace}/${plural}`
}
