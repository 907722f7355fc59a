/** Puts a workload back to what its manifest says, and takes its pods away. */
import type { ApiObject, FaultContext, HackContext, SystemView, WorkloadView } from '../spec/index.ts'
import { editWorkload, workloadRef } from './edit-workload.ts'

/** Those whose pods go all at once when their template changes: a StatefulSet keeps the rest while one is not ready. */
export const isEditable = ({ kind }: WorkloadView): boolean => kind === 'Deployment'

/** Workloads of which users miss something when their pods do not run. */
export const missedWorkloads = (system: SystemView): readonly WorkloadView[] =>
  system.workloads.filter((one) => isEditable(one) && system.impactOf(one.service).down.length > 0)

const templateOf = ({ manifest }: WorkloadView): object => (manifest.spec as { template: object }).template

/** The whole pod template as the system is deployed with it; pods stay where it is so already. */
export const restoreTemplate = (
  context: Pick<FaultContext, 'api' | 'system' | 'sleep' | 'signal'>,
  service: string,
): Promise<void> =>
  editWorkload(context, service, {
    template: { $patch: 'replace', ...templateOf(context.system.workloadOf(service)) },
  })

/** Patches the target's workload strategically, as a hack would. */
export const patchTarget = ({ api, system, target }: HackContext, spec: object): Promise<ApiObject> =>
  api.patch(workloadRef(system, target.service), 'strategic', { spec })
