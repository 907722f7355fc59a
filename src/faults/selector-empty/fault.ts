/** A Service whose selector finds no pod. */
import {
  applyTask,
  deployedService,
  ignoreMissing,
  isServiceOtherwiseSame,
  liveCallers,
  replacePods,
  restartTheTarget,
  servedByName,
  serviceRef,
  serviceSpec,
  toPlaybook,
  workloadIn,
} from '../../fault-parts/index.ts'
import { defineFault, type ParameterValues, type Scene, type SystemView } from '../../spec/index.ts'

type Labels = Readonly<Record<string, string>>

const selectorOf = (system: SystemView, name: unknown): Labels =>
  serviceSpec(deployedService(system, name)).selector ?? {}

const misread = (selector: Labels, { mistake }: ParameterValues): Labels => {
  const [[name, value] = ['app', '']] = Object.entries(selector)
  return mistake === 'extra-label' ? { ...selector, track: 'stable' } : { ...selector, [name]: `${value}-v2` }
}

/** Whose pods the Service finds, by what their workloads make; a label on a pod that runs is gone with it. */
const foundBy = ({ system, target, now }: Scene): readonly string[] => {
  const selector = Object.entries(serviceSpec(now.get('Service', String(target.object))).selector ?? {})
  if (selector.length === 0) return []
  return system.workloads
    .filter((one) => {
      const { template } = (workloadIn(now, one)?.spec ?? {}) as {
        template?: { metadata?: { labels?: Labels } }
      }
      return selector.every(([label, value]) => template?.metadata?.labels?.[label] === value)
    })
    .map(({ service }) => service)
}

export const fault = defineFault({
  name: 'selector-empty',
  about: 'A Service selects labels that no pod has, and has no endpoints',
  category: 'network-loss',
  layer: 'virtualisation',
  type: 'misconfiguration',
  otherLayers: ['network'],
  binding: 'cause',
  parameters: {
    mistake: {
      type: 'choice',
      about: 'Whether a label has another value, or one more is asked for',
      choices: ['other-value', 'extra-label'],
      default: 'other-value',
    },
  },
  symptoms: [
    'connections to the Service are refused, while the pods are ready',
    'the Service has no endpoints',
  ],
  targets: servedByName,
  async inject(context) {
    const { api, system, target, params } = context
    const wrong = misread(selectorOf(system, target.object), params)
    await api.patch(serviceRef(system, target.object), 'merge', { spec: { selector: wrong } })
    // Connections that stand would hide it for as long as the pods live that they lead to.
    await replacePods(context, target.service)
    return { wrong }
  },
  async recover({ api, system, target }) {
    const selector = selectorOf(system, target.object)
    await api.patch(serviceRef(system, target.object), 'merge', {
      spec: { selector: { track: null, ...selector } },
    })
  },
  isGone(scene) {
    const { target, now } = scene
    const selector = JSON.stringify(serviceSpec(now.get('Service', String(target.object))).selector ?? {})
    const found = foundBy(scene)
    const isSame = isServiceOtherwiseSame(scene, target.object)
    return {
      holds: isSame && found.join() === target.service,
      evidence: `the Service ${target.object} selects ${selector}, which pods of ${found.join(', ') || 'nobody'} have${isSame ? '' : ', and is not what it was otherwise'}`,
    }
  },
  // Callers that wait ever longer before they connect again may be hurried.
  scope: ({ system, target }) => ({ services: [target.service, ...liveCallers(system, target.service)] }),
  fix({ system, target, state }) {
    const right = selectorOf(system, target.object)
    const extra = Object.keys((state.wrong ?? {}) as Labels).filter((label) => right[label] === undefined)
    return toPlaybook(`Let the Service ${target.object} find its pods`, [
      applyTask('Set the selector', {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: target.object, namespace: system.namespace },
        spec: { selector: { ...right, ...Object.fromEntries(extra.map((label) => [label, null])) } },
      }),
    ])
  },
  hacks: [
    restartTheTarget,
    {
      name: 'label-the-pod',
      about: 'Puts the label on the pod that runs, which the next one does not have',
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
