/** Annotations that grant the pods of a service next to no bandwidth. */
import {
  editWorkload,
  ignoreMissing,
  patchTask,
  restartTheTarget,
  restoreTemplate,
  toPlaybook,
  workloadIn,
} from '../../fault-parts/index.ts'
import { type ApiObject, defineFault, quantityValue } from '../../spec/index.ts'

const CAPS = ['kubernetes.io/ingress-bandwidth', 'kubernetes.io/egress-bandwidth'] as const

type Annotations = Readonly<Record<string, string>>

const annotationsOf = (workload: ApiObject | undefined): Annotations => {
  const { template } = (workload?.spec ?? {}) as { template?: { metadata?: { annotations?: Annotations } } }
  return template?.metadata?.annotations ?? {}
}

/** Bits a second: endless where nothing is said, and nothing where it cannot be read. */
const toRate = (cap: string | undefined): number =>
  cap === undefined ? Number.POSITIVE_INFINITY : (quantityValue(cap) ?? 0)

/** Below this many bits a second users of the smallest service would still feel it. */
const ENOUGH = 10e6

export const fault = defineFault({
  name: 'bandwidth-cap',
  about: 'The pod template of a service grants its pods so little bandwidth that answers crawl',
  category: 'network-delay',
  layer: 'network',
  type: 'misconfiguration',
  otherLayers: ['virtualisation'],
  otherTypes: ['network-storage-issue'],
  binding: 'cause',
  parameters: {
    rate: {
      type: 'integer',
      about: 'What passes in each direction',
      least: 1,
      most: 8,
      default: 4,
      unit: 'kbit/s',
    },
  },
  symptoms: [
    'answers of the service come late or not at all, while its CPU idles',
    'packets from and to its pods are dropped',
  ],
  targets: (system) =>
    system.workloads
      .filter(({ kind, service }) => kind === 'Deployment' && system.impactOf(service).slow.length > 0)
      .map(({ service }) => ({ service })),
  async inject(context) {
    const value = `${context.params.rate}k`
    const annotations = Object.fromEntries(CAPS.map((name) => [name, value]))
    await editWorkload(context, context.target.service, { template: { metadata: { annotations } } })
    return { value }
  },
  recover: (context) => restoreTemplate(context, context.target.service),
  isGone({ system, target, now }) {
    const workload = workloadIn(now, system.workloadOf(target.service))
    const caps = CAPS.map((name) => annotationsOf(workload)[name])
    return {
      holds: workload !== undefined && caps.every((cap) => toRate(cap) >= ENOUGH),
      evidence: `the template of ${target.service} grants ${caps.map((cap) => cap ?? 'all').join(' in and ')} out`,
    }
  },
  fix: ({ system, target }) =>
    toPlaybook(`Take the cap off ${target.service}`, [
      patchTask('Remove the annotations', system, system.workloadOf(target.service), {
        template: { metadata: { annotations: Object.fromEntries(CAPS.map((name) => [name, null])) } },
      }),
    ]),
  hacks: [
    restartTheTarget,
    {
      name: 'unshape-the-pod',
      about: 'Takes the annotations off the pod, where nobody reads them any more',
      async act({ api, system, target }) {
        const ref = { apiVersion: 'v1', plural: 'pods', namespace: system.namespace }
        const { items } = await api.list(ref, { labelSelector: `app=${target.service}` })
        const annotations = Object.fromEntries(CAPS.map((name) => [name, null]))
        for (const { metadata } of items)
          await ignoreMissing(
            api.patch({ ...ref, name: metadata.name }, 'merge', { metadata: { annotations } }),
          )
      },
    },
  ],
})
