/** What rules of a namespace that refuse new pods have in common: the rule comes, and then a pod goes. */
import {
  defineFault,
  type Fault,
  type FaultCase,
  type FaultContext,
  type Hack,
  type Scene,
} from '../spec/index.ts'
import { ignoreMissing } from './ignore-missing.ts'
import { orElse } from './or-else.ts'
import { type PlaybookTask, toPlaybook } from './playbook.ts'
import { replacePods, restartTask } from './restart.ts'
import { missedWorkloads } from './restore-workload.ts'

export interface RefusalDeclaration extends Pick<Fault, 'name' | 'about' | 'parameters' | 'symptoms'> {
  readonly object: { readonly plural: string; readonly kind: string; readonly name: string }
  readonly targets?: Fault['targets']
  /** The spec of the rule; asked before the pod goes. */
  readonly spec: (context: FaultContext) => Promise<object>
  /** Resolves when the rule is in force. */
  readonly settle?: (context: FaultContext) => Promise<void>
  /** Whether the rule as it is now still stands in the way; asked only where there is one. */
  readonly refuses: (spec: Readonly<Record<string, unknown>>, scene: Scene) => boolean
  /** Mends the rule. */
  readonly mend: (about: FaultCase & { readonly state: Readonly<Record<string, unknown>> }) => PlaybookTask
  readonly hacks: readonly Hack[]
}

const RESTARTED_AT = 'kubectl.kubernetes.io/restartedAt'

const restartedAt = (value: string | null): object => ({
  metadata: { annotations: { [RESTARTED_AT]: value } },
})

const restartIt: Hack = {
  name: 'restart-the-rollout',
  about: 'Restarts the rollout of the service, whose pods are refused as before',
  async act({ api, system, target }) {
    const { name } = system.workloadOf(target.service)
    const ref = { apiVersion: 'apps/v1', plural: 'deployments', namespace: system.namespace, name }
    await api.patch(ref, 'merge', { spec: { template: restartedAt('2026-01-01T00:00:00Z') } })
  },
}

const refOf = ({ system }: FaultCase, { plural, name }: RefusalDeclaration['object']) => ({
  apiVersion: 'v1',
  plural,
  namespace: system.namespace,
  name,
})

const removeRule = (context: FaultContext, object: RefusalDeclaration['object']): Promise<void> =>
  ignoreMissing(context.api.delete(refOf(context, object)))

/** Who makes pods tries again ever more seldom when they are refused: a new rollout does not have to wait for that. */
const rollOut = ({ system, target }: FaultCase): PlaybookTask =>
  restartTask('Start the rollout anew, rather than wait for the next attempt', system, target.service)

/** Declares a fault whose cause is a rule of the namespace by which a pod that went does not come back. */
export const defineRefusalFault = (declared: RefusalDeclaration): Fault => {
  const { object, targets, spec, settle, refuses, mend, hacks, ...words } = declared
  return defineFault({
    ...words,
    category: 'pod-fail',
    layer: 'virtualisation',
    type: 'misconfiguration',
    otherTypes: ['capacity-shortage'],
    binding: 'cause',
    targets: targets ?? ((system) => missedWorkloads(system).map(({ service }) => ({ service }))),
    async inject(context) {
      const { api, system, target } = context
      const rule = await spec(context)
      const { name, kind } = object
      const metadata = { name, namespace: system.namespace }
      const collection = { apiVersion: 'v1', plural: object.plural, namespace: system.namespace }
      await api.create(collection, { apiVersion: 'v1', kind, metadata, spec: rule })
      await orElse(
        async () => {
          await settle?.(context)
          await replacePods(context, target.service)
        },
        () => removeRule(context, object),
      )
      return { name, rule }
    },
    async recover(context) {
      const { api, system, target } = context
      await removeRule(context, object)
      const { name } = system.workloadOf(target.service)
      const ref = { apiVersion: 'apps/v1', plural: 'deployments', namespace: system.namespace, name }
      // A new template is tried at once; without the annotation it is the old one again.
      const found = await api.get(ref)
      const { template } = found.spec as { template: { metadata: { annotations?: Record<string, string> } } }
      const value = template.metadata.annotations?.[RESTARTED_AT] === undefined ? 'again' : null
      await api.patch(ref, 'merge', { spec: { template: restartedAt(value) } })
    },
    isGone(scene) {
      const found = scene.now.get(object.kind, object.name)
      const rule = (found?.spec ?? {}) as Readonly<Record<string, unknown>>
      const holds = found === undefined || !refuses(rule, scene)
      const what = found === undefined ? 'is gone' : `says ${JSON.stringify(rule)}`
      return { holds, evidence: `the ${object.kind} ${object.name} ${what}` }
    },
    fix: (about) =>
      toPlaybook(`Let ${about.target.service} have its pods again`, [mend(about), rollOut(about)]),
    hacks: [restartIt, ...hacks],
  })
}
