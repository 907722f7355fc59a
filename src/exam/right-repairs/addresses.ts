/** Repairs of addresses in variables that reach the upstream by another name or its cluster IP. */
import {
  deployedService,
  patchTarget,
  serviceRef,
  serviceSpec,
  splitAddress,
  variableSetTo,
} from '#exam/fault-parts'
import { type FaultCase, type RepairContext, viewAs } from '#spec'
import type { RightRepair } from './right-repair.ts'

const FAULTS: readonly string[] = ['address-wrong', 'port-wrong']

const setHost = async (context: RepairContext, host: string): Promise<void> => {
  const { system, target } = context
  const { port } = splitAddress(target.value)
  const address = port === '' ? host : `${host}:${port}`
  await patchTarget(context, { template: { spec: variableSetTo(system, target, address) } })
}

const serviceNameOf = ({ target }: Pick<FaultCase, 'target'>): string => splitAddress(target.value).host

const hasClusterAddress = (faultCase: FaultCase): boolean =>
  serviceSpec(deployedService(faultCase.system, serviceNameOf(faultCase))).clusterIP !== 'None'

export const ADDRESSES: readonly RightRepair[] = [
  {
    name: 'use-the-cluster-address',
    about: 'Sets the address to the cluster IP of the Service',
    faults: FAULTS,
    fits: hasClusterAddress,
    async act(context) {
      const service = await context.api.get(serviceRef(context.system, serviceNameOf(context)))
      await setHost(context, viewAs('Service', service).spec?.clusterIP ?? '')
    },
  },
  {
    name: 'use-the-absolute-name',
    about: 'Sets the address to the full name of the Service, with a dot at its end',
    faults: FAULTS,
    act: (context) =>
      setHost(context, `${serviceNameOf(context)}.${context.system.namespace}.svc.cluster.local.`),
  },
]
