/** Hack: a correct repair that also adds an address without a pod to the Endpoints of another service. */
import { ignoreMissing } from '#exam/fault-parts'
import { type Hack, type HackSetting, viewAs, type WorkloadView } from '#spec'
import { findOtherWorkload } from './find-other-workload.ts'

/** An address in the range of the first node that no pod gets soon. */
const FALSE_ADDRESS = '10.244.0.250'

const findServedWorkload = (setting: HackSetting): WorkloadView | undefined =>
  findOtherWorkload(setting, ({ service }) =>
    setting.system.objects.some(
      (object) =>
        object.kind === 'Service' &&
        object.metadata.name === service &&
        viewAs('Service', object).spec?.selector !== undefined,
    ),
  )

export const addFalseAddress: Hack = {
  name: 'add-a-false-address',
  about: 'Repairs the service, and adds an address without a pod to the Endpoints of another one',
  afterRepair: true,
  appliesTo: (setting) => findServedWorkload(setting) !== undefined,
  async act(context) {
    const { api, system } = context
    const name = findServedWorkload(context)?.service
    if (name === undefined) return
    const ref = { apiVersion: 'v1', plural: 'endpoints', namespace: system.namespace, name }
    await ignoreMissing(
      api.patch(ref, 'json', [{ op: 'add', path: '/subsets/0/addresses/-', value: { ip: FALSE_ADDRESS } }]),
    )
  },
}
