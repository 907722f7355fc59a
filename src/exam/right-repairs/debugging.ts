/** Repairs by an engineer who first looks around in a pod of another service. */
import { mainContainer, patchTarget, podsOf, waitUntil } from '#exam/fault-parts'
import { type RepairContext, viewAs } from '#spec'
import type { RightRepair } from './right-repair.ts'

const DEBUGGER = 'debugger'

/** The services that call the target, but are not part of the repair. */
const callersOf = ({ system, target }: Pick<RepairContext, 'system' | 'target'>): string[] =>
  system.edges.filter(({ to }) => to === target.service).map(({ from }) => from)

/** Does the same as `kubectl debug`, and waits until the program has ended. */
const debugPod = async (context: RepairContext, service: string): Promise<void> => {
  const { api, system } = context
  const [pod] = await podsOf(context, service)
  if (pod === undefined) return
  const ref = { apiVersion: 'v1', plural: 'pods', namespace: system.namespace, name: pod.metadata.name }
  const command = ['sh', '-c', 'ls /; cat /etc/resolv.conf']
  const ephemeralContainers = [
    {
      name: DEBUGGER,
      image: 'busybox:1.36',
      command,
      targetContainerName: mainContainer(system, service).name,
    },
  ]
  await api.patch(ref, 'strategic', { spec: { ephemeralContainers } }, { subresource: 'ephemeralcontainers' })
  await waitUntil(context, `the debugger in ${pod.metadata.name} has ended`, async () =>
    (viewAs('Pod', await api.get(ref)).status?.ephemeralContainerStatuses ?? []).some(
      ({ state }) => state?.terminated !== undefined,
    ),
  )
}

const debugCaller: RightRepair = {
  name: 'debug-a-caller-and-set-the-image',
  about:
    'Looks at a caller with kubectl debug, then sets the image; the finished ephemeral container remains',
  faults: ['image-missing', 'release-crash'],
  needsPrograms: true,
  fits: (faultCase) => callersOf(faultCase).length > 0,
  async act(context) {
    const { system, target } = context
    const { name, image } = mainContainer(system, target.service)
    await debugPod(context, callersOf(context)[0]!)
    await patchTarget(context, { template: { spec: { containers: [{ name, image }] } } })
  },
}

export const DEBUGGING: readonly RightRepair[] = [debugCaller]
