/** Repairs with single kubectl commands: set, patch, label, annotate, rollout undo. */
import {
  deployedData,
  deployedService,
  mainContainer,
  multiplyAmount,
  patchTarget,
  secretRef,
  serviceRef,
  serviceSpec,
  toSecretValue,
  withVariables,
  workloadRef,
} from '#exam/fault-parts'
import { type ApiObject, ownersOf, podTemplateOf, type RepairContext, toFamiliarImage, viewAs } from '#spec'
import { INCIDENT_NOTES } from './notes.ts'
import type { RightRepair } from './right-repair.ts'
import { restartRollout } from './targets.ts'

const revisionOf = (replicaSet: ApiObject): number =>
  Number(viewAs('ReplicaSet', replicaSet).metadata?.annotations?.['deployment.kubernetes.io/revision'] ?? 0)

/** The pod template of the previous revision, without the label that its controller added. */
const previousTemplate = async ({ api, system, target }: RepairContext): Promise<object> => {
  const { name } = system.workloadOf(target.service)
  const ref = { apiVersion: 'apps/v1', plural: 'replicasets', namespace: system.namespace }
  const { items } = await api.list(ref)
  const [, previous] = items
    .filter((object) => ownersOf(object).some((owner) => owner.name === name))
    .sort((a, b) => revisionOf(b) - revisionOf(a))
  const template = previous && podTemplateOf(previous)
  if (template === undefined) throw new Error(`${name} has no previous revision`)
  const { 'pod-template-hash': _, ...labels } = template.metadata?.labels ?? {}
  return { ...template, metadata: { ...template.metadata, labels } }
}

const undoRollout: RightRepair = {
  name: 'undo-the-rollout',
  about: 'Returns to the previous revision, as kubectl rollout undo does',
  faults: ['image-missing', 'release-crash', 'release-leak'],
  async act(context) {
    const template = await previousTemplate(context)
    await patchTarget(context, { template: { $patch: 'replace', ...template } })
  },
}

const setImage: RightRepair = {
  name: 'set-the-image-and-note-the-incident',
  about: 'Sets the image, then labels and annotates the Deployment',
  faults: ['release-hot-loop', 'release-failing-endpoint'],
  async act(context) {
    const { api, system, target } = context
    const { name, image } = mainContainer(system, target.service)
    await patchTarget(context, { template: { spec: { containers: [{ name, image }] } } })
    await api.patch(workloadRef(system, target.service), 'merge', { metadata: INCIDENT_NOTES })
  },
}

/** The full name of an image of the default registry; undefined for an image of another one. */
const fullNameOf = (image = ''): string | undefined => {
  const familiar = toFamiliarImage(image)
  const first = familiar.split('/')[0]!
  if (!familiar.includes('/')) return `docker.io/library/${familiar}`
  return /[.:]/.test(first) ? undefined : `docker.io/${familiar}`
}

const setFullImage: RightRepair = {
  name: 'set-the-full-name-of-the-image',
  about: 'Sets the image by its full name, with the registry and the folder that are the default',
  faults: ['image-missing', 'release-crash'],
  fits: ({ system, target }) => fullNameOf(mainContainer(system, target.service).image) !== undefined,
  async act(context) {
    const { name, image } = mainContainer(context.system, context.target.service)
    await patchTarget(context, { template: { spec: { containers: [{ name, image: fullNameOf(image) }] } } })
  },
}

const raiseResources: RightRepair = {
  name: 'set-higher-resources',
  about: 'Sets one and a half times the former limits, with the former requests',
  faults: ['limits-squeezed', 'pod-config-error'],
  async act(context) {
    const { name, resources = {} } = mainContainer(context.system, context.target.service)
    const limits = Object.fromEntries(
      Object.entries(resources.limits ?? {}).map(([resource, limit]) => [
        resource,
        multiplyAmount(String(limit), 1.5),
      ]),
    )
    const requests = { ...resources.requests }
    await patchTarget(context, {
      template: { spec: { containers: [{ name, resources: { $patch: 'replace', limits, requests } }] } },
    })
  },
}

/** Settings that differ from the defaults and work as well. */
const ALTERNATIVE_SETTINGS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'retry-storm': { GRPC_TIMEOUT: '5', GRPC_RETRIES: '1' },
  'log-flood': { LOG_LEVEL: 'warn' },
  'cache-disabled': { MEMC_TTL: '3600' },
}

const setVariables = Object.entries(ALTERNATIVE_SETTINGS).map(
  ([fault, values]): RightRepair => ({
    name: `set-other-good-values-of-${fault}`,
    about: `Sets values that differ from the defaults: ${Object.entries(values)
      .map(([name, value]) => `${name}=${value}`)
      .join(' and ')}`,
    faults: [fault],
    async act(context) {
      await patchTarget(context, { template: { spec: withVariables(context, values) } })
    },
  }),
)

const raiseBandwidth: RightRepair = {
  name: 'raise-the-bandwidth',
  about: 'Raises the bandwidth limits to a gigabit instead of removing them',
  faults: ['bandwidth-cap'],
  async act(context) {
    const annotations = { 'kubernetes.io/ingress-bandwidth': '1G', 'kubernetes.io/egress-bandwidth': '1G' }
    await patchTarget(context, { template: { metadata: { annotations } } })
  },
}

const usePreferredAffinity: RightRepair = {
  name: 'use-a-preferred-node-affinity',
  about: 'Replaces the node selector with a preferred node affinity',
  faults: ['node-selector-impossible'],
  async act(context) {
    const { api, system, target } = context
    const liveSelector =
      podTemplateOf(await api.get(workloadRef(system, target.service)))?.spec?.nodeSelector ?? {}
    const matchExpressions = Object.entries(liveSelector).map(([key, value]) => ({
      key,
      operator: 'In',
      values: [value],
    }))
    const deployedSelector = system.workloadOf(target.service).podSpec.nodeSelector
    const preferred = { weight: 1, preference: { matchExpressions } }
    const affinity = { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [preferred] } }
    await patchTarget(context, {
      template: {
        spec: {
          affinity,
          nodeSelector: deployedSelector === undefined ? null : { $patch: 'replace', ...deployedSelector },
        },
      },
    })
  },
}

const correctService: RightRepair = {
  name: 'correct-the-service-and-note-the-incident',
  about: 'Corrects the Service, then labels and annotates it',
  faults: ['selector-empty', 'target-port-wrong'],
  async act({ api, system, target }) {
    const { selector, ports } = serviceSpec(deployedService(system, target.object))
    await api.patch(serviceRef(system, target.object), 'json', [
      { op: 'replace', path: '/spec/selector', value: selector },
      { op: 'replace', path: '/spec/ports', value: ports },
    ])
    await api.patch(serviceRef(system, target.object), 'merge', { metadata: INCIDENT_NOTES })
  },
}

const correctSecret: RightRepair = {
  name: 'correct-the-secret-with-an-operator',
  about: 'Writes the values with the labels and annotations of a Secrets operator, then restarts the rollout',
  faults: ['secret-key-missing', 'secret-value-wrong'],
  async act(context) {
    const { api, system, target } = context
    const values = Object.entries(deployedData(system, String(target.secret)))
    await api.patch(secretRef(system, String(target.secret)), 'merge', {
      metadata: {
        labels: { 'app.kubernetes.io/managed-by': 'sealed-secrets' },
        annotations: { 'sealedsecrets.bitnami.com/managed': 'true' },
      },
      data: Object.fromEntries(values.map(([key, text]) => [key, toSecretValue(text)])),
    })
    await restartRollout(context, target.service)
  },
}

export const IMPERATIVE: readonly RightRepair[] = [
  undoRollout,
  setImage,
  setFullImage,
  raiseResources,
  ...setVariables,
  raiseBandwidth,
  usePreferredAffinity,
  correctService,
  correctSecret,
]
