/** Defines faults in which a rule of the namespace rejects new pods: the rule is created, then the pods are deleted. */
import {
  type ApiObject,
  type CauseSnapshot,
  defineFault,
  type Fault,
  type FaultCase,
  type FaultContext,
  type Hack,
  podTemplateOf,
} from '#spec'
import { ignoreMissing } from '../ignore-missing.ts'
import { type PlaybookTask, toPlaybook } from '../playbook.ts'
import { withUndo } from '../with-undo.ts'
import { replacePods, restartTask } from './replace-pods.ts'
import { essentialWorkloads } from './restore-workload.ts'

export interface RefusalDeclaration extends Pick<Fault, 'name' | 'about' | 'parameters' | 'symptoms'> {
  readonly object: { readonly plural: string; readonly kind: string; readonly name: string }
  readonly targets?: Fault['targets']
  /** The spec of the rule; called before the pods are deleted. */
  readonly spec: (context: FaultContext) => Promise<object>
  /** Resolves when the rule is effective. */
  readonly settle?: (context: FaultContext) => Promise<void>
  /** Whether a rule with this spec rejects the pods. */
  readonly refuses: (spec: Readonly<Record<string, unknown>>, snapshot: CauseSnapshot) => boolean
  /** The task of the reference playbook that repairs the rule. */
  readonly repairTask: (
    faultCase: FaultCase & { readonly state: Readonly<Record<string, unknown>> },
  ) => PlaybookTask
  readonly hacks: readonly Hack[]
}

const RESTARTED_AT = 'kubectl.kubernetes.io/restartedAt'

const withRestartedAt = (value: string | null): object => ({
  metadata: { annotations: { [RESTARTED_AT]: value } },
})

const restartRollout: Hack = {
  name: 'restart-the-rollout',
  about: 'Restarts the rollout of the service, whose pods are still rejected',
  async act({ api, system, target }) {
    const { name } = system.workloadOf(target.service)
    const ref = { apiVersion: 'apps/v1', plural: 'deployments', namespace: system.namespace, name }
    await api.patch(ref, 'merge', { spec: { template: withRestartedAt('2026-01-01T00:00:00Z') } })
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

/** Controllers retry rejected pods with growing delays; a new rollout avoids the delay. */
const rollOutTask = ({ system, target }: FaultCase): PlaybookTask =>
  restartTask('Restart the rollout instead of waiting for the next retry', system, target.service)

export const defineRefusalFault = (declared: RefusalDeclaration): Fault => {
  const { object, targets, spec, settle, refuses, repairTask, hacks, ...rest } = declared
  return defineFault({
    ...rest,
    category: 'pod-fail',
    layer: 'virtualisation',
    type: 'misconfiguration',
    otherTypes: ['capacity-shortage'],
    binding: 'cause',
    impactOnceReady: () => 'never-ready',
    targets: targets ?? ((system) => essentialWorkloads(system).map(({ service }) => ({ service }))),
    async inject(context) {
      const { api, system, target } = context
      const rule = await spec(context)
      const { name, kind } = object
      const metadata = { name, namespace: system.namespace }
      const collection = { apiVersion: 'v1', plural: object.plural, namespace: system.namespace }
      await api.create(collection, { apiVersion: 'v1', kind, metadata, spec: rule })
      await withUndo(
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
      // A changed template is rolled out at once. If an earlier restart set the annotation, removing it is the change.
      const annotations = podTemplateOf(await api.get(ref))?.metadata?.annotations
      const value = annotations?.[RESTARTED_AT] === undefined ? 'again' : null
      await api.patch(ref, 'merge', { spec: { template: withRestartedAt(value) } })
    },
    isGone(snapshot) {
      const { baseline, now } = snapshot
      // All rules of the kind apply, regardless of their names.
      const rules = now
        .list(object.kind)
        .filter(({ metadata }) => baseline.get(object.kind, metadata.name) === undefined)
      const specOf = ({ spec }: ApiObject) => (spec ?? {}) as Readonly<Record<string, unknown>>
      const texts = rules.map(
        (rule) => `the ${object.kind} ${rule.metadata.name} has the spec ${JSON.stringify(rule.spec)}`,
      )
      return {
        holds: rules.every((rule) => !refuses(specOf(rule), snapshot)),
        evidence: texts.join('; ') || `the ${object.kind} ${object.name} does not exist`,
      }
    },
    fix: (faultCase) =>
      toPlaybook(`Allow ${faultCase.target.service} to create its pods`, [
        repairTask(faultCase),
        rollOutTask(faultCase),
      ]),
    hacks: [restartRollout, ...hacks],
  })
}
