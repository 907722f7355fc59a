/** Repairs in the style of `helm upgrade`, which adds the chart's labels, the release's annotations and a record of the release. */
import { gzipSync } from 'node:zlib'
import { workloadRef } from '#exam/fault-parts'
import type { ApiObject, RepairContext } from '#spec'
import { withNotes } from './notes.ts'
import type { RightRepair } from './right-repair.ts'
import { cleanManifest } from './targets.ts'

const REVISION = '2'

const helmMetadataOf = ({ system, target }: RepairContext) => ({
  labels: { 'app.kubernetes.io/managed-by': 'Helm', 'helm.sh/chart': `${target.service}-1.4.2` },
  annotations: {
    'meta.helm.sh/release-name': target.service,
    'meta.helm.sh/release-namespace': system.namespace,
  },
})

/** The document of a release in the form in which Helm stores it. */
const encodeRelease = (release: object): string => gzipSync(JSON.stringify(release)).toString('base64')

/** JSON is valid YAML. */
const toYaml = ({ apiVersion, kind, metadata, spec }: ApiObject): string =>
  [
    '---',
    `apiVersion: ${apiVersion}`,
    `kind: ${kind}`,
    'metadata:',
    `  name: ${metadata.name}`,
    `spec: ${JSON.stringify(spec)}`,
    '',
  ].join('\n')

/** Helm keeps each revision of a release in a Secret. */
const releaseOf = ({ system, target }: RepairContext, manifest: ApiObject): ApiObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  type: 'helm.sh/release.v1',
  metadata: {
    name: `sh.helm.release.v1.${target.service}.v${REVISION}`,
    namespace: system.namespace,
    labels: { name: target.service, owner: 'helm', status: 'deployed', version: REVISION },
  },
  stringData: {
    release: encodeRelease({
      name: target.service,
      namespace: system.namespace,
      version: Number(REVISION),
      manifest: toYaml(manifest),
    }),
  },
})

export const HELM: readonly RightRepair[] = [
  {
    name: 'upgrade-the-release',
    about:
      'Applies the manifest of the Deployment as helm upgrade does, and stores the record of the release',
    faults: ['scaled-to-zero', 'image-missing'],
    async act(context) {
      const { api, system, target } = context
      const secrets = { apiVersion: 'v1', plural: 'secrets', namespace: system.namespace }
      const manifest = withNotes(cleanManifest(system, target.service), helmMetadataOf(context))
      await api.create(secrets, releaseOf(context, manifest))
      await api.patch(workloadRef(system, target.service), 'strategic', manifest)
    },
  },
]
