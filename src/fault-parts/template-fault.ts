/** What faults in a pod template have in common: an edit, and its undoing. */
import { isDeepStrictEqual } from 'node:util'
import {
  type ApiObject,
  defineFault,
  type Fault,
  type FaultCase,
  type ObjectsView,
  type Scene,
} from '../spec/index.ts'
import { workloadIn } from './containers.ts'
import { editWorkload } from './edit-workload.ts'
import { patchTask, toPlaybook } from './playbook.ts'
import { restartTheTarget } from './restart-hacks.ts'
import { missedWorkloads, restoreTemplate } from './restore-workload.ts'

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
  > {
  /** All that users miss when its pods do not run, where absent. */
  readonly targets?: Fault['targets']
  /** What is wrong, as a strategic patch of the pod's spec. */
  readonly edit: (about: FaultCase) => object
  /** Takes the edit back, as a strategic patch of the pod's spec. */
  readonly undo: (about: FaultCase) => object
  /** What the fix's task is called. */
  readonly fixName: string
  /** What is looked at in a pod's spec; the cause is gone when it is as at the baseline. */
  readonly look: (workload: ApiObject, about: FaultCase) => unknown
  /** Whether what is seen there now will do, where it need not be as at the baseline. */
  readonly isRight?: (now: unknown, scene: Scene) => boolean
}

const seen = (objects: ObjectsView, about: FaultCase, look: TemplateDeclaration['look']): unknown => {
  const workload = workloadIn(objects, about.system.workloadOf(about.target.service))
  return workload === undefined ? undefined : look(workload, about)
}

const asText = (value: unknown): string => JSON.stringify(value ?? null)

/** Declares a fault that is one edit of a workload's pod template. */
export const defineTemplateFault = ({
  edit,
  undo,
  fixName,
  look,
  isRight,
  targets,
  hacks,
  ...words
}: TemplateDeclaration): Fault =>
  defineFault({
    ...words,
    binding: 'cause',
    targets: targets ?? ((system) => missedWorkloads(system).map(({ service }) => ({ service }))),
    async inject(context) {
      const patch = edit(context)
      await editWorkload(context, context.target.service, { template: { spec: patch } })
      return { patch }
    },
    recover: (context) => restoreTemplate(context, context.target.service),
    isGone(scene) {
      const is = seen(scene.now, scene, look)
      const [before, now] = [asText(seen(scene.baseline, scene, look)), asText(is)]
      // The order of members says nothing.
      const isSame = isDeepStrictEqual(JSON.parse(now), JSON.parse(before))
      const there = workloadIn(scene.now, scene.system.workloadOf(scene.target.service)) !== undefined
      return {
        holds: there && (isSame || isRight?.(is, scene) === true),
        evidence: `${scene.target.service} has ${now}, and had ${before} before`,
      }
    },
    fix: (about) =>
      toPlaybook(`Mend the pod template of ${about.target.service}`, [
        patchTask(fixName, about.system, about.system.workloadOf(about.target.service), {
          template: { spec: undo(about) },
        }),
      ]),
    hacks: [restartTheTarget, ...hacks],
  })
