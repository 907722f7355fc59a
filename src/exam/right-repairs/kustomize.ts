/** Repairs in the style of kustomize, which generates names of ConfigMaps and Secrets, and labels all objects. */
import {
  deployedData,
  deployedText,
  mainContainer,
  patchTarget,
  splitAddress,
  workloadRef,
} from '#exam/fault-parts'
import { type ApiObject, podTemplateOf, type RepairContext, viewAs } from '#spec'
import { withNotes } from './notes.ts'
import type { RightRepair } from './right-repair.ts'
import { cleanManifest } from './targets.ts'

const GENERATED_SUFFIX = 'k5t2m8c9fd'
const KUSTOMIZE_METADATA = {
  labels: { 'app.kubernetes.io/managed-by': 'kustomize', 'app.kubernetes.io/part-of': 'overlay-production' },
  annotations: { 'config.kubernetes.io/origin': 'path: base/deployment.yaml' },
}

/** Fields of a pod template that name a ConfigMap or a Secret. */
const REFERENCES: readonly string[] = [
  ...['configMap', 'configMapRef', 'configMapKeyRef'],
  ...['secret', 'secretRef', 'secretKeyRef'],
]

/** Replaces references to `from` with references to `to`. */
const withReferences = (value: unknown, from: string, to: string): unknown => {
  if (Array.isArray(value)) return value.map((item) => withReferences(item, from, to))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([field, inner]) => {
      const renamed = withReferences(inner, from, to) as Record<string, unknown>
      if (!REFERENCES.includes(field)) return [field, renamed]
      const names = Object.fromEntries(
        ['name', 'secretName'].filter((name) => renamed[name] === from).map((name) => [name, to]),
      )
      return [field, { ...renamed, ...names }]
    }),
  )
}

/** Changes the references of the target's workload to the new name. */
const changeReferences = async (context: RepairContext, from: string, to: string): Promise<void> => {
  const { api, system, target } = context
  const template = podTemplateOf(await api.get(workloadRef(system, target.service)))
  await patchTarget(context, {
    template: { $patch: 'replace', ...(withReferences(template, from, to) as object) },
  })
}

const toObject = (context: RepairContext, kind: string, name: string, content: object): ApiObject =>
  withNotes(
    { apiVersion: 'v1', kind, metadata: { name, namespace: context.system.namespace }, ...content },
    KUSTOMIZE_METADATA,
  )

const createObject = ({ api, system }: RepairContext, plural: string, object: object): Promise<ApiObject> =>
  api.create({ apiVersion: 'v1', plural, namespace: system.namespace }, object)

const versionConfig: RightRepair = {
  name: 'version-the-config-map',
  about: 'Creates the corrected ConfigMap under a generated name, and mounts it in the workload',
  faults: ['config-value-wrong'],
  async act(context) {
    const { api, system, target } = context
    const [map, file, path] = [String(target.map), String(target.file), String(target.path)]
    const ref = { apiVersion: 'v1', plural: 'configmaps', namespace: system.namespace, name: map }
    const { data = {} } = viewAs('ConfigMap', await api.get(ref))
    const corrected = { ...data, [file]: deployedText(system, { map, file, path }) }
    const name = `${map}-${GENERATED_SUFFIX}`
    await createObject(context, 'configmaps', toObject(context, 'ConfigMap', name, { data: corrected }))
    await changeReferences(context, map, name)
  },
}

const versionSecret: RightRepair = {
  name: 'version-the-secret',
  about: 'Creates the Secret under a generated name, and changes the references of the workload',
  faults: ['secret-missing'],
  // Only this service may use the Secret: the repair does not change other services.
  fits: ({ system, target }) =>
    system.workloads.every(
      ({ service, podSpec }) =>
        service === target.service || !JSON.stringify(podSpec).includes(`"${target.secret}"`),
    ),
  async act(context) {
    const { system, target } = context
    const [secret, name] = [String(target.secret), `${target.secret}-${GENERATED_SUFFIX}`]
    const stringData = deployedData(system, secret)
    await createObject(context, 'secrets', toObject(context, 'Secret', name, { type: 'Opaque', stringData }))
    await changeReferences(context, secret, name)
  },
}

/** The variable that each fault changed, and a correct value. */
const SETTINGS: Readonly<Record<string, (context: RepairContext) => readonly [name: string, value: string]>> =
  {
    'port-wrong': ({ target }) => [String(target.variable), String(target.value)],
    'token-expired': () => ['JWT_MAX_AGE', '1800'],
  }

const setFromConfigMap = Object.entries(SETTINGS).map(
  ([fault, settingOf]): RightRepair => ({
    name: `set-the-value-of-${fault}-from-a-config-map`,
    about: 'Creates a ConfigMap with the value, and sets the variable from it',
    faults: [fault],
    fits: ({ target }) => fault !== 'port-wrong' || splitAddress(target.value).port !== '',
    async act(context) {
      const { system, target } = context
      const [key, value] = settingOf(context)
      const name = `${target.service}-settings-${GENERATED_SUFFIX}`
      await createObject(
        context,
        'configmaps',
        toObject(context, 'ConfigMap', name, { data: { [key]: value } }),
      )
      const env = [{ name: key, value: null, valueFrom: { configMapKeyRef: { name, key } } }]
      const container = mainContainer(system, target.service).name
      await patchTarget(context, { template: { spec: { containers: [{ name: container, env }] } } })
    },
  }),
)

const applyOverlay: RightRepair = {
  name: 'apply-an-overlay-with-labels',
  about: 'Replaces the Deployment with its manifest, and adds labels to it and to its pods',
  faults: ['release-slow', 'release-wrong-port'],
  async act({ api, system, target }) {
    const manifest = withNotes(cleanManifest(system, target.service), KUSTOMIZE_METADATA)
    const { template, ...spec } = manifest.spec as { template: { metadata: { labels: object } } }
    const labels = { ...template.metadata.labels, 'app.kubernetes.io/part-of': 'overlay-production' }
    await api.update(workloadRef(system, target.service), {
      ...manifest,
      spec: { ...spec, template: { ...template, metadata: { ...template.metadata, labels } } },
    })
  },
}

export const KUSTOMIZE: readonly RightRepair[] = [
  versionConfig,
  versionSecret,
  ...setFromConfigMap,
  applyOverlay,
]
