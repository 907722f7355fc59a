/** Restores the pod template of a workload from its manifest, and patches workloads. */
import {
  type ApiObject,
  type FaultContext,
  podTemplateOf,
  type RepairContext,
  type SystemView,
  type WorkloadView,
} from '#spec'
import { editWorkload, workloadRef } from './edit-workload.ts'

/** Whether a change of the template replaces all pods: a StatefulSet keeps the others while one is not ready. */
export const isEditable = ({ kind }: WorkloadView): boolean => kind === 'Deployment'

/** Editable workloads without which a journey fails. */
export const essentialWorkloads = (system: SystemView): readonly WorkloadView[] =>
  system.workloads.filter(
    (workload) => isEditable(workload) && system.impactOf(workload.service).down.length > 0,
  )

/** Restores the deployed pod template; does not replace pods if it is unchanged. */
export const restoreTemplate = (
  context: Pick<FaultContext, 'api' | 'system' | 'sleep' | 'signal'>,
  service: string,
): Promise<void> =>
  editWorkload(context, service, {
    template: { $patch: 'replace', ...podTemplateOf(context.system.workloadOf(service).manifest) },
  })

/** Applies a strategic patch to the spec of the target's workload; for hacks. */
export const patchTarget = ({ api, system, target }: RepairContext, spec: object): Promise<ApiObject> =>
  api.patch(workloadRef(system, target.service), 'strategic', { spec })
