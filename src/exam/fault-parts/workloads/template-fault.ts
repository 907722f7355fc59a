/** Defines faults that edit a pod template. */
import { isDeepStrictEqual } from 'node:util'
import {
  type ApiObject,
  type CauseSnapshot,
  defineFault,
  type Fault,
  type FaultCase,
  type ObjectsView,
} from '#spec'
import { restartTarget } from '../hacks/restart-hacks.ts'
import { patchTask, toPlaybook } from '../playbook.ts'
import { workloadIn } from './containers.ts'
import { editWorkload } from './edit-workload.ts'
import { essentialWorkloads, restoreTemplate } from './restore-workload.ts'

export interface TemplateDeclaration
  extends Pick<
    Fault,
    | 'name'
    | 'about'
    | 'category'
    | 'layer'
    | 'type'
    | 'otherLayers'
    | 'otherTypes'
    | 'parameters'
    | 'symptoms'
    | 'scope'
    | 'hacks'
    | 'impactOnceReady'
  > {
  /** By default all essential workloads. */
  readonly targets?: Fault['targets']
  /** The fault, as a strategic patch of the pod spec. */
  readonly edit: (faultCase: FaultCase) => object
  /** Reverts the edit, as a strategic patch of the pod spec. */
  readonly undo: (faultCase: FaultCase) => object
  /** The name of the task in the reference playbook. */
  readonly taskName: string
  /**
   * Reads the part of the workload that the fault changes, or the effect of the change, from the objects at
   * one moment. The cause is gone if the result equals the baseline.
   */
  readonly read: (
    workload: ApiObject,
    faultCase: FaultCase & Pick<CauseSnapshot, 'rules'>,
    objects: ObjectsView,
  ) => unknown
  /** Accepts values that differ from the baseline. */
  readonly isAccepted?: (now: unknown, snapshot: CauseSnapshot) => boolean
}

const readFrom = (
  objects: ObjectsView,
  faultCase: CauseSnapshot,
  read: TemplateDeclaration['read'],
): unknown => {
  const workload = workloadIn(objects, faultCase.system.workloadOf(faultCase.target.service))
  return workload === undefined ? undefined : read(workload, faultCase, objects)
}

const toText = (value: unknown): string => JSON.stringify(value ?? null)

/** Declares a fault that is one edit of a workload's pod template. */
export const defineTemplateFault = ({
  edit,
  undo,
  taskName,
  read,
  isAccepted,
  targets,
  hacks,
  ...rest
}: TemplateDeclaration): Fault =>
  defineFault({
    ...rest,
    binding: 'cause',
    targets: targets ?? ((system) => essentialWorkloads(system).map(({ service }) => ({ service }))),
    async inject(context) {
      const patch = edit(context)
      await editWorkload(context, context.target.service, { template: { spec: patch } })
      return { patch }
    },
    recover: (context) => restoreTemplate(context, context.target.service),
    isGone(snapshot) {
      const current = readFrom(snapshot.now, snapshot, read)
      const [before, now] = [toText(readFrom(snapshot.baseline, snapshot, read)), toText(current)]
      // The order of members does not matter.
      const isSame = isDeepStrictEqual(JSON.parse(now), JSON.parse(before))
      const exists =
        workloadIn(snapshot.now, snapshot.system.workloadOf(snapshot.target.service)) !== undefined
      return {
        holds: exists && (isSame || isAccepted?.(current, snapshot) === true),
        evidence: `the workload of ${snapshot.target.service} has ${now}; before the fault it had ${before}`,
      }
    },
    fix: (faultCase) =>
      toPlaybook(`Repair the pod template of ${faultCase.target.service}`, [
        patchTask(taskName, faultCase.system, faultCase.system.workloadOf(faultCase.target.service), {
          template: { spec: undo(faultCase) },
        }),
      ]),
    hacks: [restartTarget, ...hacks],
  })
