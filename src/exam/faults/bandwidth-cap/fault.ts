/** Fault: annotations limit the bandwidth of pods. */
import {
  editWorkload,
  ignoreMissing,
  patchTask,
  restartTarget,
  restoreTemplate,
  toPlaybook,
  workloadIn,
} from '#exam/fault-parts'
import { type ApiObject, defineFault, podTemplateOf, quantityValue } from '#spec'

const BANDWIDTH_ANNOTATIONS = ['kubernetes.io/ingress-bandwidth', 'kubernetes.io/egress-bandwidth'] as const

type Annotations = Readonly<Record<string, string>>

const annotationsOf = (workload: ApiObject | undefined): Annotations =>
  (workload && podTemplateOf(workload)?.metadata?.annotations) ?? {}

/** Bits per second: infinite without a limit, 0 if the limit is invalid. */
const toRate = (cap: string | undefined): number =>
  cap === undefined ? Number.POSITIVE_INFINITY : (quantityValue(cap) ?? 0)

/** Below this rate, users of the smallest service would still be affected. */
const MIN_BITS_PER_SECOND = 10e6

export const fault = defineFault({
  name: 'bandwidth-cap',
  about:
    'Annotations in the pod template of a service limit its bandwidth so much that responses are very slow',
  category: 'network-delay',
  layer: 'network',
  type: 'misconfiguration',
  otherLayers: ['virtualisation'],
  otherTypes: ['network-storage-issue'],
  binding: 'cause',
  parameters: {
    rate: {
      type: 'integer',
      about: 'The bandwidth in each direction',
      min: 1,
      max: 8,
      default: 4,
      unit: 'kbit/s',
    },
  },
  symptoms: [
    'responses of the service come late or not at all, while its CPU is idle',
    'packets from and to its pods are dropped',
  ],
  targets: (system) =>
    system.workloads
      .filter(({ kind, service }) => kind === 'Deployment' && system.impactOf(service).slow.length > 0)
      .map(({ service }) => ({ service })),
  async inject(context) {
    const value = `${context.params.rate}k`
    const annotations = Object.fromEntries(BANDWIDTH_ANNOTATIONS.map((name) => [name, value]))
    await editWorkload(context, context.target.service, { template: { metadata: { annotations } } })
    return { value }
  },
  recover: (context) => restoreTemplate(context, context.target.service),
  isGone({ system, target, now }) {
    const workload = workloadIn(now, system.workloadOf(target.service))
    const caps = BANDWIDTH_ANNOTATIONS.map((name) => annotationsOf(workload)[name])
    return {
      holds: workload !== undefined && caps.every((cap) => toRate(cap) >= MIN_BITS_PER_SECOND),
      evidence: `the bandwidth limits in the template of ${target.service} are ${caps[0] ?? 'none'} for ingress and ${caps[1] ?? 'none'} for egress`,
    }
  },
  fix: ({ system, target }) =>
    toPlaybook(`Remove the bandwidth limit of ${target.service}`, [
      patchTask('Remove the annotations', system, system.workloadOf(target.service), {
        template: {
          metadata: { annotations: Object.fromEntries(BANDWIDTH_ANNOTATIONS.map((name) => [name, null])) },
        },
      }),
    ]),
  hacks: [
    restartTarget,
    {
      name: 'remove-the-annotations-of-the-pod',
      about: 'Removes the annotations of the running pod, where they have no effect',
      async act({ api, system, target }) {
        const ref = { apiVersion: 'v1', plural: 'pods', namespace: system.namespace }
        const { items } = await api.list(ref, { labelSelector: `app=${target.service}` })
        const annotations = Object.fromEntries(BANDWIDTH_ANNOTATIONS.map((name) => [name, null]))
        for (const { metadata } of items)
          await ignoreMissing(
            api.patch({ ...ref, name: metadata.name }, 'merge', { metadata: { annotations } }),
          )
      },
    },
  ],
})
