/** Fault: the selector of a Service matches no pod. */
import {
  applyTask,
  deployedService,
  ignoreMissing,
  isServiceOtherwiseSame,
  liveCallers,
  replacePods,
  restartTarget,
  serviceRef,
  serviceSpec,
  targetsByName,
  toPlaybook,
  workloadIn,
} from '#exam/fault-parts'
import { type CauseSnapshot, defineFault, type ParameterValues, podTemplateOf, type SystemView } from '#spec'

type Labels = Readonly<Record<string, string>>

const selectorOf = (system: SystemView, name: unknown): Labels =>
  serviceSpec(deployedService(system, name)).selector ?? {}

const toWrongSelector = (selector: Labels, { mistake }: ParameterValues): Labels => {
  const [[name, value] = ['app', '']] = Object.entries(selector)
  return mistake === 'extra-label' ? { ...selector, track: 'stable' } : { ...selector, [name]: `${value}-v2` }
}

/** The services whose pod templates match the selector. A label of a running pod does not count: it is lost with the pod. */
const selectedServices = ({ system, target, now }: CauseSnapshot): readonly string[] => {
  const selector = Object.entries(serviceSpec(now.get('Service', String(target.object))).selector ?? {})
  if (selector.length === 0) return []
  return system.workloads
    .filter((candidate) => {
      const workload = workloadIn(now, candidate)
      const labels = workload && podTemplateOf(workload)?.metadata?.labels
      return selector.every(([label, value]) => labels?.[label] === value)
    })
    .map(({ service }) => service)
}

export const fault = defineFault({
  name: 'selector-empty',
  about: 'The selector of a Service matches no pod, so that the Service has no endpoints',
  category: 'network-loss',
  layer: 'virtualisation',
  type: 'misconfiguration',
  otherLayers: ['network'],
  binding: 'cause',
  parameters: {
    mistake: {
      type: 'choice',
      about: 'The mistake: a label with another value, or an additional label',
      choices: ['other-value', 'extra-label'],
      default: 'other-value',
    },
  },
  symptoms: [
    'connections to the Service are refused, while the pods are ready',
    'the Service has no endpoints',
  ],
  targets: targetsByName,
  async inject(context) {
    const { api, system, target, params } = context
    const wrong = toWrongSelector(selectorOf(system, target.object), params)
    await api.patch(serviceRef(system, target.object), 'merge', { spec: { selector: wrong } })
    // Established connections would hide the fault as long as their pods live.
    await replacePods(context, target.service)
    return { wrong }
  },
  async recover({ api, system, target }) {
    const selector = selectorOf(system, target.object)
    await api.patch(serviceRef(system, target.object), 'merge', {
      spec: { selector: { track: null, ...selector } },
    })
  },
  isGone(snapshot) {
    const { target, now } = snapshot
    const selector = JSON.stringify(serviceSpec(now.get('Service', String(target.object))).selector ?? {})
    const selected = selectedServices(snapshot)
    const isSame = isServiceOtherwiseSame(snapshot, target.object)
    return {
      holds: isSame && selected.join() === target.service,
      evidence: `the Service ${target.object} selects ${selector}, which matches pods of ${selected.join(', ') || 'no service'}${isSame ? '' : '; other fields of the Service were changed'}`,
    }
  },
  // Callers that reconnect with growing delays may be restarted.
  scope: ({ system, target }) => ({ services: [target.service, ...liveCallers(system, target.service)] }),
  fix({ system, target, state }) {
    const right = selectorOf(system, target.object)
    const extra = Object.keys((state.wrong ?? {}) as Labels).filter((label) => right[label] === undefined)
    return toPlaybook(`Correct the selector of the Service ${target.object}`, [
      applyTask('Set the selector', {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: target.object, namespace: system.namespace },
        spec: { selector: { ...right, ...Object.fromEntries(extra.map((label) => [label, null])) } },
      }),
    ])
  },
  hacks: [
    restartTarget,
    {
      name: 'label-the-pod',
      about: 'Adds the label to the running pod; its successor will not have it',
      async act({ api, system, target, state }) {
        const { items } = await api.list(
          { apiVersion: 'v1', plural: 'pods', namespace: system.namespace },
          { labelSelector: `app=${target.service}` },
        )
        for (const { metadata } of items)
          await ignoreMissing(
            api.patch(
              { apiVersion: 'v1', plural: 'pods', namespace: system.namespace, name: metadata.name },
              'merge',
              { metadata: { labels: { ...(state.wrong as Labels), app: target.service } } },
            ),
          )
      },
    },
  ],
})
